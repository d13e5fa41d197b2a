"""The experiment `roles`: what every head does over a sample, which relations it finds, and whether it copies."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np

from s2s.analysis import heads
from s2s.config import Config, UserError
from s2s.data import Pair
from s2s.files import to_json
from s2s.jobs.heads.measuring import stage
from s2s.runs import EncodedPair, Run, encoded_pairs

T = TypeVar("T")
DIRECT = "direct"  # the name of direct copying among the scores of induction
DIGITS = 4  # behind the point


@dataclass(frozen=True)
class RolesSettings(Config):
    """The settings of `roles`: nothing to choose."""


@dataclass(frozen=True)
class RolesResult:
    """What `measure` has found, as arrays. A part that the sample does not allow is empty, and a note says why."""

    n: int  # sentences
    n_left_out: int = field(metadata={"json": "left_out"})  # without text on a side, or too long
    kinds: Mapping[str, heads.KindRoles]
    relations: tuple[heads.RelationAccuracy, ...] = ()
    induction: Mapping[str, Mapping[str, heads.MatchScore]] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)  # by the name of the part


def measure(
    run: Run, pairs: Sequence[Pair], settings: RolesSettings
) -> Generator[float, None, dict[str, Any]]:
    """Roles, relations where the pairs have gold, induction and copying: five passes over the sample."""
    sample = encoded_pairs(run, [(pair.src, pair.tgt) for pair in pairs])
    roles = yield from stage(0, 0.2, measure_roles(run, sample))
    relations = yield from stage(0.2, 0.5, _attempt(_relations(run, pairs, sample)))
    tokens = [tokens_of(run, side) for side in ("src", "tgt")]
    numbers = heads.shared_numbers(*tokens)
    matching = heads.induction(run.model, sample, *numbers)
    matches = yield from stage(0.5, 0.7, _attempt(matching))
    copying = yield from stage(0.7, 1, heads.direct_copying(run.model, sample, *numbers))
    scores = dict(matches.scores) if not isinstance(matches, str) else {}
    for kind, score in copying.items():
        scores[kind] = {**scores.get(kind, {}), DIRECT: score}
    notes = {}
    if isinstance(relations, str):
        notes["relations"] = relations
    if not scores:
        notes["induction"] = str(matches)
    found = RolesResult(
        len(sample),
        len(pairs) - len(sample),
        roles.kinds,
        () if isinstance(relations, str) else tuple(relations),
        scores,
        notes,
    )
    content: dict[str, Any] = to_json(rounded(found))
    return content


def measure_roles(
    run: Run, sample: Sequence[EncodedPair]
) -> Generator[float, None, heads.CorpusRoles]:
    """Roles over encoded pairs, with the rarity of tokens counted in them."""
    eos = run.recipe.model.ids.eos
    src = heads.vocabulary(tokens_of(run, "src"), [one.src for one in sample], eos)
    tgt = heads.vocabulary(tokens_of(run, "tgt"), [one.tgt for one in sample], eos)
    return (yield from heads.corpus_roles(run.model, sample, src, tgt))


def tokens_of(run: Run, side: str) -> list[str]:
    """Every token of a vocabulary, by id."""
    tokenizer = run.src_tokenizer if side == "src" else run.tgt_tokenizer
    return tokenizer.tokens(range(tokenizer.vocab_size))


def _relations(
    run: Run, pairs: Sequence[Pair], sample: Sequence[EncodedPair]
) -> Generator[float, None, list[heads.RelationAccuracy]]:
    gold = [pairs[one.number].gold for one in sample]
    if not any(one and one.relations for one in gold):
        raise UserError(
            "These sentences have no gold relations; choose a split of a built-in dataset such as en-fr."
        )
    known = [one.relations if one else () for one in gold]
    return (yield from heads.relation_accuracy(run.model, sample, known))


def _attempt(steps: Generator[float, None, T]) -> Generator[float, None, T | str]:
    try:
        return (yield from steps)
    except UserError as why:
        return str(why)


def rounded(value: Any) -> Any:
    """The value with every number rounded to DIGITS."""
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, np.ndarray):
        return np.round(value, DIGITS) if value.dtype.kind == "f" else value
    if isinstance(value, Mapping):
        return {name: rounded(one) for name, one in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return replace(
            value, **{row.name: rounded(getattr(value, row.name)) for row in fields(value)}
        )
    if isinstance(value, tuple):
        ends = [rounded(one) for one in value]
        return type(value)(*ends) if hasattr(value, "_fields") else tuple(ends)
    return value
