"""Compares every kind of tokenizer at several sizes on the same pairs. Knows nothing of screens."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from s2s.config import UserError, nfc
from s2s.tokenizers.registry import TOKENIZERS
from s2s.tokenizers.subword import automatic_size, size_of
from s2s.tokenizers.tokenizer import UNK, Tokenizer

MAX_FITTED = 20_000  # pairs that tokenizers are fitted to
MAX_MEASURED = 5_000  # of those, pairs whose tokens are counted
MAX_HELD_OUT = 2_000  # pairs in which unknown tokens are counted
LIMIT = 128  # tokens, `</s>` included: the default of `data.max_length`
SIZES = (
    250,
    1_000,
    4_000,
    8_000,
    16_000,
)  # those from a tenth of the automatic size on are compared
FULL = 0.9  # of the requested size; a smaller result means that larger sizes would change nothing
NEAR = 1.3  # a round size within this factor of the automatic size is skipped

ExampleTokens = tuple[tuple[str, int], ...]  # (token, id)
Sizes = tuple[int | None, int | None]  # of each side


def _ignore(note: str) -> None: ...


@dataclass(frozen=True)
class SideStatistics:
    """What tokenization makes of one side of the pairs; lengths are in tokens, without `</s>`."""

    vocab_size: int
    tokens_per_word: float = field(metadata={"json": "pieces_per_word"})  # words: split on spaces
    unknown_rate: float | None  # share of `<unk>` in held-out tokens; None without held-out pairs
    median: float
    p95: int
    longest: int
    example: ExampleTokens


@dataclass(frozen=True)
class ComparisonRow:
    kind: str
    # None: chosen by the size of the dataset
    requested_size: int | None = field(metadata={"json": "asked"})
    shared: bool
    src: SideStatistics
    tgt: SideStatistics
    limit: int  # tokens of a side, `</s>` included
    too_long: float  # share of the pairs with more
    seconds: float  # to fit

    @property
    def name(self) -> str:
        sizes = dict.fromkeys((f"{self.src.vocab_size:,}", f"{self.tgt.vocab_size:,}"))
        is_automatic = self.requested_size is None and TOKENIZERS[self.kind].is_subword
        return f"{self.kind} · {' / '.join(sizes)}{' (automatic)' if is_automatic else ''}"

    @property
    def changes(self) -> dict[str, Any]:
        """The recipe settings that choose this tokenizer, as `--set` takes them."""
        return {
            "tokenizer.kind": self.kind,
            "tokenizer.vocab_size": self.requested_size,
            "tokenizer.shared": self.shared,
        }

    def file(self, side: str) -> str:
        """The name of the file with the tokenizer of a side, `src` or `tgt`; a shared one has one file."""
        return f"{self.kind}-{self.requested_size or 'automatic'}{'' if self.shared else f'-{side}'}.json"


@dataclass(frozen=True)
class TokenizerComparison:
    """Every tokenizer that was measured, in the order of TOKENIZERS; `scope` says on how many pairs, `advice` what to
    consider where words are not separated by spaces.
    """

    rows: tuple[ComparisonRow, ...]
    scope: str
    advice: str

    @property
    def named(self) -> dict[str, ComparisonRow]:
        """The rows by their names, e.g. `bpe · 4,000`: in the order of `TOKENIZERS`, small vocabularies first."""
        order = list(TOKENIZERS)
        ordered = sorted(self.rows, key=lambda row: (order.index(row.kind), row.src.vocab_size))
        return {row.name: row for row in ordered}


class Sides(NamedTuple):
    """The texts of both sides of some pairs."""

    src: list[str]
    tgt: list[str]


def compare(
    src: Sequence[str],
    tgt: Sequence[str],
    held_out_src: Sequence[str],
    held_out_tgt: Sequence[str],
    *,
    shared: bool,
    example: tuple[str, str],
    limit: int = LIMIT,
    folder: Path | None = None,
    report: Callable[[str], None] = _ignore,
    clock: Callable[[], float] = time.perf_counter,
) -> Iterator[ComparisonRow]:
    """Yields a row for each kind and size, as soon as it is measured.

    Of larger datasets, 20,000 evenly spaced pairs are fitted; 5,000 of them and 2,000 held-out pairs are measured. The
    automatic size is that of the whole dataset. The tokenizers are saved in `folder`, as `ComparisonRow.file` names
    them. Raises UserError if a side has no text.
    """
    for name, texts in (("source", src), ("target", tgt)):
        if not any(text.strip() for text in texts):
            raise UserError(
                f"The {name} side has no text to tokenize; give at least one pair with text on both sides."
            )
    fitted = Sides(_spaced(src, MAX_FITTED), _spaced(tgt, MAX_FITTED))
    held_out = Sides(_spaced(held_out_src, MAX_HELD_OUT), _spaced(held_out_tgt, MAX_HELD_OUT))
    measured = Sides(_spaced(fitted.src, MAX_MEASURED), _spaced(fitted.tgt, MAX_MEASURED))
    report(scope(len(src), len(held_out_src)))
    automatic = _automatic_sizes((src, tgt), fitted, shared=shared)
    for kind in TOKENIZERS:
        largest = math.inf
        for requested, sizes in _sizes(kind, automatic):
            if requested and requested >= largest:
                break
            report(f"{kind}, {_size_text(requested)}.")
            started = clock()
            try:
                tokenizers = _fit(kind, fitted, sizes, shared=shared)
            except UserError as error:  # `vocab_size` has no room for the characters
                report(f"{kind} skipped: {error}")
                continue
            seconds = clock() - started
            (src_side, tgt_side), too_long = _measure(
                tokenizers, measured, held_out, example, limit
            )
            row = ComparisonRow(
                kind, requested, shared, src_side, tgt_side, limit, too_long, seconds
            )
            if folder:
                for side, tokenizer in zip(("src", "tgt"), tokenizers, strict=True):
                    tokenizer.save(folder / row.file(side))
            yield row
            size = max(tokenizer.vocab_size for tokenizer in tokenizers)
            if size < FULL * max(size or 0 for size in sizes):
                largest = size  # larger sizes would give the same


def _size_text(requested: int | None) -> str:
    return "automatic size" if requested is None else f"at most {requested:,} tokens"


def scope(n_pairs: int, n_held_out: int) -> str:
    n_fitted = min(n_pairs, MAX_FITTED)
    of = f"{n_pairs:,} pairs"
    if n_fitted < n_pairs:
        of = f"{n_fitted:,} of {n_pairs:,} pairs, evenly spaced"
    return (
        f"Fitted to {of}; tokens counted in {min(n_fitted, MAX_MEASURED):,} of them, unknown tokens in"
        f" {min(n_held_out, MAX_HELD_OUT):,} held-out pairs."
    )


def _spaced(texts: Sequence[str], n_max: int) -> list[str]:
    if len(texts) <= n_max:
        return list(texts)
    return [texts[index * len(texts) // n_max] for index in range(n_max)]


def _automatic_sizes(
    texts: tuple[Sequence[str], Sequence[str]], fitted: Sides, *, shared: bool
) -> tuple[int, int]:
    if shared:
        size = _automatic_size(texts, fitted)
        return size, size
    return (
        _automatic_size((texts[0],), (fitted.src,)),
        _automatic_size((texts[1],), (fitted.tgt,)),
    )


def _automatic_size(sides: Iterable[Sequence[str]], fitted: Iterable[Sequence[str]]) -> int:
    n_characters = sum(len(nfc(text)) for side in sides for text in side)
    needed = size_of([nfc(text) for side in fitted for text in side])
    return max(automatic_size(n_characters), needed)


def _sizes(kind: str, automatic: tuple[int, int]) -> list[tuple[int | None, Sizes]]:
    if not TOKENIZERS[kind].is_subword:
        return [(None, (None, None))]
    default = max(automatic)
    round_sizes = [
        size
        for size in SIZES
        if default / 10 <= size and not default / NEAR < size < default * NEAR
    ]
    return [(None, automatic), *((size, (size, size)) for size in round_sizes)]


def _fit(kind: str, texts: Sides, sizes: Sizes, *, shared: bool) -> tuple[Tokenizer, Tokenizer]:
    make = TOKENIZERS[kind].make
    if shared:
        both = make([*texts.src, *texts.tgt], sizes[0])
        return both, both
    return make(texts.src, sizes[0]), make(texts.tgt, sizes[1])


def _measure(
    tokenizers: tuple[Tokenizer, Tokenizer],
    measured: Sides,
    held_out: Sides,
    example: tuple[str, str],
    limit: int,
) -> tuple[list[SideStatistics], float]:
    lengths = [
        [len(ids) for ids in tokenizer.encode_many(texts)]
        for tokenizer, texts in zip(tokenizers, measured, strict=True)
    ]
    # `</s>` makes each side one token longer.
    n_too_long = sum(max(pair) >= limit for pair in zip(*lengths, strict=True))
    rows = zip(tokenizers, measured, held_out, example, lengths, strict=True)
    return [_side_statistics(*row) for row in rows], n_too_long / len(lengths[0])


def _side_statistics(
    tokenizer: Tokenizer,
    texts: Sequence[str],
    held_out: Sequence[str],
    example: str,
    lengths: Sequence[int],
) -> SideStatistics:
    ids = tokenizer.encode(nfc(example))
    ordered = sorted(lengths)
    n_words = sum(len(text.split()) for text in texts)
    return SideStatistics(
        vocab_size=tokenizer.vocab_size,
        tokens_per_word=sum(lengths) / max(1, n_words),
        unknown_rate=_unknown_rate(tokenizer.encode_many(held_out)),
        median=float(median(ordered)),
        p95=ordered[(len(ordered) - 1) * 95 // 100],
        longest=ordered[-1],
        example=tuple(zip(tokenizer.tokens(ids), ids, strict=True)),
    )


def _unknown_rate(encoded: Iterable[Sequence[int]]) -> float | None:
    ids = [index for row in encoded for index in row]
    return ids.count(UNK) / len(ids) if ids else None
