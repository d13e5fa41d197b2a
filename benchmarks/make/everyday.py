"""The everyday English-German pairs of Tatoeba for demo-en-de: which are left out, and how they are split.

Pairs that share a source or a target, apart from case, punctuation and contractions, form a group; a group is in one
split as a whole. Knows nothing of models.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from s2s.config import UserError

FILE = "en-de.tsv.gz"
SHA256 = "ac5644940d4c4ea2783dadf938f61fa5c84b1b3e7dfb8bdc6d8526f3865cb445"
ORIGIN = (
    "Tatoeba's English-German sentences as selected by manythings.org/anki (the file of 2018-04-07), one pair per line:"
    " English, tab, German"
)
LANGUAGES = ("en", "de")
WORDS = Path(__file__).parent  # rude_words.en.txt and rude_words.de.txt
UNSUITABLE = Path(__file__).with_name("unsuitable.txt")
PRIVATE = re.compile(r"\S@\S|www\.|https?:|\d{7,}")  # addresses and telephone numbers
HELD_OUT = 1000  # groups for the test, and as many, but for unsuitable ones, for validation
SIMPLIFIED = 0.08  # of the training sources: small letters and no final period, as many people type

_CONTRACTIONS = (
    ("won't", "will not"),
    ("can't", "can not"),
    ("cannot", "can not"),
    ("shan't", "shall not"),
    ("n't", " not"),
    ("let's", "let us"),
    ("'re", " are"),
    ("'ve", " have"),
    ("'ll", " will"),
    ("'m", " am"),
    ("'d", " would"),
    ("'s", " is"),
)


@dataclass(frozen=True)
class Everyday:
    """The splits: pairs to train and to validate with, and for each test source its references."""

    train: tuple[tuple[str, str], ...]
    valid: tuple[tuple[str, str], ...]
    test: tuple[tuple[str, tuple[str, ...]], ...]
    n_rude: int  # pairs left out by the list of words
    n_private: int  # pairs left out by PRIVATE


def read(folder: Path) -> list[tuple[str, str]]:
    """All pairs of the file. Raises UserError where it is missing or another one."""
    path = folder / FILE
    wanted = f"put the file {FILE} there ({ORIGIN}; sha256 {SHA256}), or set S2S_TEST_DATA to the folder above"
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"`{path}` cannot be read ({error.strerror}); {wanted}.") from error
    found = hashlib.sha256(content).hexdigest()
    if found != SHA256:
        raise UserError(f"`{path}` has the sha256 {found}; {wanted}.")
    lines = gzip.decompress(content).decode("utf-8").splitlines()
    pairs = (line.split("\t")[:2] for line in lines)
    return [(_tidy(source), _tidy(target)) for source, target in pairs]


def split(pairs: Sequence[tuple[str, str]]) -> Everyday:
    """The pairs without rude and private ones, split by group in an order that follows from the texts alone."""
    private = [any(PRIVATE.search(text) for text in pair) for pair in pairs]
    rude = [any(map(is_rude, pair, LANGUAGES)) for pair in pairs]
    kept = [pair for pair, *out in zip(pairs, private, rude, strict=True) if not any(out)]
    groups = sorted(grouped(kept), key=lambda group: _order(key(group[0][0])))
    unsuitable = set(_lines(UNSUITABLE))
    held_out = [group for group in groups[: 2 * HELD_OUT] if group[0][0] not in unsuitable]
    test = tuple(_with_references(group) for group in held_out[:HELD_OUT])
    valid = [pair for group in held_out[HELD_OUT:] for pair in group]
    train = [pair for group in groups[2 * HELD_OUT :] for pair in group]
    train.sort(key=lambda pair: _order("\t".join(pair)))
    return Everyday(tuple(_simplified(train)), tuple(valid), test, sum(rude), sum(private))


def grouped(pairs: Iterable[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """The pairs by group, in the order of their first ones: what shares a source or a target is together."""
    parents: dict[tuple[str, str], tuple[str, str]] = {}

    def root(node: tuple[str, str]) -> tuple[str, str]:
        parents.setdefault(node, node)
        while parents[node] != node:
            parents[node] = parents[parents[node]]
            node = parents[node]
        return node

    listed = list(pairs)
    for source, target in listed:
        parents[root(("source", key(source)))] = root(("target", key(target)))
    groups: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for source, target in listed:
        groups.setdefault(root(("source", key(source))), []).append((source, target))
    return list(groups.values())


def key(text: str) -> str:
    """A sentence without case, punctuation and contractions: what must be equal for two to count as the same."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    for short, long in _CONTRACTIONS:
        plain = plain.replace(short, long)
    return " ".join(re.findall(r"\w+", plain))


def is_rude(text: str, language: str) -> bool:
    """Whether a word, the beginning of a word, or a phrase of the list is in it."""
    listed = _rude(language)
    words = _words(text)
    line = f" {' '.join(words)} "
    return (
        not listed.words.isdisjoint(words)
        or any(word.startswith(listed.beginnings) for word in words)
        or any(phrase in line for phrase in listed.phrases)
    )


def _lines(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


class RudeWords(NamedTuple):
    """A list of words, by how they are looked for."""

    words: frozenset[str]
    beginnings: tuple[str, ...]
    phrases: tuple[str, ...]  # with a space on each side


@cache
def _rude(language: str) -> RudeWords:
    lines = [line.casefold() for line in _lines(WORDS / f"rude_words.{language}.txt")]
    beginnings = tuple(line[:-1] for line in lines if line.endswith("*") and " " not in line)
    phrases = tuple(f" {' '.join(_words(line))} " for line in lines if " " in line)
    return RudeWords(frozenset(lines), beginnings, phrases)


def _tidy(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _order(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _with_references(group: Sequence[tuple[str, str]]) -> tuple[str, tuple[str, ...]]:
    source = group[0][0]
    same = [target for other, target in group if key(other) == key(source)]
    return source, tuple(dict.fromkeys(same))


def _simplified(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """A part of the sources as many people type them; their targets stay."""
    limit = int(SIMPLIFIED * 16**8)
    for source, target in pairs:
        is_chosen = int(_order(f"simplified\t{source}")[:8], 16) < limit
        yield (source.lower().rstrip(".!? ") if is_chosen else source), target
