"""Answers as JSON, and where two of them differ."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

import numpy as np
import torch

DIGITS = 7  # significant ones of a recorded number
VERSION = re.compile(r"\|version:[^|]*")  # of sacrebleu, in a signature
LONGEST = 64  # numbers of an array that is recorded whole


class Tolerance(NamedTuple):
    """By how much a number may differ: at most `absolute` or `relative` times what was recorded, the larger."""

    absolute: float
    relative: float = 0.0

    def allows(self, recorded: float, found: float) -> bool:
        """Whether both are the same answer."""
        if math.isnan(recorded) or math.isnan(found):
            return math.isnan(recorded) and math.isnan(found)
        return abs(recorded - found) <= max(self.absolute, self.relative * abs(recorded))


def plain(value: Any) -> Any:
    """Lists, objects, texts and numbers; of a large array its shape and some sums, which depend on every number."""
    if isinstance(value, np.ndarray | torch.Tensor):
        return of_array(np.asarray(value))
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, Set):
        return sorted(map(plain, value))
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [plain(each) for each in value]
    return of_one(value.item() if isinstance(value, np.generic) else value)


def of_one(value: Any) -> Any:
    """A text, nothing, or a number to DIGITS."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, str):
        return VERSION.sub("", value)
    if value is None or isinstance(value, int):
        return value
    raise TypeError(f"an answer cannot be recorded: {value!r}")


def of_array(array: np.ndarray[Any, Any]) -> Any:
    """All of a small one; of a large one sums along several waves, as large as one of its numbers."""
    if array.size <= LONGEST or array.dtype.kind not in "fiub":
        return plain(array.tolist())
    flat = array.astype(np.float64).ravel()
    waves = [np.cos(period * np.arange(flat.size)) for period in (0.0, 0.1, 0.7, 2.0)]
    sums = [float(flat @ wave) / flat.size**0.5 for wave in waves]
    return {"shape": list(array.shape), "sums": plain([*sums, float(np.abs(flat).mean())])}


def differences(recorded: Any, found: Any, tolerance: Tolerance, at: str) -> Iterator[str]:
    """A line for each place in which they differ: `search / demo-en-fr beam [0].text: recorded "a", found "b"`."""
    if isinstance(recorded, dict) and isinstance(found, dict) and recorded.keys() == found.keys():
        for key, value in recorded.items():
            yield from differences(value, found[key], tolerance, f"{at}.{key}")
    elif isinstance(recorded, list) and isinstance(found, list) and len(recorded) == len(found):
        for number, (one, other) in enumerate(zip(recorded, found, strict=True)):
            yield from differences(one, other, tolerance, f"{at}[{number}]")
    elif not _is_same(recorded, found, tolerance):
        yield f"{at}: recorded {_shown(recorded)}, found {_shown(found)}"


def _is_same(recorded: Any, found: Any, tolerance: Tolerance) -> bool:
    """Only a float may differ; a whole number is an id, a length or a count."""
    numbers: Sequence[Any] = (recorded, found)
    if any(isinstance(one, float) for one in numbers) and all(
        isinstance(one, int | float) and not isinstance(one, bool) for one in numbers
    ):
        return tolerance.allows(recorded, found)
    return bool(recorded == found) and type(recorded) is type(found)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else f"{text[:300]}..."
