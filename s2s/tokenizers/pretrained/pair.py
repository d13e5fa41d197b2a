"""Both tokenizers of a multilingual model: the languages of each side, and what surrounds a text in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from s2s.config import SpecialIds
from s2s.tokenizers.tokenizer import Tokenizer

Pair = tuple[Tokenizer, Tokenizer]  # of source and target


class Languages(NamedTuple):
    """The codes of a source's and a target's language; empty where a model has none, or none is chosen."""

    src: str = ""
    tgt: str = ""


class OfferedLanguages(NamedTuple):
    """The codes to choose from, of each side."""

    src: tuple[str, ...] = ()
    tgt: tuple[str, ...] = ()


def languages_of(pair: Pair) -> Languages:
    """The languages that are chosen for source and target."""
    src, tgt = pair
    if _source_says_target(pair):
        return Languages(tgt=src.language or "")
    return Languages(src.language or "", tgt.language or "")


def offered_languages(pair: Pair) -> OfferedLanguages:
    """The languages to choose from; None for a model that knows one pair of languages only."""
    src, tgt = pair
    if _source_says_target(pair):
        return OfferedLanguages(tgt=src.languages)
    return OfferedLanguages(src.languages, tgt.languages)


def in_languages(pair: Pair, wanted: Languages) -> Pair:
    """The tokenizers for texts in other languages; an empty code leaves its side as it is.

    Raises UserError for a language that the model lacks.
    """
    src, tgt = pair
    src_lang, tgt_lang = wanted
    if _source_says_target(pair):
        src_lang = tgt_lang or src_lang
        tgt_lang = ""
    if src_lang:
        src = src.in_language(src_lang)
    if tgt_lang:
        tgt = tgt.in_language(tgt_lang)
    return src, tgt


def _source_says_target(pair: Pair) -> bool:
    src, tgt = pair
    return bool(src.languages) and not tgt.languages


def surrounded(ids: SpecialIds, pair: Pair) -> SpecialIds:
    """The ids with what both tokenizers put around a text.

    A target's language is forced, like a first token that the ids force already; any other first token of the target's
    tokenizer belongs to a given target, and the model chooses whether to write it.
    """
    src, tgt = pair
    ids = replace(ids, **_around_source(ids, src))
    if tgt.language is not None and not tgt.first_ids:
        return replace(ids, start=tgt.start_id)
    if tgt.language is not None:
        return replace(ids, tgt_first=tgt.first_ids[0], forces_first=True)
    if ids.forced_first is not None:
        return ids
    return replace(ids, tgt_first=_only(tgt.first_ids), forces_first=not tgt.first_ids)


def _around_source(ids: SpecialIds, src: Tokenizer) -> dict[str, Any]:
    first, last = src.first_ids, src.last_ids
    if len(first) <= 1 and last[:1] == (ids.eos,) and len(last) <= 2:
        return {"src_first": _only(first), "src_last": _only(last[1:]), "src_template": ""}
    template = " ".join(map(str, (*first, "$A", *last)))
    return {"src_first": None, "src_last": None, "src_template": template}


def _only(ids: Sequence[int]) -> int | None:
    return ids[0] if ids else None
