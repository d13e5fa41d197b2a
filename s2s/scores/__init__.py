"""How good hypotheses are, given their references: scores, confidence intervals, paired tests, and how each score is
counted.
"""

from s2s.scores import breakdown, edits
from s2s.scores.measures import MEASURES, METRIC_NAMES, grams
from s2s.scores.metrics import METRICS, Metric, Score, score_all
from s2s.scores.one_form import References, comparable, differing_parts, is_comparable
from s2s.scores.resampling import (
    SAMPLES,
    SEED,
    SIGNIFICANT,
    TAIL,
    Interval,
    PairedDifference,
    Statistics,
    differs,
    draws,
    intervals,
    paired,
    statistics,
)
from s2s.scores.scoring import (
    AUTO,
    DEFAULT_TOKENIZER,
    ROUGE_SCORE,
    ROUGE_TOKENIZERS,
    SPACES,
    TOKENIZERS,
    Scoring,
    is_here,
    missing_packages,
    require_tokenizer,
    tokenizer_of,
)
from s2s.scores.segments import mean_differences, mean_intervals
from s2s.scores.sentence import (
    SENTENCE_METRICS,
    all_sentence_scores,
    sentence_scores,
    sentence_scores_of,
    sentence_signature,
)
