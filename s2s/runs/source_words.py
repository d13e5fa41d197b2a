"""The words of a run's training sources, in its words.txt: a model of subwords reads any word, but has seen these."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING

from tokenizers import Regex, pre_tokenizers

from s2s import files
from s2s.config import UserError, nfc
from s2s.tokenizers import visible

if TYPE_CHECKING:
    from s2s.runs.run import Run

FILE = "words.txt"  # one per line, in lower case, sorted
POSSESSIVE = "'s"
# words, and bytes of the file; of more there is no list
MOST = 200_000
MOST_BYTES = 2_000_000
MOST_NAMED = 20  # unknown words in a note

# Scripts without spaces between words: each of their letters counts as a word.
SCRIPTS = ("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan")
UNSPACED = "".join(rf"\p{{{script}}}" for script in SCRIPTS)
# With marks, which spell vowels in many scripts, and with the joiners of Persian and Indic words.
LETTERS = rf"[\p{{L}}&&[^{UNSPACED}]][[\p{{L}}\p{{M}}\x{{200c}}\x{{200d}}]&&[^{UNSPACED}]]*"
WORD = Regex(rf"[{UNSPACED}&&\p{{L}}]\p{{M}}*|{LETTERS}(?:'{LETTERS})*")
WORDS = pre_tokenizers.Split(WORD, "removed", invert=True)


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text, each once in whatever case: letters, with apostrophes between them.

    >>> words_of("Tom's well-fed dog, a dog.")
    ("Tom's", 'well', 'fed', 'dog', 'a')
    """
    composed = nfc(text).replace("’", "'")
    found: dict[str, str] = {}
    for word, _ in WORDS.pre_tokenize_str(composed):
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


def of_sources(sources: Iterable[str]) -> frozenset[str]:
    """The words of these sources, in lower case."""
    return frozenset(word.lower() for source in sources for word in words_of(source))


def known_to(run: Run) -> frozenset[str]:
    """The words that a run lists, else its vocabulary where that is one of source words; none where it is unknown."""
    if words := read(run.folder.path):
        return words
    return frozenset() if run.has_one_vocabulary else of_sources(run.src_tokenizer.words)


def unknown_notes(run: Run, sources: Sequence[str]) -> list[str]:
    """What of these sources becomes `<unk>`, and which of their words no training sentence had."""
    tokenizer = run.src_tokenizer
    parts = dict.fromkeys(part for text in sources for part in tokenizer.unknown_parts(text))
    named = {word.lower() for part in parts for word in words_of(part)}
    new = [word for word in unseen("\n".join(sources), known_to(run)) if word.lower() not in named]
    notes = []
    if parts:
        shown = _first([visible(part) for part in parts])
        notes.append(f"Unknown {tokenizer.unknown_kind}s, read as <unk>: {shown}")
    if new:
        notes.append(f"Words that no training sentence had: {_first(new)}")
    return notes


def _first(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return " ".join(names[:MOST_NAMED]) + more


def coverage_note(sources: Sequence[str], known: Set[str], what: str) -> str:
    """One sentence where all words of these sources were read in training; "" elsewhere, and where they have no words.

    `what` each source is, such as "validation source"; `known` are the words of the training sources.
    """
    words = of_sources(sources)
    if not words or not known or unseen("\n".join(words), known):
        return ""
    n = len(sources)
    which = f"{n:,} {what}s" if n > 1 else what
    return (
        f"Every word of the {which} is in the training sources: high scores here show how the model"
        " combines words that it knows, and nothing of new words."
    )


def coverage_of(run: Run, sources: Sequence[str]) -> str:
    """`coverage_note` of a run's sources; "", too, where some of their words become `<unk>`."""
    if any(map(run.src_tokenizer.unknown_parts, sources)):
        return ""
    return coverage_note(sources, known_to(run), "source")


def write(folder: Path, words: Set[str]) -> None:
    """List these words, in lower case; no list where they are too many."""
    content = "".join(f"{word}\n" for word in sorted(words))
    if len(words) <= MOST and len(content.encode()) <= MOST_BYTES:
        files.write_text(folder / FILE, content)


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
