"""The experiment `roles`: what every head does over a sample, which relations it finds, and whether it copies."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from s2s.analysis import heads
from s2s.config import Config, UserError
from s2s.data import Pair
from s2s.jobs.heads.stages import stage
from s2s.runs import EncodedPair, Run, encoded_pairs

T = TypeVar("T")
DIRECT = "direct"  # the name of direct copying among the scores of induction
DIGITS = 4  # behind the point


@dataclass(frozen=True)
class RolesSettings(Config):
    """Nothing to choose."""


@dataclass(frozen=True)
class RolesResult:
    """What `measure` has found, as arrays. A part that the sample does not allow is empty, and a note says why."""

    roles: heads.CorpusRoles
    n_left_out: int  # pairs without text on a side, or too long for the model
    relations: Sequence[heads.RelationAccuracy] = ()
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
    return {
        "n": len(sample),
        "left_out": len(pairs) - len(sample),
        "kinds": {kind: roles_to_json(one) for kind, one in roles.kinds.items()},
        "relations": [] if isinstance(relations, str) else list(map(_relation_json, relations)),
        "induction": _scores_json(scores),
        "notes": notes,
    }


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
    """What is found, or why these sentences do not allow it."""
    try:
        return (yield from steps)
    except UserError as why:
        return str(why)


def roles_to_json(found: heads.KindRoles) -> dict[str, Any]:
    """The heads of one kind."""
    return {
        "entropy": _rounded(found.entropy),
        "peak": _rounded(found.peak),
        "distance": _rounded(found.distance),
        "strengths": {slug: _rounded(values) for slug, values in found.strengths.items()},
        "counted": dict(found.counted),
        "role": found.role.tolist(),
        "n_rows": found.n_rows,
    }


def roles_from_json(found: Mapping[str, Any]) -> heads.KindRoles:
    """The inverse of `roles_to_json`."""
    return heads.KindRoles(
        entropy=np.array(found["entropy"]),
        peak=np.array(found["peak"]),
        distance=np.array(found["distance"]),
        strengths={slug: np.array(values) for slug, values in found["strengths"].items()},
        counted=dict(found["counted"]),
        role=np.array(found["role"]),
        n_rows=found["n_rows"],
    )


def _relation_json(found: heads.RelationAccuracy) -> dict[str, Any]:
    return {
        "direction": found.direction,
        "kind": found.kind,
        "n": list(found.n),
        "hits": found.hits.tolist(),
        "one_random": [round(value, DIGITS) for value in found.one_random],
        "best_random": [round(value, DIGITS) for value in found.best_random],
        "offset": found.offset,
        "offset_accuracy": round(found.offset_accuracy, DIGITS),
    }


def _relation(found: Mapping[str, Any]) -> heads.RelationAccuracy:
    return heads.RelationAccuracy(
        direction=found["direction"],
        kind=found["kind"],
        n=tuple(found["n"]),
        hits=np.array(found["hits"], np.int64),
        one_random=heads.Range(*found["one_random"]),
        best_random=heads.Range(*found["best_random"]),
        offset=found["offset"],
        offset_accuracy=found["offset_accuracy"],
    )


def _scores_json(found: Mapping[str, Mapping[str, heads.MatchScore]]) -> dict[str, Any]:
    return {
        kind: {
            name: {
                "score": _rounded(one.score),
                "uniform": round(one.uniform, DIGITS),
                "n_rows": one.n_rows,
            }
            for name, one in scores.items()
        }
        for kind, scores in found.items()
    }


def read_result(found: Mapping[str, Any]) -> RolesResult:
    """The result of `measure`, as a worker has written it."""
    kinds = {kind: roles_from_json(one) for kind, one in found["kinds"].items()}
    return RolesResult(
        roles=heads.CorpusRoles(kinds, found["n"]),
        n_left_out=found["left_out"],
        relations=[_relation(one) for one in found["relations"]],
        induction={
            kind: {
                name: heads.MatchScore(np.array(one["score"]), one["uniform"], one["n_rows"])
                for name, one in scores.items()
            }
            for kind, scores in found["induction"].items()
        },
        notes=found["notes"],
    )


def _rounded(values: Any) -> Any:
    return np.round(values, DIGITS).tolist()
