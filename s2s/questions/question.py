"""A question about models and data as one typed value, and what follows from its declaration."""

from __future__ import annotations

import dataclasses
import re
import shlex
from collections.abc import Callable, Hashable, Mapping
from dataclasses import Field, dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

from s2s.config import UserError, choose, shortened
from s2s.files import as_text
from s2s.questions.table import Table

if TYPE_CHECKING:
    from s2s.questions.have import Have
    from s2s.runs.decoder import DecodeRequest

Answer = TypeVar("Answer")
Check = Callable[[Any], bool]
Choices = Mapping[str, str] | Callable[[], Mapping[str, str]]
SUBJECT, SETTING, VIEW = "subject", "setting", "view"
RUN = "run"  # what a subject is that names a run: `demo-en-fr`, `demo-en-fr@400`, `opus@0:en>fr`
NO_RUN = "-"  # on the command line
TYPES = MappingProxyType(
    {str: "a text", int: "a whole number", bool: "True or False", tuple: "a tuple"}
)
BOOLS = MappingProxyType({"1": True, "true": True, "0": False, "false": False})
PAGE = "page"  # the scope of what outlives a change of run and sentence


def options(choices: Choices) -> Mapping[str, str]:
    """The slugs of choices with their labels."""
    return choices() if callable(choices) else choices


def subject(of: str, default: Any = "", *, in_set: bool = False, **said: Any) -> Any:
    """A field for what is asked about: `of` is RUN, or what else it names, such as a sentence; part of the key."""
    return _declared(SUBJECT, default, of=of, in_set=in_set, **said)


def setting(default: Any, check: Check | None = None, **said: Any) -> Any:
    """A field that changes the answer, and is part of the key."""
    return _declared(SETTING, default, check=check, **said)


def view(default: Any, check: Check | None = None, **said: Any) -> Any:
    """A field that changes the picture only: another value never asks again."""
    return _declared(VIEW, default, check=check, **said)


def _declared(
    kind: str,
    default: Any,
    *,
    of: str = "",
    choices: Choices | None = None,
    check: Check | None = None,
    label: str = "",
    help: str = "",
    scope: str = PAGE,
    link: str = "",
    in_set: bool = True,
    is_alone: bool = False,
    is_part: bool = False,
    is_optional: bool = False,
) -> Any:
    metadata = {
        "kind": kind,
        "of": of,
        "choices": choices,
        "check": check or (lambda value: not choices or value in options(choices)),
        "label": label,
        "help": help,
        "scope": scope,
        "link": link,
        "in_set": in_set,
        "is_alone": is_alone,
        "is_part": is_part,
        "is_optional": is_optional,
    }
    return dataclasses.field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Question(Generic[Answer]):
    """One view, as a value: everything that a link, a program or a command line says of it.

        @dataclass(frozen=True)
        class SameWord(Question[TwoOccurrences]):
            run: str = subject(RUN)
            text: str = subject("sentence", link="src")
            strategy: str = setting("beam", choices=STRATEGIES)
            scale: str = view("all", choices=SCALES)

            def ask(self, have: Have) -> TwoOccurrences: ...

        s2s.ask(SameWord("demo-en-fr", "the bank is by the river"))

    Fields are text, whole numbers, truth values, or tuples of these, and all have defaults, so that a page's state is a
    question whose subjects are filled in. `ask` knows no screen, file or database: `have` opens what the asker may
    open, gives the answers to other questions, and is told of progress. It returns the answer, a frozen dataclass of
    arrays, numbers and texts, because searches tell their progress from within (`Have.steps`), where a generator
    cannot yield. Its key is every subject and setting with `stamp`: a name does not say which checkpoint is the best
    now, nor what the asker may see. Table and finding are the question's own, so that a program without Plotly has
    them; `s2s.questions.views` joins it with what Plotly draws.
    """

    name: ClassVar[str] = (
        ""  # on the command line, by default the class's: `SameWord` -> `same-word`
    )

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        if "name" not in vars(cls):
            cls.name = re.sub("(?<!^)(?=[A-Z])", "-", cls.__name__).lower()

    def ask(self, have: Have) -> Answer:
        """The answer. Raises UserError for what cannot be answered."""
        raise NotImplementedError

    def table(self, answer: Answer) -> Table:
        """The numbers of the answer that these fields show."""
        raise NotImplementedError

    def finding(self, answer: Answer) -> str:
        """In words, what the answer shows; empty where it shows nothing that is worth a sentence."""
        return ""

    def json(self, answer: Answer) -> str:
        """The question with its answer, on one line."""
        return as_text({"question": self.name, "asked": self, "answer": answer})

    def stamp(self, have: Have) -> Hashable:
        """What the answer depends on beside the fields: the checkpoints that the names of runs mean now."""
        return tuple(have.state(name) for name in self.of(RUN))

    def beside(self, have: Have) -> DecodeRequest | None:
        """The request for another process where the answer takes long here; None: this is never asked elsewhere."""
        return None

    @classmethod
    def declared(cls) -> tuple[Field[Any], ...]:
        """The fields of this question, in order."""
        return dataclasses.fields(cls)

    def of(self, what: str) -> tuple[str, ...]:
        """The names of the fields whose subject is `what`: a run, a sentence and so on."""
        found = [getattr(self, row.name) for row in self.declared() if row.metadata["of"] == what]
        return tuple(
            each for one in found for each in (one if isinstance(one, tuple) else (one,)) if each
        )

    @property
    def asked(self) -> Question[Answer]:
        """This question with every `view` field at its default: equal ones have equal answers."""
        shown = {row.name: row.default for row in self.declared() if row.metadata["kind"] == VIEW}
        return dataclasses.replace(self, **shown)

    @property
    def changed(self) -> dict[str, Any]:
        """The fields that are not at their defaults, in order."""
        values = ((row, getattr(self, row.name)) for row in self.declared())
        return {row.name: value for row, value in values if value != row.default}

    def check(self) -> None:
        """Check the fields. Raises UserError for a value that its field does not take."""
        for row in self.declared():
            value = getattr(self, row.name)
            if type(value) is not type(row.default):
                kind = TYPES[type(row.default)]
                raise UserError(f"`{row.name}` is {shortened(repr(value))}; give {kind}.")
            if row.metadata["choices"]:
                choose(row.name, str(value), options(row.metadata["choices"]))
            elif not row.metadata["check"](value):
                raise UserError(
                    f"`{row.name}` is {shortened(repr(value))}, which {self.name} does not take;"
                    f" {row.metadata['help'] or f'by default it is {row.default!r}.'}"
                )

    @property
    def python(self) -> str:
        """The complete Python program that asks this question."""
        given = ", ".join(f"{name}={value!r}" for name, value in self.changed.items())
        kind = type(self)
        imported = f"import s2s\nfrom {kind.__module__} import {kind.__name__}"
        return f"{imported}\n\ns2s.ask({kind.__name__}({given}))"

    @property
    def command(self) -> str:
        """The shell command that asks this question, and prints the answer as JSON."""
        words = ["python", "-m", "s2s", "ask", ",".join(self.of(RUN)) or NO_RUN, self.name]
        for name, value in self.changed.items():
            if name not in self._runs():
                words += ["--set", f"{name}={written(value)}"]
        return shlex.join([*words, "--json"])

    @classmethod
    def settable(cls) -> dict[str, Field[Any]]:
        """The fields that `--set` sets, by name: all but the runs."""
        return {row.name: row for row in cls.declared() if row.name not in cls._runs()}

    @classmethod
    def _runs(cls) -> list[str]:
        return [row.name for row in cls.declared() if row.metadata["of"] == RUN]

    @classmethod
    def read(cls, runs: str, given: Mapping[str, str]) -> Self:
        """The question from a command line: names of runs with commas between, and the fields' values as text.

        Raises UserError for a field or a value that it does not have.
        """
        rows = cls.settable()
        values: dict[str, Any] = {
            name: _value(name, text, choose("setting", name, rows)) for name, text in given.items()
        }
        named = [] if runs == NO_RUN else runs.split(",")
        if named and not cls._runs():
            raise UserError(f"`{cls.name}` is asked of no run; give `{NO_RUN}` in its place.")
        if len(named) > 1 and not isinstance(getattr(cls, cls._runs()[0]), tuple):
            raise UserError(f"`{cls.name}` is asked of one run, and {len(named)} are given.")
        for name in cls._runs():
            values[name] = tuple(named) if isinstance(getattr(cls, name), tuple) else "".join(named)
        return cls(**values)


@dataclass(frozen=True)
class AboutText(Question[Answer]):
    """A question about one sentence that a run reads."""

    run: str = subject(RUN)
    text: str = subject("sentence", link="src")


@dataclass(frozen=True)
class AboutTarget(AboutText[Answer]):
    """A question about one sentence with a target; without one, mostly the model's own translation."""

    target: str = subject("target", link="tgt")


def written(value: Any) -> str:
    """A field's value as links and command lines have it."""
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return str(int(value)) if isinstance(value, bool) else str(value)


def _value(name: str, text: str, row: Field[Any]) -> Any:
    default: Any = row.default
    kind = type(default)
    if kind is tuple:
        is_numbers = "int" in str(row.type)
        return tuple(_whole(name, part) if is_numbers else part for part in text.split())
    if kind is bool:
        if (said := BOOLS.get(text.lower())) is None:
            raise UserError(f"`{name}` is `{shortened(text)}`; give true or false.")
        return said
    return _whole(name, text) if kind is int else text


def _whole(name: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise UserError(f"`{name}` is `{shortened(text)}`; give a whole number.") from None
