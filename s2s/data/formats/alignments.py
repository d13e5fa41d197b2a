"""Gold word alignments of given pairs, from a file: Pharaoh's `0-0 1-2 3p4`, or the `.wa` format of shared tasks.

Knows nothing of models.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from s2s.config import UserError, shortened
from s2s.data.formats import streams
from s2s.data.formats.streams import ReadingBudget
from s2s.data.options import Caps
from s2s.data.pair import Gold, Link, Pair, n_words, shared_link

LINK = re.compile(r"(\d{1,6})([-p?])(\d{1,6})", re.ASCII)
WA_LINE = re.compile(r"(\d{1,9})\s+(\d{1,6})\s+(\d{1,6})(?:\s+([SP]))?(?:\s+[0-9.]+)?", re.ASCII)
SURE = frozenset("-S")
NULL = 0  # the position of no word, in a .wa file
QUOTED = 40  # characters of a link in an error
SECONDS = 30.0


class FileLink(NamedTuple):
    """A link as a file has it: the pair (0-based), its two words as numbered there, and the line from 1."""

    pair: int
    src: int
    tgt: int
    is_sure: bool
    line: int


class Numbering(NamedTuple):
    """How a file numbers words: the number of a sentence's first word, 0 or 1, and whether the target stands first."""

    first: int = 0
    is_target_first: bool = False


FROM_0 = Numbering()


def read_alignments(
    name: str, content: bytes, pairs: Sequence[Pair], numbering: Numbering = FROM_0
) -> list[Gold]:
    """The gold links of each pair, words being separated by spaces and tabs, as aligners count them.

    A file whose first line is four columns, `1 2 3 S`, is .wa: sentence, source word, target word, S(ure) or
    P(ossible), all numbered from 1, and 0 is no word. Any other has one line per pair, of links such as `0-0` (sure)
    and `3p4` or `3?4` (possible), numbered as `numbering` says.

    Raises UserError for a malformed link, a word or sentence that does not exist, and another number of sentences.
    """
    given = streams.in_memory(name, content)
    with ReadingBudget(Caps(seconds=SECONDS)) as budget:
        lines = list(streams.lines(given, budget))
    is_wa = bool(lines) and WA_LINE.fullmatch(lines[0].strip()) is not None
    if is_wa:
        numbering = numbering._replace(first=1)
        found = [*_wa_links(given.name, lines, len(pairs))]
        _check_every_sentence(given.name, found, len(pairs))
    else:
        _check_length(given.name, lines, len(pairs))
        found = [*_pharaoh_links(given.name, lines)]
    by_pair = defaultdict[int, list[FileLink]](list)
    for link in found:
        by_pair[link.pair].append(link)
    return [_gold(given.name, by_pair[at], pair, numbering) for at, pair in enumerate(pairs)]


def _pharaoh_links(name: str, lines: Sequence[str]) -> Iterator[FileLink]:
    for at, line in enumerate(lines):
        for word in line.split():
            match = LINK.fullmatch(word)
            if match is None:
                raise UserError(
                    f"Line {at + 1:,} of `{name}` has `{shortened(word, QUOTED)}`, which is not a link; write sure"
                    " links as 0-0 and possible ones as 3p4, separated by spaces."
                )
            yield FileLink(at, int(match[1]), int(match[3]), match[2] in SURE, at + 1)


def _wa_links(name: str, lines: Sequence[str], n_pairs: int) -> Iterator[FileLink]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        match = WA_LINE.fullmatch(line.strip())
        if match is None:
            raise UserError(
                f"Line {number:,} of `{name}` is `{shortened(line.strip(), QUOTED)}`; write sentence, source word,"
                " target word and S or P, such as 1 2 3 S."
            )
        sentence = int(match[1])
        if not 1 <= sentence <= n_pairs:
            raise UserError(
                f"Line {number:,} of `{name}` links words of sentence {sentence:,}, and there are {n_pairs:,} pairs"
                f" (1 to {n_pairs:,}); give the alignment of exactly these pairs."
            )
        src, tgt = int(match[2]), int(match[3])
        if NULL not in (src, tgt):
            yield FileLink(sentence - 1, src, tgt, (match[4] or "S") in SURE, number)


def _check_every_sentence(name: str, links: Sequence[FileLink], n_pairs: int) -> None:
    missing = sorted({*range(n_pairs)} - {link.pair for link in links})
    if missing:
        n_found = n_pairs - len(missing)
        raise UserError(
            f"`{name}` aligns {n_found:,} sentences, and there are {n_pairs:,} pairs (the first without a link is"
            f" {missing[0] + 1:,}); give the alignment of exactly these pairs."
        )


def _check_length(name: str, lines: Sequence[str], n_pairs: int) -> None:
    n_lines = len(lines)
    if n_lines == n_pairs + 1 and not lines[-1].strip():
        n_lines = n_pairs
    if n_lines != n_pairs:
        raise UserError(
            f"`{name}` has {n_lines:,} lines, and there are {n_pairs:,} pairs; give one line per pair, an empty one"
            " where no word is linked."
        )


def _gold(name: str, links: Sequence[FileLink], pair: Pair, numbering: Numbering) -> Gold:
    first = numbering.first
    sure = set[Link]()
    possible = set[Link]()
    for link in links:
        src, tgt = (link.tgt, link.src) if numbering.is_target_first else (link.src, link.tgt)
        for side, number, text in (("source", src, pair.src), ("target", tgt, pair.tgt)):
            n = n_words(text)
            if not first <= number < first + n:
                has_others = n != len(text.split())
                spaces = (
                    " (only spaces and tabs separate words, no other space)" if has_others else ""
                )
                raise UserError(
                    f"Line {link.line:,} of `{name}` links {side} word {number:,}, and the {side} of pair"
                    f" {link.pair + 1:,} has {n:,} words, numbered {first} to {first + n - 1:,}{spaces}; check that"
                    " the file belongs to these pairs, which side stands first, and whether words count from 0 or 1."
                )
        (sure if link.is_sure else possible).add(shared_link(src - first, tgt - first))
    return Gold(tuple(sorted(sure)), possible=tuple(sorted(possible - sure)))
