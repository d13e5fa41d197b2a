"""Questions about models and data, each one typed value that a page, a program and a command line ask alike."""

from s2s.questions import evaluation_request, score_buckets
from s2s.questions.answers import Answers
from s2s.questions.attention_of import AttentionOf, ForcedAttention, ForcedWeights
from s2s.questions.evaluate import Evaluate
from s2s.questions.evaluated import Evaluated
from s2s.questions.finding import Finding, first
from s2s.questions.have import ANSWERS, Have, TooLongError, name_of
from s2s.questions.pool import Pool, PoolOf
from s2s.questions.question import RUN, SETTING, SUBJECT, VIEW, Question, as_text, to_json, written
from s2s.questions.same_word import Occurrence, SameWord, TwoOccurrences
from s2s.questions.score_buckets import Buckets, ScoreBuckets
from s2s.questions.table import Table
from s2s.questions.translate import Translate, own_target
from s2s.runs.decoder import Timed
