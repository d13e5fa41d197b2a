"""From a source to pairs: read, cleaned, split and packed into batches. Knows nothing of models."""

from s2s.data import batches, opening, saved_datasets, synthetic, uploads
from s2s.data.batches import Batch, Encoded, Ids
from s2s.data.builtin import ATTRIBUTION, BUILTINS
from s2s.data.corpus import Corpus, write_split
from s2s.data.files import (
    FILE_KINDS,
    decode_lines,
    from_bytes,
    from_pasted,
    read_aligned,
    two_files,
)
from s2s.data.formats.alignments import Numbering
from s2s.data.formats.columns import Column, choose_columns
from s2s.data.formats.number_column import NUMBER_FILES
from s2s.data.formats.reference_columns import Row
from s2s.data.formats.streams import format_size
from s2s.data.formats.table import TURN, is_table, one_line
from s2s.data.gallery import GALLERY
from s2s.data.gold_agreement import gold_agreement
from s2s.data.hub_datasets import HUB_ROWS, HubSample
from s2s.data.hub_samples import sample_hub_dataset
from s2s.data.in_memory import (
    Columns,
    GivenPairs,
    as_corpus,
    as_references,
    dataset_title,
    has_no_columns,
    held,
)
from s2s.data.lint import LINT_RULES, LintReport, clean, enabled_rules, lint_pairs, script_of
from s2s.data.misalignment import find_misalignment
from s2s.data.options import Caps
from s2s.data.overlap import find_overlap
from s2s.data.pair import Gold, Link, Pair, Relation, has_words, n_words
from s2s.data.preview import GENERATED, LONGEST_CELL, Preview, load_preview
from s2s.data.profile import (
    ProfileFolder,
    ReadingState,
    is_reading,
    profile_of,
)
from s2s.data.saved_datasets import SavedDataset
from s2s.data.sections import PROFILE_SECTIONS, profile_section, stored_section
from s2s.data.sentences import split_sentences
from s2s.data.shipped_pairs import GENERATED_TASKS, PAIRS_PER_TASK
from s2s.data.sources import (
    SOURCES,
    absolute,
    files_state,
    is_for_tests,
    load,
    parse_spec,
    require_readable,
    sampled,
    splits,
    with_sample,
)
from s2s.data.split import TrainingPairs, load_pairs_for_training, load_prepared
from s2s.data.statistics import Statistics, Vocabulary, ratio_edges
from s2s.data.synthetic import SYNTHETIC
from s2s.data.target_lookup import is_searchable, known_targets, sources_of, targets_by_source
from s2s.data.tasks import TASKS, apply_task, pairs_of_task, task_of
from s2s.data.uploads import Upload, delete_old_uploads
