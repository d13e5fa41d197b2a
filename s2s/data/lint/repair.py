"""Mends texts instead of removing them: HTML entities, text in a wrong encoding, and characters that nobody sees."""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import TYPE_CHECKING

from s2s.config import Cleaning
from s2s.data.corpus import Corpus
from s2s.data.formats.table import one_line
from s2s.data.lint.problems import without_invisible

if TYPE_CHECKING:
    import ftfy


def repaired(corpus: Corpus, cleaning: Cleaning) -> Corpus:
    """The corpus with mended texts if `cleaning.repair` is on, and a note on how many pairs have changed.

    >>> repaired(Corpus("", "train", (Pair("Tom &amp; I", "cafÃ©"),)), Cleaning(repair=True)).pairs
    (Pair(src='Tom & I', tgt='café', gold=None),)
    """
    if not cleaning.repair:
        return corpus
    pairs = []
    n_changed = 0
    for pair in corpus.pairs:
        src = repaired_text(pair.src)
        tgt = repaired_text(pair.tgt)
        is_changed = (src, tgt) != (pair.src, pair.tgt)
        n_changed += is_changed
        if is_changed:
            more = tuple(map(repaired_text, pair.more))
            pair = dataclasses.replace(pair, src=src, tgt=tgt, gold=None, more=more)  # noqa: PLW2901
        pairs.append(pair)
    if not n_changed:
        return corpus
    n_pairs = "1 pair was" if n_changed == 1 else f"{n_changed:,} pairs were"
    note = f"{n_pairs} repaired: HTML entities, a wrong encoding, invisible characters or runs of spaces."
    return dataclasses.replace(corpus, pairs=tuple(pairs), notes=(*corpus.notes, note))


def repaired_text(text: str) -> str:
    """`"l&#39;Ã©tÃ©"` -> `"l'été"`; quotation marks, ligatures and character widths stay as they are."""
    from ftfy import fix_text
    from ftfy.badness import is_bad

    if "&" not in text and not is_bad(text):  # many times faster than the whole of ftfy
        return without_invisible(text)
    return without_invisible(one_line(fix_text(text, _config())))


@cache
def _config() -> ftfy.TextFixerConfig:
    from ftfy import TextFixerConfig

    return TextFixerConfig(
        unescape_html=True,
        normalization=None,
        fix_latin_ligatures=False,
        fix_character_width=False,
        uncurl_quotes=False,
        fix_line_breaks=False,
        fix_surrogates=False,
        remove_control_chars=False,
        remove_terminal_escapes=False,
        explain=False,
    )
