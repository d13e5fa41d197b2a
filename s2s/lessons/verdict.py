"""What a question is answered from, and what is said of an answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from s2s.config import UserError
from s2s.links import share

if TYPE_CHECKING:
    from s2s.runs import Run

Level = Literal["right", "nearly", "wrong"]
NOTHING: Mapping[str, str] = MappingProxyType({})


def saved_run(run_id: str, step: int | None) -> Run:
    """A run at its best checkpoint, or at the given step. Asks whether the visitor may see it."""
    from s2s.library.checkpoints import load

    return load(run_id, step)


@dataclass(frozen=True)
class Verdict:
    """What is said of an answer: right, nearly or wrong, and a sentence that says why."""

    level: Level
    sentence: str


@dataclass(frozen=True)
class Context:
    """What is on the screen: a page by its address, a run's id, and the view's values as links carry them.

    `start` has the values with which the step opened. `opener` opens runs; the dashboard's keeps them open.
    """

    run: str
    page: str = ""
    values: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    start: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    opener: Callable[[str, int | None], Run] = field(default=saved_run, compare=False)

    @property
    def source(self) -> str:
        """The text in the source box of the view."""
        return self.values.get("src", "").strip()

    @property
    def sentence(self) -> str:
        """The source sentence. Raises UserError where the box is empty."""
        if not self.source:
            raise UserError(
                "There is no sentence in the box; type one, or open the step's view again."
            )
        return self.source

    @property
    def settings(self) -> dict[str, str]:
        """The settings in the view's `set`: the page's own fields, by their names in links."""
        return share.unpack(self.values.get("set", ""))

    @property
    def checkpoint(self) -> int | None:
        """The step of the checkpoint in the view; None for the best."""
        step = self.values.get("step", "")
        return int(step) if step.isdecimal() and len(step) < 10 else None

    def at_start(self) -> Context:
        """This context with the step's own view, whatever was changed since: for questions about its own sentence."""
        return replace(self, values=self.start)

    def opened(self) -> Run:
        """The run at its checkpoint, in the view's languages. Raises UserError where it cannot be opened so."""
        run = self.opener(self.run, self.checkpoint)
        src, tgt = (self.settings.get(side, "") for side in ("src_lang", "tgt_lang"))
        return run.in_languages(src, tgt) if src or tgt else run


@dataclass(frozen=True)
class Heads:
    """The answer to a question for heads: those right and those nearly right, (layer, head), from 1."""

    right: frozenset[tuple[int, int]]
    nearly: frozenset[tuple[int, int]] = frozenset()
    why: str = ""  # several are right, or nearly: a sentence
    measured: Mapping[tuple[int, int], str] = field(default_factory=dict)  # `an AER of 0.41`


@dataclass(frozen=True)
class Answer:
    """One row of ANSWERS: computes a number, the index of an option, or heads from the view, and says how."""

    compute: Callable[[Context], float | int | Heads]
    description: str


@dataclass(frozen=True)
class Condition:
    """A row of CONDITIONS or RUN_CONDITIONS: judges whether the view or the visitor's runs fit, and why not."""

    judge: Callable[[Context], Verdict]
    description: str
