"""A view as a link: flat texts in the address, and back. Knows nothing of screens, models or files."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlencode, urlsplit, urlunsplit

VERSION = "1"
KEYS = (
    "run",
    "step",
    "src",
    "tgt",
    "layer",
    "head",
    "kind",
    "reduce",
    "set",
    *(f"c{column}" for column in range(1, 7)),
)
MAX_LENGTH = 1500  # characters of one value; longer links are cut by proxies


@dataclass(frozen=True)
class SharedView:
    """What an address says: the view, and a sentence for each thing in it that had to be left out."""

    view: Mapping[str, str]
    lost: tuple[str, ...] = ()


def link(base: str, view: Mapping[str, str]) -> str:
    """The full address of a view, every value written out.

    >>> link("https://example.org/", {"run": "demo-en-fr", "src": "the cat"})
    'https://example.org/?v=1&run=demo-en-fr&src=the+cat'
    """
    strange = [key for key in view if key not in KEYS]
    if strange:
        raise ValueError(f"no view has the key `{strange[0]}`; there are {', '.join(KEYS)}")
    values = [(key, view[key]) for key in KEYS if key in view]
    address = urlsplit(base)
    return urlunsplit(
        (
            address.scheme,
            address.netloc,
            address.path or "/",
            urlencode([("v", VERSION), *values]),
            "",
        )
    )


def read(params: Mapping[str, str | Iterable[str]]) -> SharedView:
    """The view of an address, whatever somebody wrote there: known keys, last value, printable, of a sensible length."""
    view: dict[str, str] = {}
    lost: list[str] = []
    for key in KEYS:
        if key not in params:
            continue
        given = _last(params[key])
        clean = printable(given)[:MAX_LENGTH]
        if clean != given:
            lost.append(
                f"The link's `{key}` held signs that cannot be shown, or was too long; it was cleaned."
            )
        view[key] = clean
    version = _last(params.get("v", VERSION))
    if version != VERSION:
        lost.append(
            "This link was written by another version of this program; some of it may be missing here."
        )
    return SharedView(view, tuple(lost))


def pack(settings: Mapping[str, str]) -> str:
    """Many small settings as one value, in their order.

    >>> pack({"num_beams": "5", "source": "pairs.csv#src=a,tgt=b"})
    'num_beams:5,source:pairs.csv#src=a%2Ctgt=b'
    """
    return ",".join(f"{key}:{_escaped(value)}" for key, value in settings.items())


def unpack(packed: str) -> dict[str, str]:
    """What `pack` made one value of; parts without a colon are passed over."""
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
        """`RUN@STEP!strategy!settings`."""
        at = f"@{self.step}" if self.step else ""
        return f"{self.run}{at}!{self.strategy}!{pack(self.settings)}"

    @classmethod
    def read(cls, written: str) -> Column:
        """The opposite of `str`; whatever is missing takes its default."""
        place, _, rest = written.partition("!")
        strategy, _, settings = rest.partition("!")
        run, _, step = place.partition("@")
        return cls(run.strip(), step.strip(), strategy.strip() or "beam", unpack(settings))


def _escaped(value: str) -> str:
    return value.replace("%", "%25").replace(",", "%2C")


def printable(text: str) -> str:
    """On one line, without control characters, lone surrogates and marks that turn the direction of writing."""
    return "".join(
        sign
        for sign in " ".join(text.splitlines())
        if unicodedata.category(sign) not in ("Cc", "Cs") and sign not in BIDI_CONTROLS
    )


BIDI_CONTROLS = frozenset(
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)  # what Unicode calls bidi controls


def _last(value: str | Iterable[str]) -> str:
    return value if isinstance(value, str) else ([*value] or [""])[-1]
