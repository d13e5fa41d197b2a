"""Questions about models and data, each one typed value that a page, a program and a command line ask alike."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from s2s.questions.answers import Answers
from s2s.questions.attention_of import AttentionOf, ForcedAttention, ForcedWeights
from s2s.questions.finding import Finding, first
from s2s.questions.have import ANSWERS, Have, TooLongError, name_of
from s2s.questions.pool import Pool, PoolOf
from s2s.questions.question import RUN, SETTING, SUBJECT, VIEW, Question, as_text, to_json, written
from s2s.questions.same_word import Occurrence, SameWord, TwoOccurrences
from s2s.questions.table import Table
from s2s.questions.translate import Translate, own_target
from s2s.runs.decoder import Timed

# by name, as the command line asks them: every question that is imported here
QUESTIONS: Mapping[str, type[Question[Any]]] = MappingProxyType(
    {
        kind.name: kind
        for kind in [*vars().values()]
        if isinstance(kind, type) and issubclass(kind, Question) and kind.name
    }
)
