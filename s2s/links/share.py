"""A view as a link: flat strings in the address, and back. Knows nothing of screens, models or files."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlencode, urlsplit

VERSION = "1"
COLUMNS = tuple(f"c{column}" for column in range(1, 7))
LESSON = "lesson"  # `ID.3`: the lesson and its step beside which the view is shown
CLASS = "class"  # beside `lesson`: whose teacher may see how far a reader is, if they agree
BESIDE = (LESSON, CLASS)  # a view, and no part of it
KEYS = ("run", "step", "src", "tgt", "layer", "head", "kind", "reduce", "set", *COLUMNS, *BESIDE)
MAX_LENGTH = 1500  # characters of one value; proxies truncate longer links
CHECKPOINT = re.compile(r"(?P<run>[\w-]{1,64})@(?P<step>\d{1,12}|best|last)")
# bidirectional controls: they change the direction of the text around them
BIDI_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True)
class SharedView:
    """The view that an address describes, and a sentence for each problem with it."""

    view: Mapping[str, str]
    problems: tuple[str, ...] = ()


def link(base: str, view: Mapping[str, str]) -> str:
    """The full address of a view, every value written out.

    >>> link("https://example.org/", {"run": "demo-en-fr", "src": "the cat"})
    'https://example.org/?v=1&run=demo-en-fr&src=the+cat'
    """
    unknown = [key for key in view if key not in KEYS]
    if unknown:
        raise ValueError(f"no view has the key `{unknown[0]}`; there are {', '.join(KEYS)}")
    values = [(key, view[key]) for key in KEYS if key in view]
    address = urlsplit(base)
    query = urlencode([("v", VERSION), *values])
    return address._replace(path=address.path or "/", query=query, fragment="").geturl()


def names_view(params: Iterable[str]) -> bool:
    """Whether an address with these parameters says anything of a view; others, such as `utm_source`, are foreign."""
    return any(key in KEYS and key != "run" for key in params)


def read(params: Mapping[str, str | Iterable[str]]) -> SharedView:
    """The view of any address: known keys, their last values, printable and of a sensible length."""
    view: dict[str, str] = {}
    problems: list[str] = []
    for key in KEYS:
        if key not in params:
            continue
        given = _last(params[key])
        clean = printable(given)[:MAX_LENGTH]
        if clean != given:
            problems.append(
                f"The link's `{key}` contained characters that cannot be shown, or was too long; it was cleaned."
            )
        view[key] = clean
    if named := CHECKPOINT.fullmatch(view.get("run", "")):  # as the command line has it
        view["run"] = named["run"]
        view.setdefault("step", named["step"])
    version = _last(params.get("v", VERSION))
    if version != VERSION:
        problems.append(
            "This link was written by another version of this program; parts of it may be missing here."
        )
    return SharedView(view, tuple(problems))


def pack(settings: Mapping[str, str]) -> str:
    """Several settings as one value, in their order.

    >>> pack({"num_beams": "5", "source": "pairs.csv#src=a,tgt=b"})
    'num_beams:5,source:pairs.csv#src=a%2Ctgt=b'
    """
    return ",".join(f"{key}:{_escaped(value)}" for key, value in settings.items())


def unpack(packed: str) -> dict[str, str]:
    """The settings that `pack` made one value of; parts without a colon are ignored."""
    parts = (part.partition(":") for part in packed.split(","))
    return {key.strip(): unquote(value) for key, colon, value in parts if colon and key.strip()}


@dataclass(frozen=True)
class Column:
    """One column of Compare: a run, a checkpoint (empty: the run's best), a strategy and its settings."""

    run: str
    step: str = ""
    strategy: str = "beam"
    settings: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        at = f"@{self.step}" if self.step else ""
        return f"{self.run}{at}!{self.strategy}!{pack(self.settings)}"

    @classmethod
    def read(cls, written: str) -> Column:
        """The column that `str` has written; what is missing takes its default."""
        checkpoint, _, rest = written.partition("!")
        strategy, _, settings = rest.partition("!")
        run, _, step = checkpoint.partition("@")
        return cls(run.strip(), step.strip(), strategy.strip() or "beam", unpack(settings))


def greedy_and_beam(run: str) -> dict[str, str]:
    """The parameters of a link to Compare that shows greedy and beam search side by side."""
    return {"c1": str(Column(run, strategy="greedy")), "c2": str(Column(run, strategy="beam"))}


def _escaped(value: str) -> str:
    return value.replace("%", "%25").replace(",", "%2C")


def printable(text: str) -> str:
    """`text` on one line, without control characters, lone surrogates and bidirectional controls."""
    if text.isprintable():  # nearly always, and much sooner
        return text
    return "".join(filter(_is_printable, " ".join(text.splitlines())))


def _is_printable(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cs") and character not in BIDI_CONTROLS


def _last(value: str | Iterable[str]) -> str:
    return value if isinstance(value, str) else ([*value] or [""])[-1]
