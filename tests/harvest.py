"""The numbers of a screen, and whether the names that the page's own code defines hold them."""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import functools
import html
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import torch
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from s2s.ui.runs import reproduce
from tests.screen import ROOT

SOURCE = "the cat who chased the mouse was black"
Numbers = npt.NDArray[np.float64]
COLUMNS = 64  # of a wide tensor, which pictures of the Walkthrough show
MANY = 20_000  # numbers of a table whose rows and columns nobody draws one by one
SMALLEST = 0.005
NUMBER = re.compile(r"[-−]?\d[\d,]*(?:\.\d+)?(?:e[-−+]?\d+)?")
FACTORS = {"%": 0.01, " k": 1e3, " M": 1e6, " G": 1e9, " T": 1e12}


class Shown(NamedTuple):
    """Numbers of one element in their order, and by how much each may differ from what was computed."""

    where: str
    numbers: Numbers
    tolerance: float | Numbers


def unfolded(path: str, **view: str) -> AppTest:
    """The page with its code open, which is written only then."""
    screen = AppTest.from_file(ROOT / "streamlit_app.py", default_timeout=30)
    screen._page_hash = calc_hash(path)
    screen.session_state[reproduce.KEY] = True
    for key, value in {"run": "demo-en-fr", "src": SOURCE, **view}.items():
        screen.query_params[key] = value
    return screen.run()


def code_of(screen: AppTest) -> tuple[str, str]:
    """The commands and the Python of the page's section; no command where none prints the numbers."""
    assert not screen.exception
    blocks = {each.language: str(each.value) for each in screen.code if each.language}
    return blocks.get("bash", ""), blocks["python"]


def executed(screen: AppTest) -> dict[str, Any]:
    """The names that the page's code defines."""
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(code_of(screen)[1], names)  # as somebody pastes it
    del names["__builtins__"]
    return names


def compared(
    screen: AppTest, names: Mapping[str, Any], texts: Sequence[str] = (), but: str = ""
) -> tuple[int, list[str]]:
    """How many numbers of the screen the names hold, and the elements with numbers that they do not.

    All of figures, tables and metrics count, and in other text the groups of the patterns `texts`; elements whose name
    has `but` in it are left out.
    """
    by_length: dict[int, list[Numbers]] = {}
    for value in names.values():
        for sequence in sequences(value):
            by_length.setdefault(len(sequence), []).append(sequence)
    known = {length: np.stack(every) for length, every in by_length.items()}
    found = 0
    lacking = []
    kinds = (figures, tables, strips, metrics)
    every = [shown for kind in kinds for shown in kind(screen)]
    for shown in (*every, *written(screen, texts)):
        if but and re.search(but, shown.where):
            continue
        if _is_among(shown, known) or _is_among(_trimmed(shown), known):
            found += len(shown.numbers)
        else:
            lacking.append(f"{shown.where}: {shown.numbers}")
    return found, lacking


def _trimmed(shown: Shown) -> Shown:
    """Without the zeros after counts, with which a picture makes two histograms equally long."""
    is_counts = len(shown.numbers) > 1 and _is_whole(shown.numbers)
    return shown._replace(numbers=np.trim_zeros(shown.numbers, "b")) if is_counts else shown


def _is_among(shown: Shown, by_length: Mapping[int, Numbers]) -> bool:
    """Whether one of the sequences is what is shown, also where the screen has shares in percent."""
    known = by_length.get(len(shown.numbers), np.empty((0, len(shown.numbers))))
    known = np.where(np.isinf(known), np.nan, known)  # a masked cell is drawn as none
    for computed in (known, 100 * known):
        is_same = np.isclose(computed, shown.numbers, 1e-6, shown.tolerance, equal_nan=True)
        if np.any(np.all(is_same, axis=1)):
            return True
    return False


def sequences(value: Any) -> Iterator[Numbers]:
    """Every number, row and column of a value; of a list of records, every field."""
    if isinstance(value, ModuleType | str | bytes | type) or callable(value) or value is None:
        return
    if isinstance(value, bool | int | float | np.number):
        yield np.array([float(value)])
    elif isinstance(value, np.ndarray | torch.Tensor):
        yield from _of_array(np.asarray(value))
    elif isinstance(value, pd.DataFrame):
        for name in value.columns:
            yield from sequences(value[name].tolist())
    elif fields := _fields(value):
        for each in fields.values():
            yield from sequences(each)
    elif isinstance(value, list | tuple):
        yield from _of_list(value)


def _of_array(array: npt.NDArray[Any]) -> Iterator[Numbers]:
    if array.dtype.kind not in "biuf" or not array.size:
        return
    yield array.astype(float).ravel()
    if array.ndim > 2:
        for row in array:
            yield from _of_array(row)
    elif array.ndim == 2 and array.size < MANY:
        yield array[:, :COLUMNS].astype(float).ravel()
        yield from array.astype(float)
        yield from array.T.astype(float)


def _of_list(value: Sequence[Any]) -> Iterator[Numbers]:
    if value and all(isinstance(each, bool | int | float | np.number | None) for each in value):
        yield np.array([np.nan if each is None else float(each) for each in value])
    records = [_fields(each) for each in value]
    if records and all(records):
        for name in dict.fromkeys(name for record in records for name in record):
            yield from _of_list([record.get(name) for record in records])
    if value and all(isinstance(each, tuple) and not _fields(each) for each in value):
        columns = zip(*value, strict=False)
        yield from (column for each in columns for column in _of_list(each))
    for each in value:
        yield from sequences(each)


def _fields(value: Any) -> dict[str, Any]:
    """The parts of a record by name, with what it computes from them."""
    if isinstance(value, Mapping):
        return {str(key): each for key, each in value.items()}
    if hasattr(value, "_asdict"):
        return {**value._asdict(), **_properties(value)}
    if dataclasses.is_dataclass(value) and type(value).__name__ != "Run":
        names = [row.name for row in dataclasses.fields(value)]
        return {name: getattr(value, name) for name in names} | _properties(value)
    return {}


def _properties(value: Any) -> dict[str, Any]:
    members = vars(type(value)).items()
    computed = (property, functools.cached_property)
    return {name: getattr(value, name) for name, member in members if isinstance(member, computed)}


def figures(screen: AppTest) -> Iterator[Shown]:
    """What the charts draw, but for where: whole numbers across, and labels."""
    for each in screen.get("plotly_chart"):
        figure = json.loads(each.proto.spec)
        title = figure["layout"].get("title", {}).get("text", "")
        for number, trace in enumerate(figure["data"]):
            x, y, z = (_plotted(trace.get(axis)) for axis in "xyz")
            if trace.get("mode") == "text":
                continue
            if trace.get("fill") == "toself" and y is not None:  # up to here, and back
                sides = [y[: len(y) // 2], y[: len(y) // 2 - 1 : -1]]
            else:
                is_bar = trace.get("orientation") == "h"
                is_measured = x is not None and (is_bar or y is None or not _is_whole(x))
                sides = (
                    [z] if z is not None else [x if is_measured else None, None if is_bar else y]
                )
            for side in sides:
                if side is not None and len(np.unique(side[np.isfinite(side)])) > 1:
                    yield Shown(f"{title}, trace {number}", side, _smallest(side))


def _smallest(values: Numbers) -> float:
    """Where pictures of signed numbers draw what rounds to 0.00 as 0."""
    others = np.abs(values[np.isfinite(values) & (values != 0)])
    return SMALLEST if len(others) < len(values) and others.min() >= SMALLEST else 1e-6


def _plotted(given: Any) -> Numbers | None:
    if isinstance(given, dict):
        flat = np.frombuffer(base64.b64decode(given["bdata"]), given["dtype"])
        return flat.astype(float)
    if isinstance(given, list) and given and all(isinstance(each, int | float) for each in given):
        return np.array(given, float)
    return None


def _is_whole(values: Numbers) -> bool:
    return bool(np.all(values == np.round(values)))


def tables(screen: AppTest) -> Iterator[Shown]:
    """Every column of numbers but those that count the rows."""
    for number, each in enumerate(screen.dataframe):
        for name in each.value.columns:
            column = each.value[name]
            if column.dtype.kind not in "iuf" or not len(column):
                continue
            values = column.to_numpy(float)
            if len(values) < 2 or not np.all(np.diff(values) == 1):
                yield Shown(f"table {number}, {name}", values, _rounding(values))


def _rounding(values: Numbers) -> float:
    """Half of the last digit, where all are rounded."""
    digits = (n for n in range(1, 5) if np.allclose(values, values.round(n), 1e-6, 0, True))
    return 1e-6 if _is_whole(values) else 0.501 * 10.0 ** -next(digits, 6)


def strips(screen: AppTest) -> Iterator[Shown]:
    """The tokens of strips, and the candidates at each position."""
    for each in screen.get("bidi_component"):
        tokens = json.loads(each.proto.json or "{}").get("tokens", [])
        if tokens and isinstance(tokens[0], dict) and "alternatives" in tokens[0]:
            yield _percents("tokens", [token["probability"] for token in tokens])
            for at, token in enumerate(tokens, 1):
                yield _percents(f"candidates {at}", [one[2] for one in token["alternatives"]])


def _percents(where: str, texts: Sequence[str]) -> Shown:
    """`25%`, or `<0.001%` for anything down to 0."""
    numbers = []
    tolerances = []
    for text in texts:
        found = NUMBER.search(text)
        assert found, text
        _, (number,), tolerance = _read(where, text, found)
        numbers.append(number / 2 if text.startswith("<") else number)
        tolerances.append(number / 2 if text.startswith("<") else tolerance)
    return Shown(where, np.array(numbers), np.array(tolerances))


def metrics(screen: AppTest) -> Iterator[Shown]:
    for each in screen.metric:
        for text in NUMBER.finditer(each.value):
            yield _read(f"metric {each.label}", each.value, text)


def written(screen: AppTest, patterns: Sequence[str]) -> Iterator[Shown]:
    """The groups of each pattern in captions, sentences and HTML; a pattern that is nowhere is an error."""
    parts = [
        str(each.value)
        for kind in ("markdown", "caption", "info")
        for each in getattr(screen, kind)
    ]
    parts += [re.sub(r"<[^>]*>", " ", str(each.proto.body)) for each in screen.get("html")]
    text = html.unescape(" ".join("\n".join(parts).split()))
    for pattern in patterns:
        found = re.search(pattern, text)
        assert found, f"{pattern} is not in {text}"
        starts = [found.start(group) for group in range(1, len(found.groups()) + 1)]
        read = [_read(pattern, text, at) for start in starts if (at := NUMBER.search(text, start))]
        numbers = np.concatenate([each.numbers for each in read])
        yield Shown(pattern, numbers, np.array([each.tolerance for each in read]))


def _read(where: str, text: str, found: re.Match[str]) -> Shown:
    """A written number, its unit and half of what its last digit stands for."""
    written = found[0].replace(",", "").replace("−", "-")
    factor = next(
        (size for unit, size in FACTORS.items() if text[found.end() :].startswith(unit)), 1.0
    )
    mantissa, _, power = written.partition("e")
    digits = len(mantissa.partition(".")[2])
    half = 0.501 * 10.0**-digits * 10.0 ** int(power or 0)
    return Shown(where, np.array([float(written) * factor]), half * factor)
