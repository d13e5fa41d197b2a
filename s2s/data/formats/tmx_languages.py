"""Which language codes of a .tmx file are one language: `en`, `en-US` and `en_GB`, but not `zh-Hans` and `zh-TW`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

# The script of a code without one, for languages that are written in two.
SCRIPTS = {
    **{code: "latn" for code in ("az", "bs", "ku", "ms", "uz")},
    **{code: "cyrl" for code in ("kk", "mn", "sr", "tt")},
    **{"zh": "hans", "pa": "guru", "sd": "arab"},
}
OF_A_REGION = {"zh-tw": "hant", "zh-hk": "hant", "zh-mo": "hant", "pa-pk": "arab"}
LENGTH = 4  # letters of a script's code


def alike(code: str) -> str:
    """The code in lower case, with `-`."""
    return code.strip().replace("_", "-").casefold()


def language(code: str) -> str:
    """The base language of a code, with the script where it has several: `en_GB` -> `en`, `zh-TW` -> `zh-hant`."""
    base, *parts = alike(code).split("-")
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
        self._groups = dict[str, str]()  # of each code, looked up once
        variants = dict[str, list[str]]()
        for code in codes:
            variants.setdefault(self._group(code), []).append(code)
        order = list(variants)
        source = self._group(srclang) if srclang else ""
        self.is_moved = source in order[1:]
        if self.is_moved:
            order.remove(source)
            order.insert(0, source)
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
        self._by_group = {group: at for at, group in enumerate(order)}
        self._single = {code: len(order) + at for at, code in enumerate(singles)}
        self._said = set[str]()

    def base(self) -> str:
        """The source language without script and region, "" where the file names none."""
        return self._srclang.split("-")[0]

    def fields(
        self, texts: Mapping[str, str], chosen: Iterable[int], notes: list[str] | None = None
    ) -> list[str | None]:
        """The text of each chosen column: of several variants the `srclang`, else the first.

        `notes` gets a sentence for each variant that is read as another.
        """
        found = dict[int, str]()
        for code, text in texts.items():
            at = self._by_group.get(self._groups.get(code) or self._group(code), -1)
            if at not in found or (text and (not found[at] or alike(code) == self._srclang)):
                found[at] = text
            if code in self._single:
                found[self._single[code]] = text
            if notes is not None and code not in self._said:
                self._said.add(code)
                if at in chosen and code != self.names[at]:
                    notes.append(f"`{code}` is read as `{self.names[at]}`: one language.")
        return [found.get(at) for at in chosen]

    def _group(self, code: str) -> str:
        group = self._groups.get(code)
        if group is None:
            group = self._groups[code] = alike(code) if self._is_apart else language(code)
        return group


def _spelled(group: str) -> str:
    base, _, script = group.partition("-")
    return f"{base}-{script.title()}" if script else base
