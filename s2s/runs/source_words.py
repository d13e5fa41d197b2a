"""The words of a run's training sources, in its words.txt: a model of subwords reads any word, but has seen these."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from pathlib import Path

from s2s import files
from s2s.config import UserError, nfc

FILE = "words.txt"  # one per line, in lower case, sorted
WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
POSSESSIVE = "'s"
MOST = 200_000  # words


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text, each once in whatever case: letters, with apostrophes between them.

    >>> words_of("Tom's well-fed dog, a dog.")
    ("Tom's", 'well', 'fed', 'dog', 'a')
    """
    composed = nfc(text).replace("’", "'")
    found: dict[str, str] = {}
    for word in WORD.findall(composed):
        found.setdefault(word.lower(), word)
    return tuple(found.values())


def unseen(text: str, listed: Set[str]) -> tuple[str, ...]:
    """The words of a text that are not listed, with or without a final `'s`; no words for an empty list."""
    if not listed:
        return ()
    return tuple(
        word
        for word in words_of(text)
        if not {lower := word.lower(), lower.removesuffix(POSSESSIVE)} & listed
    )


def write(folder: Path, sources: Iterable[str]) -> None:
    """List the words of these sources."""
    words = {word.lower() for source in sources for word in words_of(source)}
    files.write_text(folder / FILE, "".join(f"{word}\n" for word in sorted(words)))


def read(folder: Path) -> frozenset[str]:
    """The listed words; none where there is no list. Raises UserError for a list that cannot be read."""
    try:
        words = frozenset((folder / FILE).read_text(encoding="utf-8").split())
    except FileNotFoundError:
        return frozenset()
    except (OSError, ValueError) as error:
        raise UserError(
            f"The {FILE} of the run `{folder.name}` cannot be read; copy the file again, or delete it."
        ) from error
    if len(words) > MOST:
        raise UserError(
            f"The {FILE} of the run `{folder.name}` lists {len(words):,} words, and at most {MOST:,} are read;"
            " delete it."
        )
    return words
