"""One sentence decoded in several ways: what each writes, and which is the most probable."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from s2s import scores
from s2s.config import UserError, choose, flat, keys, shortened, values_of_texts
from s2s.decode import STRATEGIES, BeamConfig, GenerationConfig, configure, maximized_score
from s2s.links.share import Column
from s2s.questions.compared import Compared, ComparedRow
from s2s.questions.have import Have, Outcome
from s2s.questions.question import RUN, AboutTarget, Question, setting, subject, view
from s2s.questions.table import Table
from s2s.questions.translate import Translate, packed
from s2s.runs import Decoded, Reference, Run, teacher_forcing

MOST_ROWS = 6
REFERENCE, NOTHING = (
    "reference",
    "nothing",
)  # what differences are marked against, beside a row's number
REFERENCE_METRICS = ("chrf", "bleu")
UNRULED = frozenset(
    {"max_new_tokens", "num_return_sequences", "seed", "precision"}
)  # these forbid no text
DIVERSITY = ("distinct_1", "distinct_2")


@dataclass(frozen=True)
class ForcedOutput(AboutTarget[Reference]):
    """The log-probabilities of an output under teacher forcing, such as one that another model wrote."""

    def ask(self, have: Have) -> Reference:
        """Score the output. Raises UserError for one that is longer than the model's positions."""
        return teacher_forcing.reference(have.run(self.run), self.text, self.target)

    def table(self, answer: Reference) -> Table:
        rows = [*zip(answer.tokens, answer.log_probs, answer.ranks, strict=True)]
        return Table(("token", "log-probability", "rank"), rows)


@dataclass(frozen=True)
class Compare(Question[Compared]):
    """A row per way of decoding a sentence: `greedy`, `sample!top_p:0.9,seed:2`, as links write strategy and settings.
    `runs` are as many as the rows, or one for all.

    A page keeps the parts of the answer alone: each row's is a `Translate`.
    """

    runs: tuple[str, ...] = subject(RUN, ())
    text: str = subject("sentence", link="src")
    rows: tuple[str, ...] = setting(("greedy", "beam"), in_set=False)
    reference: str = setting("", in_set=False, link="tgt")
    against: str = view("", label="Mark differences against")

    def check(self) -> None:
        """Check the fields. Raises UserError also for rows that are none, and for runs that belong to no row."""
        super().check()
        if not 1 <= len(self.rows) <= MOST_ROWS:
            raise UserError(f"`rows` has {len(self.rows)}; give 1 to {MOST_ROWS}.")
        if len(self.runs) not in (0, 1, len(self.rows)):
            raise UserError(
                f"`runs` has {len(self.runs)}, and there are {len(self.rows)} rows; give one run, or one per row."
            )
        numbers = [str(number + 1) for number in range(len(self.rows))]
        if self.against not in ("", REFERENCE, NOTHING, *numbers):
            raise UserError(
                f"`against` is {shortened(self.against)}; give {REFERENCE}, {NOTHING}, or a row's number."
            )

    @property
    def translations(self) -> list[Translate]:
        """The question that each row asks. Raises UserError for a strategy that there is not."""
        runs = self.runs if len(self.runs) > 1 else (self.runs or ("",)) * len(self.rows)
        return [_translation(run, self.text, row) for run, row in zip(runs, self.rows, strict=True)]

    def ask(self, have: Have) -> Compared:
        """Decode every row and compare. Raises UserError where no row can be decoded."""
        outcomes = have.outcomes(self.translations)
        problems = [one.problem for one in outcomes if one.problem]
        if len(problems) == len(outcomes):
            raise problems[0]
        return self.joined(have, outcomes)

    def joined(self, have: Have, outcomes: Sequence[Outcome]) -> Compared:
        """The comparison of the rows, from the outcomes of their translations that are known so far."""
        asked = self.translations
        runs = [_opened(have, one.run) for one in asked]
        rows = []
        for one, run, outcome in zip(asked, runs, outcomes, strict=True):
            row = ComparedRow(one.run, one.strategy, one.settings)
            if isinstance(outcome.problem, UserError):
                row = replace(row, problem=str(outcome.problem))
            rows.append(_measured(row, run, outcome.value, self.reference) if run else row)
        names = {run.key: row.run for row, run in zip(rows, runs, strict=True) if run}
        models = tuple(names.values()) if len(names) > 1 else ()
        forced = tuple(tuple(_forced(have, row, name) for name in models) for row in rows)
        if models:
            rows = [
                _under_first(row, rows[0], under[0])
                for row, under in zip(rows, forced, strict=True)
            ]
        else:
            rows = [_ranked(row, run, rows) for row, run in zip(rows, runs, strict=True)]
        return Compared(self.text, self.reference, tuple(rows), models, forced)

    def table(self, answer: Compared) -> Table:
        measured = [*REFERENCE_METRICS] if self.reference else []
        columns = (
            "row", "run", "decoded by", "settings", "translation", "times as probable as row 1",
            "probability per token", "tokens", "log-probability", "score",
            *(scores.METRIC_NAMES[name].label for name in (*measured, *DIVERSITY)),
        )  # fmt: skip
        rows = [
            [
                number,
                row.run,
                row.strategy,
                row.changed,
                row.text,
                row.times,
                math.exp(row.per_token),
            ]
            + _counts(row)
            + [getattr(row, name) for name in measured]
            + [_diversity(name, row.text) for name in DIVERSITY]
            for number, row in enumerate(answer.rows, 1)
        ]
        return Table(columns, rows, shares=("probability per token",))

    def finding(self, answer: Compared) -> str:
        return answer.finding


def _translation(run: str, text: str, row: str) -> Translate:
    column = Column.read(f"!{row}")
    choose("strategy", column.strategy, STRATEGIES)
    values = values_of_texts(type(configure(column.strategy, {})[1]), column.settings)
    return Translate(run, text, column.strategy, packed(values))


def _opened(have: Have, name: str) -> Run | None:
    try:
        return have.run(name)
    except UserError:
        return None


def _measured(row: ComparedRow, run: Run, found: Decoded | None, reference: str) -> ComparedRow:
    if found is None or not found.hypotheses:
        return replace(row, found=found)
    best = found.hypotheses[0]
    per_token = best.log_prob / run.recipe.model.ids.n_predicted(best.ids)
    row = replace(row, found=found, per_token=per_token)
    if not reference:
        return row
    counted = scores.statistics([best.text], [reference], names=REFERENCE_METRICS)
    (measured,) = scores.sentence_scores_of(counted)
    return replace(row, chrf=measured["chrf"], bleu=measured["bleu"])


def _forced(have: Have, row: ComparedRow, model: str) -> Reference | None:
    if row.found is None:
        return None
    found: Reference | None = have.outcome(ForcedOutput(model, row.found.source, row.text)).value
    return found


def _under_first(row: ComparedRow, head: ComparedRow, forced: Reference | None) -> ComparedRow:
    if not (head.best and head.is_ended and row.is_ended and forced):
        return row
    own = head.best.log_prob if row.text == head.text else forced.log_prob
    return replace(row, times=_ratio(own, head.best.log_prob))


def _ranked(row: ComparedRow, run: Run | None, rows: Sequence[ComparedRow]) -> ComparedRow:
    if not (run and row.best and row.is_ended):
        return row
    best = max(
        (one.best for one in rows if one.best and one.is_ended), key=lambda one: one.log_prob
    )
    config = run.configured(row.strategy, row.values)[1]
    score = maximized_score(config) if _may_write(config, len(best.ids)) else None
    head = rows[0]
    is_known = head.best is not None and head.is_ended
    return replace(
        row,
        times=_ratio(row.best.log_prob, head.best.log_prob) if head.best and is_known else math.nan,
        of_best=score(best.log_prob, len(best.ids)) if score else math.nan,
        length_penalty=config.length_penalty if isinstance(config, BeamConfig) else math.nan,
    )


def _may_write(config: GenerationConfig, length: int) -> bool:
    values, usual = flat(config), flat(type(config)())
    rules = {*keys(GenerationConfig), "force_words"} & {*values} - UNRULED
    is_short = length <= (config.max_new_tokens or length)
    return is_short and all(values[name] == usual[name] for name in rules)


def _ratio(log_prob: float, other: float) -> float:
    return math.exp(min(log_prob - other, 700.0))


def _counts(row: ComparedRow) -> list[float]:
    best = row.best
    return [len(best.tokens), best.log_prob, best.score] if best else [math.nan] * 3


def _diversity(name: str, text: str) -> float:
    return scores.MEASURES[name].compute([text], [text]).value if text else math.nan
