"""Which language codes of a .tmx file are one language: `en`, `en-US` and `en_GB`, but not `zh-Hans` and `zh-TW`."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from s2s.data.formats.column_names import AMBIGUOUS

# The script of a code without one, for languages that are written in two.
SCRIPTS = {
    **{code: "latn" for code in ("az", "bs", "ku", "ms", "uz")},
    **{code: "cyrl" for code in ("kk", "mn", "sr", "tt")},
    **{"zh": "hans", "pa": "guru", "sd": "arab"},
}
OF_A_REGION = {"zh-tw": "hant", "zh-hk": "hant", "zh-mo": "hant", "pa-pk": "arab"}
LONG = """
ara ar, arb ar, ces cs, chi zh, cmn zh, cze cs, dan da, deu de, dut nl, ell el, eng en, fin fi, fra fr, fre fr, ger de,
gre el, heb he, hin hi, hun hu, in id, ind id, ita it, iw he, jpn ja, kor ko, nld nl, nor no, pol pl, por pt, ron ro,
rum ro, rus ru, spa es, swe sv, tur tr, ukr uk, zho zh
"""
OTHER_CODES = dict(pair.split() for pair in LONG.split(","))  # of ISO 639-2, and old ones
LENGTH = 4  # letters of a script's code
MOST_JUDGED = 30  # languages of a file, of which two are chosen
MOST_SAID = 8  # languages in a note
LOCALES = {"latin": "latn", "cyrillic": "cyrl", "devanagari": "deva"}  # `sr@latin`


def alike(code: str) -> str:
    """The code in lower case, with `-`: `en-us` for `en_US` and `en_US.UTF-8`, too."""
    return code.strip().partition(".")[0].replace("_", "-").replace("@", "-").casefold()


def language(code: str) -> str:
    """The base language of a code, with the script where it has several: `en_GB` -> `en`, `zh-TW` -> `zh-hant`."""
    base, *parts = alike(code).split("-")
    base = OTHER_CODES.get(base, base)
    parts = [LOCALES.get(part, part) for part in parts]
    script = next((part for part in parts if len(part) == LENGTH and part.isalpha()), "")
    region = next((part for part in parts if len(part) == 2), "")
    script = script or OF_A_REGION.get(f"{base}-{region}") or SCRIPTS.get(base, "")
    return f"{base}-{script}" if script else base


class Languages:
    """The columns of a file, judged by its first units: the languages, the source first, then their variants.

    A file in only one language, such as en-US to en-GB, has a column per code.
    """

    def __init__(self, texts: Sequence[Mapping[str, str]], srclang: str) -> None:
        codes = list(dict.fromkeys(code for each in texts for code in each))
        self._is_apart = len({*map(language, codes)}) < 2
        self._srclang = alike(srclang)
        variants = dict[str, list[str]]()
        for code in codes:
            variants.setdefault(self._group(code), []).append(code)
        order = list(variants)
        source = self._group(srclang) if srclang else ""
        self.is_moved = source in order[1:]
        for at, group in enumerate(self._pair(texts, order, source)):
            order.remove(group)
            order.insert(at, group)
        bases = [group.split("-")[0] for group in order]
        names = {
            group: variants[group][0]
            if len(variants[group]) == 1
            else (base if bases.count(base) == 1 else _spelled(group))
            for group, base in zip(order, bases, strict=True)
        }
        taken = {*map(alike, names.values())}
        singles = [
            code
            for group in order
            if len(variants[group]) > 1
            for code in variants[group]
            if alike(code) not in taken
        ]
        self.names = [*names.values(), *singles]
        self._bases = list(dict.fromkeys(bases))
        self._by_group = {group: at for at, group in enumerate(order)}
        # The codes of each column; later units may add some to a language.
        self._codes = [*(variants[group] for group in order), *([code] for code in singles)]
        self._known = {*codes}
        self._said: tuple[Sequence[int], list[str]] = ((), [])

    def _pair(
        self, texts: Sequence[Mapping[str, str]], order: Sequence[str], source: str
    ) -> Sequence[str]:
        """Two groups of different languages: the source and the first beside it, unless another pair is in more than
        twice as many units.
        """
        sources = [source] if source in order else order[:MOST_JUDGED]
        pairs = [(one, two) for one in sources for two in order[:MOST_JUDGED] if one != two]
        different = [(one, two) for one, two in pairs if one.split("-")[0] != two.split("-")[0]]
        if not pairs:
            return sources
        pairs = different or pairs
        judged = {group for pair in pairs for group in pair}
        units = Counter[Sequence[str]]()
        in_order = Counter[Sequence[str]]()
        for each in texts:
            groups = [one for one in dict.fromkeys(map(self._group, each)) if one in judged]
            units.update(itertools.permutations(groups, 2))
            in_order.update(itertools.combinations(groups, 2))
        best = max(pairs, key=lambda pair: (units[pair], in_order[pair]))
        return best if units[best] > 2 * units[pairs[0]] else pairs[0]

    def order(self) -> str:
        """What tells source from target, for `Table`: the source's code without script and region, "" where the file
        names none; or all languages, where a code is also a word, such as `no` and `id`.
        """
        if AMBIGUOUS.intersection(self._bases):
            return "-".join(self._bases)
        return self._srclang.split("-")[0]

    def say(self, chosen: Sequence[int], notes: list[str]) -> None:
        """Adds a sentence to `notes` on languages that are not chosen, if there are any, and from now on one for each
        code that is read in a chosen column of another name.
        """
        self._said = (chosen, notes)
        read = {code for at in chosen for code in self._codes[at]}
        columns = zip(self.names, self._codes[: len(self._by_group)], strict=False)
        others = [f"`{name}`" for name, codes in columns if read.isdisjoint(codes)]
        if others:
            more = f" and {len(others) - MOST_SAID:,} more" if len(others) > MOST_SAID else ""
            notes.append(f"The file also has texts in {', '.join(others[:MOST_SAID])}{more}.")
        for at in chosen:
            for code in self._codes[at]:
                self._say(at, code)

    def fields(self, texts: Mapping[str, str], chosen: Iterable[int]) -> list[str | None]:
        """The text of each chosen column: of several variants the `srclang`, else the first."""
        if not self._known.issuperset(texts):
            for code in [code for code in texts if code not in self._known]:
                self._learn(code)
        return [
            texts.get(codes[0]) if len(codes) == 1 else self._first(texts, codes)
            for codes in map(self._codes.__getitem__, chosen)
        ]

    def _first(self, texts: Mapping[str, str], codes: Sequence[str]) -> str | None:
        found = [(code, text) for code, text in texts.items() if code in codes and text]
        of_source = [text for code, text in found if alike(code) == self._srclang]
        return next(iter(of_source or [text for _, text in found]), None)

    def _learn(self, code: str) -> None:
        self._known.add(code)
        at = self._by_group.get(self._group(code))
        if at is not None:
            self._codes[at].append(code)
            if at in self._said[0]:
                self._say(at, code)

    def _say(self, at: int, code: str) -> None:
        note = f"`{code}` is read as `{self.names[at]}`: one language."
        if code != self.names[at] and note not in self._said[1]:
            self._said[1].append(note)

    def _group(self, code: str) -> str:
        return alike(code) if self._is_apart else language(code)


def _spelled(group: str) -> str:
    base, _, script = group.partition("-")
    return f"{base}-{script.title()}" if script else base
