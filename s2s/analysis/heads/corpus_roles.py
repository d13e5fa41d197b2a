"""What each head does over many sentences: the strength of every role, and the role. Knows nothing of runs."""

from __future__ import annotations

import unicodedata
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from s2s.analysis.alignment import Floats, Ints, is_mark, row_entropies
from s2s.analysis.attention import KINDS
from s2s.analysis.heads.batches import Pair
from s2s.analysis.heads.captured import AttentionBatch, Bools, attention_batches
from s2s.analysis.roles import (
    NO_ROLE,
    ROLES,
    SELF,
    Role,
    Rows,
    Tally,
    distances,
    first_roles,
    of_kind,
    peaks_in,
    weight_on,
)
from s2s.config import UserError
from s2s.model import Transformer
from s2s.tokenizers import SPACE

FEWEST = 10  # sentences
SEPARATOR = "separator"
RAREST = "rarest"

# The roles of one sentence, and two that need more than its weights, in the order in which they are tried.
CORPUS_ROLES: Mapping[str, Role] = MappingProxyType(
    {
        **{slug: role for slug, role in ROLES.items() if slug != NO_ROLE},
        "separator": Role(
            "separators",
            "At least half of all weight is on punctuation and special tokens such as </s> (Clark et al. 2019).",
            lambda rows: weight_on(rows, SEPARATOR),
            0.5,
            KINDS,
        ),
        "rare": Role(
            "rare tokens",
            "At least half of the rows have their largest weight on the rarest token that they may attend to, by its"
            " count in this sample (Voita et al. 2019). Punctuation and special tokens are not counted.",
            lambda rows: peaks_in(rows, RAREST),
            0.5,
            KINDS,
        ),
        NO_ROLE: ROLES[NO_ROLE],
    }
)


@dataclass(frozen=True)
class Vocabulary:
    """The tokens of one side: how often each is in the sample, and which are separators, both (vocab,)."""

    counts: Ints
    is_separator: Bools


@dataclass(frozen=True)
class KindRoles:
    """Roles of all heads of one kind over a sample, (layers, heads): means over rows, and a slug of `CORPUS_ROLES`."""

    entropy: Floats  # nats
    peak: Floats  # the largest weight of a row
    distance: Floats  # in tokens, see `distances`
    strengths: Mapping[str, Floats]  # by the slug of each role but `mixed`, 0 to 1
    counted: Mapping[
        str, int
    ]  # rows, or sentences for `aligned`, that each strength is a mean over
    role: npt.NDArray[np.str_]
    n_rows: int

    @property
    def own_strength(self) -> Floats:
        nothing = np.zeros(self.role.shape)
        names = self.role.ravel()
        values = [
            self.strengths.get(str(name), nothing).ravel()[at] for at, name in enumerate(names)
        ]
        return np.array(values).reshape(self.role.shape)


def role_rows(kinds: Mapping[str, KindRoles]) -> list[dict[str, object]]:
    """A table of roles with one row per head; layers and heads are counted from 1."""
    rows: list[dict[str, object]] = []
    for kind, found in kinds.items():
        for layer, head in np.ndindex(*found.role.shape):
            row: dict[str, object] = {
                "Attention": kind,
                "Layer": layer + 1,
                "Head": head + 1,
                "Role": CORPUS_ROLES[str(found.role[layer, head])].label,
                "Entropy": float(found.entropy[layer, head]),
                "Peak": float(found.peak[layer, head]),
                "Distance": float(found.distance[layer, head]),
            }
            for slug, role in CORPUS_ROLES.items():
                if slug in found.strengths:
                    row[role.label.capitalize()] = float(found.strengths[slug][layer, head])
            rows.append(row)
    return rows


@dataclass(frozen=True)
class CorpusRoles:
    """The roles of a model's heads by kind, and over how many sentences."""

    kinds: Mapping[str, KindRoles]
    n_sentences: int


def corpus_roles(
    model: Transformer, pairs: Sequence[Pair], src: Vocabulary, tgt: Vocabulary
) -> Generator[float, None, CorpusRoles]:
    """Measure the roles of all heads; yields the share of the pairs that is done. Raises UserError for fewer than
    FEWEST pairs.

    Every row counts once, wherever it stands; rows that may attend to a single key are left out of the strengths.
    """
    if len(pairs) < FEWEST:
        raise UserError(
            f"Roles need at least {FEWEST} sentences, and this sample has {len(pairs)}; choose a larger sample."
        )
    tallies: dict[str, list[Mapping[str, Tally]]] = {kind: [] for kind in KINDS}
    n_done = 0
    for batch in attention_batches(model, pairs):
        for kind in KINDS:
            of_keys = tgt if kind == "decoder" else src
            tallies[kind].append(batch_tallies(batch, kind, of_keys))
        n_done += len(batch.numbers)
        yield n_done / len(pairs)
    return CorpusRoles({kind: _summary(tallies[kind]) for kind in KINDS}, len(pairs))


def vocabulary(tokens: Sequence[str], rows: Sequence[Sequence[int]], eos_id: int) -> Vocabulary:
    """Count the ids of a sample and mark the separators in a vocabulary; `rows` are one side of the pairs."""
    ids = np.array([token for row in rows for token in row], np.int64)
    is_separator = np.array([is_separating(token) for token in tokens])
    is_separator[eos_id] = True
    return Vocabulary(np.bincount(ids, minlength=len(tokens)), is_separator)


def is_separating(token: str) -> bool:
    """Whether a token is punctuation or stands around a text, such as `</s>`."""
    letters = token.replace(SPACE, "")
    if is_mark(token):
        return True
    return bool(letters) and all(unicodedata.category(letter)[0] == "P" for letter in letters)


def batch_tallies(batch: AttentionBatch, kind: str, of_keys: Vocabulary) -> Mapping[str, Tally]:
    """Sums over a batch: entropy, peak and distance of all rows, and the strength of every role of the kind."""
    allowed = batch.allowed(kind)
    keys = batch.keys(kind)  # (batch, keys)
    separators = np.broadcast_to(of_keys.is_separator[keys][:, None], allowed.shape)
    sets = {
        SEPARATOR: separators,
        RAREST: _rarest(of_keys.counts[keys], allowed & ~separators),
    }
    rows = Rows(batch.weights[kind], allowed, sets)
    is_row = allowed.sum(-1) > 0
    return {
        "entropy": rows.total(row_entropies(rows.weights), is_row),
        "peak": rows.total(rows.weights.max(-1), is_row),
        "distance": rows.total(_distances(batch, kind), is_row),
        **{slug: role.strength(rows) for slug, role in of_kind(CORPUS_ROLES, kind)},
    }


def _rarest(counts: Ints, candidates: Bools) -> Bools:
    """Which candidates have the lowest count in their row, where others are more frequent: (batch, rows, keys).

    counts (batch, keys), candidates (batch, rows, keys). Where all candidates are equally frequent none is rare.
    """
    many = np.iinfo(np.int64).max
    lowest = np.where(candidates, counts[:, None], many).min(-1, keepdims=True)
    highest = np.where(candidates, counts[:, None], -1).max(-1, keepdims=True)
    rarest: Bools = candidates & (counts[:, None] == lowest) & (lowest < highest)
    return rarest


def _distances(batch: AttentionBatch, kind: str) -> Floats:
    weights = batch.weights[kind]
    if kind in SELF:
        return distances(weights, is_self=True)
    away = np.zeros(weights.shape[:-1])
    for row, (n_rows, n_keys) in enumerate(zip(batch.tgt_lengths, batch.src_lengths, strict=True)):
        away[row, ..., :n_rows] = distances(weights[row, ..., :n_rows, :n_keys], is_self=False)
    return away


def _summary(batches: Sequence[Mapping[str, Tally]]) -> KindRoles:
    total = {name: reduce(add, [tallies[name] for tallies in batches]) for name in batches[0]}
    entropy, peak, distance = (total.pop(name) for name in ("entropy", "peak", "distance"))
    role = first_roles(CORPUS_ROLES, total)
    del total[NO_ROLE]
    return KindRoles(
        entropy=entropy.mean,
        peak=peak.mean,
        distance=distance.mean,
        strengths={slug: tally.mean for slug, tally in total.items()},
        counted={slug: tally.n for slug, tally in total.items()},
        role=role,
        n_rows=entropy.n,
    )
