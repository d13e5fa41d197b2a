"""Every kind of tokenizer at several sizes on the same pairs, side by side. Knows nothing of screens."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from statistics import median
from typing import Any, NamedTuple, Self

from s2s.config import UserError
from s2s.tokenizers.registry import TOKENIZERS
from s2s.tokenizers.subword import automatic_size, size_of
from s2s.tokenizers.tokenizer import UNK, Tokenizer, nfc

SAMPLE = 20_000  # pairs that are learnt from
MEASURED = 5_000  # of those, pairs whose tokens are counted
HELD_OUT = 2_000  # pairs in which unknown tokens are counted
LIMIT = 128  # tokens, `</s>` included: what `data.max_length` is at first
SIZES = (
    250,
    1_000,
    4_000,
    8_000,
    16_000,
)  # of these, what is at least a tenth of the automatic one
FULL = 0.9  # of the pieces that were asked for; with fewer, the text has no more to give
NEAR = 1.3  # a round size is left out where the automatic one is less than this many times larger or smaller

ExampleTokens = tuple[tuple[str, int], ...]
Sizes = tuple[int | None, int | None]  # of each side


def _silent(note: str) -> None:
    """Tells nobody."""


@dataclass(frozen=True)
class SideStatistics:
    """One side of the pairs, cut; lengths are in tokens, `</s>` not among them."""

    vocab_size: int
    pieces_per_word: float  # words are what stands between blanks
    unknown_rate: (
        float | None
    )  # share of the held-out tokens that are `<unk>`; None without held-out pairs
    median: float
    p95: int
    longest: int
    example: ExampleTokens  # (piece, id) of the example sentence


@dataclass(frozen=True)
class ComparisonRow:
    """One tokenizer, measured."""

    kind: str
    asked: int | None  # pieces that were asked for; None: chosen by the size of the text
    shared: bool
    src: SideStatistics
    tgt: SideStatistics
    limit: int  # tokens of a side, `</s>` included
    too_long: float  # share of the pairs with more
    seconds: float  # to learn

    @property
    def changes(self) -> dict[str, Any]:
        """What to `--set` for this one."""
        return {
            "tokenizer.kind": self.kind,
            "tokenizer.vocab_size": self.asked,
            "tokenizer.shared": self.shared,
        }

    def to_json(self) -> dict[str, Any]:
        """Plain dicts, lists and numbers."""
        return asdict(self)

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """The opposite of `to_json`."""
        return cls(
            **{field.name: given[field.name] for field in fields(cls)}
            | {key: _side(given[key]) for key in ("src", "tgt")}
        )


def _side(given: Mapping[str, Any]) -> SideStatistics:
    values = {field.name: given[field.name] for field in fields(SideStatistics)}
    return SideStatistics(
        **values | {"example": tuple((piece, index) for piece, index in given["example"])}
    )


class Texts(NamedTuple):
    """Both sides of some pairs."""

    src: list[str]
    tgt: list[str]


def compare(
    src: Sequence[str],
    tgt: Sequence[str],
    held_src: Sequence[str],
    held_tgt: Sequence[str],
    *,
    shared: bool,
    example: tuple[str, str],
    limit: int = LIMIT,
    tell: Callable[[str], None] = _silent,
    clock: Callable[[], float] = time.perf_counter,
) -> Iterator[ComparisonRow]:
    """A row for each kind and size that these texts give, as soon as it is measured.

    Of larger corpora 20,000 pairs, spread evenly, are learnt from, 5,000 and 2,000 held-out ones are measured; the automatic
    size is that of the whole. Raises UserError when a side has no text.
    """
    for name, texts in (("source", src), ("target", tgt)):
        if not any(text.strip() for text in texts):
            raise UserError(
                f"The {name} side has no text to cut; give at least one pair with text on both sides."
            )
    seen = Texts(_spread(src, SAMPLE), _spread(tgt, SAMPLE))
    held = Texts(_spread(held_src, HELD_OUT), _spread(held_tgt, HELD_OUT))
    measured = Texts(_spread(seen.src, MEASURED), _spread(seen.tgt, MEASURED))
    tell(scope(len(src), len(held_src)))
    automatic = _automatic((src, tgt), seen, shared=shared)
    for kind in TOKENIZERS:
        most = math.inf
        for asked, sizes in _sizes(kind, automatic):
            if asked and asked >= most:
                break
            tell(
                f"{kind}, {'size chosen by the text' if asked is None else f'at most {asked:,} pieces'}."
            )
            started = clock()
            try:
                made = _learned(kind, seen, sizes, shared=shared)
            except UserError:  # fewer pieces than the text has characters: no row
                continue
            yield _row(
                kind,
                asked,
                made,
                measured,
                held,
                example=example,
                limit=limit,
                shared=shared,
                seconds=clock() - started,
            )
            found = max(side.vocab_size for side in made)
            if found < FULL * max(size or 0 for size in sizes):
                most = found  # larger sizes would give the same


def scope(n_pairs: int, n_held: int) -> str:
    """One sentence: how many pairs of so many the numbers rest on."""
    seen = min(n_pairs, SAMPLE)
    held = min(n_held, HELD_OUT)
    of = f"{seen:,} of {n_pairs:,} pairs, spread evenly" if seen < n_pairs else f"{n_pairs:,} pairs"
    return f"Learnt from {of}; tokens counted in {min(seen, MEASURED):,} of them, unknown ones in {held:,} held-out pairs."


def _spread(texts: Sequence[str], most: int) -> list[str]:
    """At most so many, at even distances."""
    if len(texts) <= most:
        return list(texts)
    return [texts[place * len(texts) // most] for place in range(most)]


def _automatic(
    texts: tuple[Sequence[str], Sequence[str]], seen: Texts, *, shared: bool
) -> tuple[int, int]:
    """What each side gets where no size is asked for: by the length of all texts, and room for the characters."""
    sides = (
        [(texts, seen)] * 2
        if shared
        else [((whole,), (part,)) for whole, part in zip(texts, seen, strict=True)]
    )
    src, tgt = (
        max(
            automatic_size(sum(len(text) for side in whole for text in side)),
            size_of([nfc(text) for side in part for text in side]),
        )
        for whole, part in sides
    )
    return src, tgt


def _sizes(kind: str, automatic: tuple[int, int]) -> list[tuple[int | None, Sizes]]:
    """What is asked for and what each side then gets: the automatic size, then round ones, smallest first."""
    if not TOKENIZERS[kind].is_subword:
        return [(None, (None, None))]
    usual = max(automatic)
    apart = [
        size for size in SIZES if usual / 10 <= size and not usual / NEAR < size < usual * NEAR
    ]
    return [(None, automatic), *((size, (size, size)) for size in apart)]


def _learned(kind: str, seen: Texts, sizes: Sizes, *, shared: bool) -> tuple[Tokenizer, Tokenizer]:
    make = TOKENIZERS[kind].make
    if shared:
        both = make([*seen.src, *seen.tgt], sizes[0])
        return both, both
    return make(seen.src, sizes[0]), make(seen.tgt, sizes[1])


def _row(
    kind: str,
    asked: int | None,
    made: tuple[Tokenizer, Tokenizer],
    seen: Texts,
    held: Texts,
    *,
    example: tuple[str, str],
    limit: int,
    shared: bool,
    seconds: float,
) -> ComparisonRow:
    lengths = [
        [len(ids) for ids in tokenizer.encode_many(texts)]
        for tokenizer, texts in zip(made, seen, strict=True)
    ]
    too_long = sum(max(pair) >= limit for pair in zip(*lengths, strict=True)) / len(
        lengths[0]
    )  # with `</s>` one more
    sides = [_measured(*each) for each in zip(made, seen, held, example, lengths, strict=True)]
    return ComparisonRow(kind, asked, shared, sides[0], sides[1], limit, too_long, seconds)


def _measured(
    tokenizer: Tokenizer,
    texts: Sequence[str],
    held: Sequence[str],
    sentence: str,
    lengths: Sequence[int],
) -> SideStatistics:
    ids = tokenizer.encode(nfc(sentence))
    ordered = sorted(lengths)
    return SideStatistics(
        vocab_size=tokenizer.vocab_size,
        pieces_per_word=sum(lengths) / max(1, sum(len(text.split()) for text in texts)),
        unknown_rate=_unknown_rate(tokenizer.encode_many(held)),
        median=float(median(ordered)),
        p95=ordered[(len(ordered) - 1) * 95 // 100],
        longest=ordered[-1],
        example=tuple(zip(tokenizer.tokens(ids), ids, strict=True)),
    )


def _unknown_rate(encoded: Iterable[Sequence[int]]) -> float | None:
    ids = [index for row in encoded for index in row]
    return ids.count(UNK) / len(ids) if ids else None
