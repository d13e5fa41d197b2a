"""What a model costs before it is built: parameters, FLOPs, memory. Nothing is allocated; no torch."""

from s2s.sizing.components import (
    BatchSizes,
    Component,
    NamedShape,
    components,
    cost,
    within,
)
from s2s.sizing.kinds import COMPONENT_GROUPS, COMPONENT_KINDS
from s2s.sizing.scaling import MEASURES, VARIABLES, CostPoint, cost_curve, powers
from s2s.sizing.spec import (
    CacheBytes,
    Crossover,
    ModelSpec,
    cache_bytes,
    crossover,
    memory_bytes,
)
from s2s.sizing.t5 import T5_SIZES, T5_SOURCE
from s2s.sizing.tables import (
    Term,
    arithmetic,
    component_rows,
    group_parameters,
    rounded,
    t5_rows,
    t5_spec,
)
from s2s.sizing.training import (
    BYTES,
    CHUNK,
    GPU_CHUNK,
    activations_per_token,
    check_memory,
    count_parameters,
    gigabytes,
    multiplied_weights,
    training_bytes,
    training_flops,
)
