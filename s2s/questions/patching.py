"""Which states and heads carry the difference between two sources: each of the first replaces one of the second."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from s2s.analysis import Floats, heads
from s2s.config import UserError, shortened
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have
from s2s.questions.pool import differing
from s2s.questions.probed import ForcedIds, Probed, TargetIds, written
from s2s.questions.question import AboutTarget, AboutText, setting, subject
from s2s.questions.table import Table
from s2s.runs import probes

CANDIDATES = 5  # most probable tokens of each run that are offered
SMALL = 0.1  # of an effect: no single patch carries the difference
PATCH_LABELS = MappingProxyType({slug: row.label for slug, row in heads.PATCHES.items()})
ALIKE = (
    "After every prefix of this target, both sources make the model prefer the same token, so there is nothing to"
    " measure; change source B or the target."
)
SAME = "Both tokens are the same, so their difference is always 0; choose two."
NO_SECOND = "Type source B: the same sentence with another word, and as many tokens."


@dataclass(frozen=True)
class TwoSources:
    """Two sources with a forced target: where the model first disagrees, and its most probable tokens at a position."""

    forced: ForcedIds
    second: str
    src_tokens: tuple[str, ...]  # `a`, or `a | b` where the sources differ
    position: int  # from 0
    candidates: tuple[tuple[int, str], ...]  # ids and names of the most probable tokens of both
    token_a: int  # the most probable one with the first source
    token_b: int

    @property
    def first(self) -> str:
        return self.forced.text


@dataclass(frozen=True)
class OfTwoSources(AboutTarget[TwoSources]):
    """A question: where two sources make the model prefer different tokens of the same target."""

    name: ClassVar[str] = "two-sources"

    second: str = subject("sentence")
    at: str = setting("")

    def ask(self, have: Have) -> TwoSources:
        """Compare the sources. Raises UserError for sources that cannot be compared, or do not disagree."""
        run = have.run(self.run)
        second = self.second or differing(run, self.text)
        if not second:
            raise UserError(NO_SECOND)
        found = have.answer(TargetIds(self.run, self.text, self.target))
        probes.check_sources(run, self.text, second)
        rows = [run.next_tokens(text, found.ids[:-1]) for text in (self.text, second)]
        start = probes.first_disagreement(*rows)
        if start is None and not self.at:
            raise UserError(ALIKE)
        position = _position(self.at, len(found.ids)) if self.at else start or 0
        best = [row[position].topk(CANDIDATES).indices.tolist() for row in rows]
        ids = [*dict.fromkeys((*best[0], *best[1]))]
        names = zip(ids, run.tgt_tokenizer.tokens(ids), strict=True)
        others = run.src_tokenizer.tokens(probes.source_ids(run, second))
        pairs = zip(found.src_tokens, others, strict=True)
        merged = tuple(a if a == b else f"{a} | {b}" for a, b in pairs)
        return TwoSources(found, second, merged, position, tuple(names), best[0][0], best[1][0])

    def table(self, answer: TwoSources) -> Table:
        return Table(("id", "token"), [*map(list, answer.candidates)])


def _position(at: str, n: int) -> int:
    if not at.isdecimal() or not 1 <= int(at) <= n:
        raise UserError(f"`at` is {shortened(at)}; the target has the positions 1 to {n}.")
    return int(at) - 1


@dataclass(frozen=True)
class Patched:
    """Effects of the patches by layer and column on the difference of two tokens' logits."""

    sources: TwoSources
    token_a: str
    token_b: str
    result: heads.PatchingResult
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    axis: str  # of the columns

    @property
    def effects(self) -> Floats:
        return self.result.effects

    @property
    def largest(self) -> tuple[int, int]:
        row, column = divmod(int(np.abs(self.effects).argmax()), self.effects.shape[1])
        return row, column

    @property
    def cell(self) -> str:
        row, column = self.largest
        name = self.columns[column]
        return f"{self.rows[row]}, {name if self.axis == 'head' else f'“{name}”'}"

    @property
    def effect(self) -> str:
        return f"{self.effects[self.largest]:.2f}".replace("-", "−")

    @property
    def is_small(self) -> bool:
        return abs(float(self.effects[self.largest])) < SMALL

    @property
    def prefix(self) -> str:
        found = self.sources.forced
        return " ".join((found.start, *found.tgt_tokens[: self.sources.position]))


FINDINGS = (
    Finding(
        lambda found: not found.result.is_measurable,
        "The two runs hardly differ in “{token_a}” against “{token_b}”, too little to be divided by: choose other"
        " tokens or another position.",
    ),
    Finding(
        lambda found: found.is_small,
        "No single patch carries the difference between “{token_a}” and “{token_b}”: the largest effect is {effect}"
        " ({cell}).",
    ),
    Finding(
        lambda found: True,
        "The difference between “{token_a}” and “{token_b}” is carried most by {cell}: effect {effect}, where 0 is as"
        " the run on B and 1 as the run on A.",
    ),
)


@dataclass(frozen=True)
class Patching(AboutText[Patched]):
    """The run on `text` (A) lends one state or head at a time to the run on `second` (B), while a target is forced; the
    difference of two tokens' logits at a position says whether the answer follows. Tokens are ids; empty, the most
    probable one of each run. The position `at` counts from 1; empty, the first one at which the runs disagree.
    """

    target: str = subject("target", link="tgt", help="Empty: the model's own translation.")
    second: str = subject(
        "sentence",
        in_set=True,
        scope="run",
        label="Source B, compared with the sentence above, source A",
        help="Source A with another word. Empty: a sentence that differs in few words.",
    )
    patch: str = setting("encoder", choices=PATCH_LABELS, label="Patched")
    at: str = setting("", scope="contrast", label="Target position")
    token_a: str = setting("", scope="position", label="Token of A")
    token_b: str = setting("", scope="position", label="Token of B")

    @property
    def sources(self) -> OfTwoSources:
        return OfTwoSources(self.run, self.text, self.target, self.second, self.at)

    def probe(self, have: Have) -> Probed:
        found = have.answer(self.sources)
        ids = {
            name: _token(name, getattr(self, name), getattr(found, name))
            for name in ("token_a", "token_b")
        }
        if len({*ids.values()}) == 1:
            raise UserError(SAME)
        prefix = found.forced.ids[: found.position]
        return Probed(
            self.run, (self.text, found.second), "patching", prefix, self.patch, written(ids)
        )

    def ask(self, have: Have) -> Patched:
        """Patch everything. Raises UserError for sources that cannot be compared, and for one token twice."""
        run = have.run(self.run)
        found = have.answer(self.sources)
        asked = self.probe(have)
        result: heads.PatchingResult = have.answer(asked)
        tokens = run.tgt_tokenizer.tokens([*asked.given.settings.values()])
        n_rows, n_columns = result.patched.shape
        rows: list[str] = [f"layer {layer}" for layer in range(1, n_rows + 1)]
        columns: list[str] = [f"head {head}" for head in range(1, n_columns + 1)]
        axis = "head"
        if heads.PATCHES[self.patch].is_state:
            rows = ["embeddings", *rows[:-1]]
            forced = found.forced
            is_decoder = self.patch == "decoder"
            axis = "prefix position" if is_decoder else "source position"
            columns = (
                [forced.start, *forced.tgt_tokens[: n_columns - 1]]
                if is_decoder
                else [*found.src_tokens]
            )
        return Patched(found, tokens[0], tokens[1], result, tuple(rows), tuple(columns), axis)

    def table(self, answer: Patched) -> Table:
        result = answer.result
        rows = [
            [
                answer.rows[row],
                answer.columns[column],
                float(answer.effects[row, column]),
                float(value),
                result.own_a,
                result.own_b,
            ]
            for (row, column), value in np.ndenumerate(result.patched)
        ]
        return Table(("layer", answer.axis, "effect", "difference", "own_a", "own_b"), rows)

    def finding(self, answer: Patched) -> str:
        return first(FINDINGS, answer)


def _token(name: str, given: str, best: int) -> int:
    if given and not given.isdecimal():
        raise UserError(
            f"`{name}` is {shortened(given)}; give the id of a token of the target's vocabulary."
        )
    return int(given) if given else best
