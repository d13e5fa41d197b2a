"""A given target under teacher forcing: which of its tokens are hard, and whether search or model is to blame."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from s2s.analysis import ROUNDING, SearchDiagnosis, probability_ratio
from s2s.config import UserError, keys
from s2s.decode import (
    BeamConfig,
    GenerationConfig,
    forbidding_setting,
    maximized_score,
    score_unit,
)
from s2s.questions.compare import ForcedOutput
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have
from s2s.questions.question import subject
from s2s.questions.searched import OfSearch, against, times
from s2s.questions.table import Table
from s2s.questions.translate import Translate, packed
from s2s.runs import (
    WIDE_BEAM,
    Decoded,
    DecodedHypothesis,
    Reference,
    Run,
    first_difference,
)
from s2s.scores import METRICS, comparable

WIDE = dict(WIDE_BEAM)["num_beams"]
# settings of all strategies that forbid no output
NO_LIMITS = ("num_return_sequences", "seed", "precision", "repetition_penalty")
NATS = "nats"  # the unit of a score that is the log-probability itself
COLUMNS = (
    "position",
    "reference",
    "loss (nats)",
    "probability",
    "rank",
    "the model would write",
    "its own",
    "its own loss (nats)",
    "differs",
)


class JudgedText(NamedTuple):
    """A target, its log-probability in nats, the score that judges it, and its chrF against the reference."""

    whose: str
    text: str
    log_prob: float
    score: float
    chrf: float


@dataclass(frozen=True)
class Forced:
    """A reference beside what the model wrote; the verdict is missing where neither search nor model is to blame."""

    strategy: str
    unit: str  # of the score that judges
    is_maximized: bool  # whether the strategy maximizes a score of texts, and not draws
    own_unit: str  # of what the strategy ranks by
    reference: Reference
    own: DecodedHypothesis
    why_no_verdict: str
    texts: tuple[JudgedText, ...]  # the reference, what was written, a wide beam's
    by_score: SearchDiagnosis | None
    by_log_prob: SearchDiagnosis | None

    @property
    def first_difference(self) -> int | None:
        """The first position, from 0, at which reference and translation differ."""
        return first_difference(self.reference.ids, self.own.ids)

    @property
    def kind(self) -> str:
        return self.by_score.kind if self.by_score else ""

    @property
    def preferred(self) -> str:
        """How much the model prefers the reference to its translation, or the reverse."""
        if not self.by_score:
            return ""
        pair = (self.by_score.reference, self.by_score.written)
        return self._against(max(pair), min(pair))

    @property
    def wide_gain(self) -> str:
        """How much the model prefers the wide beam's text to what was written."""
        return self._against(self.by_score.wide, self.by_score.written) if self.by_score else ""

    @property
    def closeness(self) -> str:
        gain = self.texts[2].chrf - self.texts[1].chrf
        if gain == 0:
            return "as close to the reference"
        return "closer to the reference" if gain > 0 else "farther from the reference"

    @property
    def is_disputed(self) -> bool:
        return (
            self.unit != NATS
            and self.by_log_prob is not None
            and self.by_log_prob.kind != self.kind
        )

    def _against(self, value: float, other: float) -> str:
        if self.unit == NATS:
            return f"{times(probability_ratio(value, other))} as probable as"
        return f"whose score is {against(value, other)} of"


VERDICTS = (
    Finding(lambda it: bool(it.why_no_verdict), "{why_no_verdict}"),
    Finding(lambda it: it.kind == "none", "No error: the model wrote the reference."),
    Finding(
        lambda it: it.kind == "search",
        "Search error: the model prefers the reference, {preferred} what was written, and the search did not find it.",
    ),
    Finding(
        lambda it: it.kind == "model",
        "Model error: the model itself prefers what was written, {preferred} the reference; no search could help.",
    ),
)
# each is said, where it holds, after the verdict
BESIDES = (
    Finding(
        lambda it: it.by_score is not None and it.by_score.is_missed and it.kind != "search",
        f"A search error, too: a beam of {WIDE} finds a text {{wide_gain}} what was written; it is {{closeness}}.",
    ),
    Finding(
        lambda it: it.by_score is not None and it.by_score.is_missed and it.kind == "search",
        f"A beam of {WIDE} finds a text {{wide_gain}} what was written; it is {{closeness}}.",
    ),
    Finding(
        lambda it: it.kind in ("search", "model") and it.by_score.is_beyond,
        f"Even a beam of {WIDE} does not find the reference.",
    ),
    Finding(
        lambda it: it.is_disputed,
        "By log-probability alone it is a {by_log_prob.kind} error: the length penalty makes the difference.",
    ),
)


@dataclass(frozen=True)
class ForcedTarget(OfSearch[Forced]):
    """How hard a target is for the model, beside what a strategy writes instead, and which of the two is to blame."""

    target: str = subject("target", link="tgt", help="The translation that you want.")

    def ask(self, have: Have) -> Forced:
        """Both texts, scored. Raises UserError without a target, and for one longer than the model's positions."""
        if not (self.target and self.text):
            raise UserError("Forcing needs a sentence and a target; give both.")
        run, config = have.run(self.run), self.configured(have)
        found = have.answer(self.translation)
        reference = have.answer(ForcedOutput(self.run, self.text, self.target))
        is_ended = found.hypotheses[0].ids[-1] == run.recipe.model.ids.eos
        why_not = why_no_verdict(config, forbidding(run, self.text, config, reference), is_ended)
        is_maximized = maximized_score(config) is not None
        unit = score_unit(config) if is_maximized else NATS
        wide = found if why_not else have.answer(self._wide(config))
        texts = judged(self.strategy, config, reference, found, wide)
        score = maximized_score(config) or _log_probability
        longest = max(len(each.tokens) for each in (reference, found, wide))
        is_right = comparable(found.text) == comparable(reference.text)
        forced, written, widest = (each.score for each in texts)
        rounding = score(ROUNDING, longest)
        by_score = SearchDiagnosis(forced, written, widest, is_right, rounding)
        forced, written, widest = (each.log_prob for each in texts)
        by_log_prob = SearchDiagnosis(forced, written, widest, is_right)
        return Forced(
            self.strategy,
            unit,
            is_maximized,
            score_unit(config),
            reference,
            found.hypotheses[0],
            why_not,
            texts[: 2 if why_not else 3],
            None if why_not else by_score,
            None if why_not else by_log_prob,
        )

    def _wide(self, config: GenerationConfig) -> Translate:
        given = packed({**dict(WIDE_BEAM), **wide_settings(config)})
        return Translate(self.run, self.text, "beam", given)

    def table(self, answer: Forced) -> Table:
        ours, own = answer.reference, answer.own
        rows = []
        for at in range(max(len(ours.ids), len(own.ids))):
            differs = (
                "≠" if answer.first_difference is not None and at >= answer.first_difference else ""
            )
            rows.append([at + 1, *_forced_cells(ours, at), *_own_cells(own, at), differs])
        return Table(COLUMNS, rows, shares=("probability",))

    def finding(self, answer: Forced) -> str:
        besides = [each.said(answer) for each in BESIDES]
        return " ".join(filter(None, [first(VERDICTS, answer), *besides]))


def judged(
    strategy: str, config: GenerationConfig, reference: Reference, found: Decoded, wide: Decoded
) -> tuple[JudgedText, ...]:
    """The reference, what was written and the wide beam's text, each with its score and chrF."""
    score = maximized_score(config) or _log_probability
    targets: dict[str, Reference | Decoded] = {
        "reference": reference,
        f"written ({strategy})": found,
        f"beam of {WIDE}": wide,
    }
    return tuple(
        JudgedText(
            whose,
            each.text,
            each.log_prob,
            score(each.log_prob, len(each.tokens)),
            METRICS["chrf"].compute([each.text], [reference.text]).value,
        )
        for whose, each in targets.items()
    )


def _log_probability(log_prob: float, length: int) -> float:
    return log_prob


def forbidding(run: Run, text: str, config: GenerationConfig, reference: Reference) -> str:
    """The setting under which the reference cannot be written; empty where it can."""
    special = run.recipe.model.ids
    return forbidding_setting(
        config,
        reference.ids,
        run.tgt_tokenizer,
        source=special.source(run.src_tokenizer.encode(text)),
        start_id=special.start,
        first=() if special.forced_first is None else (special.forced_first,),
    )


def why_no_verdict(config: GenerationConfig, forbidden_by: str, is_ended: bool) -> str:
    """Why neither search nor model can be blamed; empty if one of them can."""
    if getattr(config, "force_words", ""):
        return "Forced words decide here what is written: neither the search nor the model is to blame."
    if forbidden_by:
        return f"{forbidden_by} does not allow this reference: neither the search nor the model is to blame."
    if not is_ended:
        return "The output was truncated before </s>, so it cannot be judged; raise Maximum new tokens."
    return ""


def wide_settings(config: GenerationConfig) -> dict[str, Any]:
    """The settings that limit a search, and its length penalty, for a wide beam under the same limits."""
    limits = [name for name in keys(GenerationConfig) if name not in NO_LIMITS]
    penalty = []
    if isinstance(config, BeamConfig) and maximized_score(config):
        penalty = ["length_penalty", "length_formula"]
    shared = {name: getattr(config, name) for name in (*limits, *penalty)}
    # a repetition penalty makes a score of its own, whatever the model starts with
    return {**shared, "repetition_penalty": 1.0}


def _forced_cells(reference: Reference, at: int) -> list[object]:
    if at >= len(reference.ids):
        return ["", None, None, None, ""]
    log_prob = reference.log_probs[at]
    loss, probability = -log_prob, math.exp(log_prob)
    return [reference.tokens[at], loss, probability, reference.ranks[at], reference.predicted[at]]


def _own_cells(own: DecodedHypothesis, at: int) -> list[object]:
    return ["", None] if at >= len(own.ids) else [own.tokens[at], -own.token_log_probs[at]]


def texts_table(answer: Forced) -> Table:
    """A table of the reference, what was written and a wide beam's text."""
    has_score = answer.unit != NATS
    rows = [
        [
            each.whose,
            each.text or "(nothing)",
            *([each.score] if has_score else []),
            each.log_prob,
            each.chrf,
        ]
        for each in answer.texts
    ]
    score = [f"score ({answer.unit})"] if has_score else []
    return Table(("whose", "text", *score, "log-probability (nats)", "chrF"), rows)
