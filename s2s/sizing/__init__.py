"""What a model costs before it is built: parameters, FLOPs, memory. Nothing is allocated; no torch."""

from s2s.sizing.costs import (
    MEASURES,
    VARIABLES,
    Grown,
    Machine,
    cache_bytes,
    crossing,
    grown,
    memory_bytes,
    powers,
)
from s2s.sizing.parts import GROUPS, KINDS, VASWANI, Cost, Part, Sized, Sizes, cost, parts, within
from s2s.sizing.size import (
    BYTES,
    CHUNK,
    GPU_CHUNK,
    check_memory,
    count_parameters,
    floats_a_slot,
    gigabytes,
    training_bytes,
    training_flops,
)
from s2s.sizing.t5 import PUBLISHED, SOURCE
