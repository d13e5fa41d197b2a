"""Heads with their interventions as text, for links and requests: `cross=off encoder.2=mean decoder.1.3=off`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from s2s.analysis.attention import KINDS
from s2s.analysis.intervene import INTERVENTIONS, Head
from s2s.config import UserError

MOST_PARTS = 100  # 1,600 characters of a link
SWITCH = re.compile(rf"({'|'.join(KINDS)})(?:\.(\d{{1,6}}))?(?:\.(\d{{1,6}}))?=(\w+)", re.ASCII)


def to_text(switched: Mapping[Head, str], heads: Sequence[Head]) -> str:
    """The interventions as text; `heads`: all of the model. Where a whole kind of attention or layer has the same one,
    it is one part.

    Layers and heads count from 1: `cross.1.3=off` is the third head of the first layer. Raises UserError for more than
    MOST_PARTS parts.
    """
    parts = list(_parts(switched, heads))
    _check(len(parts))
    return " ".join(parts)


def _check(n_parts: int) -> None:
    if n_parts > MOST_PARTS:
        raise UserError(
            f"{n_parts} heads are switched one by one, and a link holds at most {MOST_PARTS}; switch whole layers."
        )


def _parts(switched: Mapping[Head, str], heads: Sequence[Head]) -> Iterator[str]:
    for kind in sorted(KINDS):
        of_kind = [head for head in heads if head.kind == kind]
        if name := _common(switched, of_kind):
            yield f"{kind}={name}"
            continue
        for layer in sorted({head.layer for head in of_kind}):
            of_layer = [head for head in of_kind if head.layer == layer]
            if name := _common(switched, of_layer):
                yield f"{kind}.{layer + 1}={name}"
                continue
            for head in of_layer:
                if head in switched:
                    yield f"{kind}.{layer + 1}.{head.head + 1}={switched[head]}"


def _common(switched: Mapping[Head, str], heads: Sequence[Head]) -> str:
    names = {switched.get(head, "") for head in heads}
    return names.pop() if len(heads) > 1 and len(names) == 1 else ""


def from_text(
    text: str, heads: Sequence[Head], names: Collection[str] = INTERVENTIONS
) -> tuple[dict[Head, str], list[str]]:
    """The interventions from a text as by `to_text`, and the parts that name no head of this model, or none of these
    interventions.

    Raises UserError for more than MOST_PARTS parts.
    """
    _check(len(text.split()))
    switched: dict[Head, str] = {}
    unknown = []
    for part in text.split():
        match = SWITCH.fullmatch(part)
        named = _named(match, heads) if match and match[4] in names else []
        if match and named:
            switched |= dict.fromkeys(named, match[4])
        else:
            unknown.append(part)
    return switched, unknown


def _named(match: re.Match[str], heads: Sequence[Head]) -> list[Head]:
    layer, head = (None if number is None else int(number) - 1 for number in match.group(2, 3))
    return [
        each
        for each in heads
        if each.kind == match[1] and layer in (None, each.layer) and head in (None, each.head)
    ]
