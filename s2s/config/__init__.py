"""Configs: every setting of a run, how one is declared, presets; errors; for whom code works. Standard library only."""

from s2s.config import asker
from s2s.config.errors import (
    FORM,
    INVISIBLE_MARKS,
    MAX_QUOTED,
    ZERO_WIDTH_SPACE,
    DeniedError,
    LaterError,
    UserError,
    is_usable,
    middle,
    nfc,
    require_usable,
    shortened,
    unique_names,
    unusable,
)
from s2s.config.fields import (
    Choice,
    Config,
    SettingInfo,
    choose,
    fields_of,
    flat,
    json_or_text,
    keys,
    nearest,
    override,
    parse_assignments,
    setting,
    settings_of,
    split_assignments,
    unknown,
    values_of_texts,
)
from s2s.config.model_config import (
    AttentionConfig,
    Embeddings,
    FeedForwardConfig,
    ModelConfig,
    Norm,
    Output,
    Positions,
    Stack,
)
from s2s.config.position_kinds import POSITION_KINDS, PositionKind
from s2s.config.recipe import (
    PRESETS,
    TASK_KINDS,
    Cleaning,
    DataConfig,
    Preset,
    Recipe,
    TokenizerConfig,
)
from s2s.config.shipped import Lazy, shipped, shipped_rows
from s2s.config.special_ids import SpecialIds
from s2s.config.train_config import (
    NO_FAULT,
    TRAINING_FAULTS,
    Optimizer,
    TrainConfig,
)
