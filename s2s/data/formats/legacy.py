"""Encodings older than Unicode: which one some bytes are in, judged by the words that are not ASCII.

English beside Russian says nothing of the Russian: so only words with such bytes count, whatever column they are in.
"""

from __future__ import annotations

import codecs
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from s2s.config import UserError, shortened

LATIN_CODEC = "cp1252"
# Letters beyond ASCII of each language, the most frequent first.
LETTERS: Mapping[str, str] = MappingProxyType(
    {
        "French": "éèàêçôâîûùœïëÿæü",
        "German": "üäößéàè",
        "Spanish": "óáíéñúü¿¡",
        "Portuguese": "ãçéáóêíõúâàôü",
        "Italian": "èàùòìéíó",
        "Swedish": "äåöéüà",
        "Danish": "øåæéèöä",
        "Icelandic": "íáðéöóþúæý",
        "Finnish": "äöåéš",
        "Dutch": "ëéïèöüáó",
        "Catalan": "àéèíòóúçïü·",
        "Estonian": "äõüöšž",
        "Polish": "łęążśćóńź",
        "Czech": "íáěéýřčšžůúťóňď",
        "Slovak": "áíéčýšžúľťňôóďäĺŕ",
        "Hungarian": "áéöóőüíúű",
        "Romanian": "ăîşţâșț",
        "Croatian": "čšžćđ",
        "Turkish": "ıüşğçöİâîû",
        "Lithuanian": "ėųšąžįūčę",
        "Latvian": "āīēšūņļžģķč",
        "Vietnamese": "đàáạảâăêôơưìịòóùúèéíýọớờộểếềấầậủụứừữựốồổỗ\u0300\u0301\u0303\u0309\u0323₫",
        "Russian": "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё",
        "Ukrainian": "оаниівретскмлудпязьбгйчхцжїюєшщфґ",
        "Bulgarian": "аиоентрсвлкдпмъзубгящчйцжхшфью",
        "Serbian": "аоиенрјтскувдмплзбгцчшњжћљђхџф",
        "Greek": "αοιτεσνηυρπκμλςωγδόίέάύήώθχφβξζψϊϋΐΰ",
        "Hebrew": "יוהלאמרבתשנכדםקעפחןגזטצסךףץ\u05b0\u05b4\u05b5\u05b6\u05b7\u05b8\u05b9\u05bc",
        "Arabic": "اليمنرتوبدعفسهقكحجةشطصخأذىضزثغئءظإؤآ،؟ًٌٍَُِّْ",
        "Persian": "ايرندمهتوبسشکكگزفقلخعجپحطصذچغضژثظآئءأ،؟\u200c",
        "Thai": "านรอกเงม่ยลวดท้สตะปบคหแจพชขใไโผธณศษซถภญฐฟฝฉฆฎฏฑฒฌฮฬูุีิึัืำๆ็์ๅ",
    }
)
WEST = (
    "French",
    "German",
    "Spanish",
    "Portuguese",
    "Italian",
    "Swedish",
    "Danish",
    "Icelandic",
    "Finnish",
    "Dutch",
    "Catalan",
    "Estonian",
)
CENTRAL = ("Polish", "Czech", "Slovak", "Hungarian", "Romanian", "Croatian")
CYRILLIC = ("Russian", "Ukrainian", "Bulgarian", "Serbian")
LATIN_LANGUAGES = frozenset({*WEST, *CENTRAL, "Turkish", "Lithuanian", "Latvian", "Vietnamese"})
ONE_BYTE: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {  # of codecs that agree on a text, the first is named
        LATIN_CODEC: ("Latin-1 (Windows-1252)", WEST),
        "cp1251": ("Windows-1251", CYRILLIC),
        "cp1250": ("Windows-1250", CENTRAL),
        "cp1253": ("Windows-1253", ("Greek",)),
        "cp1254": ("Windows-1254", ("Turkish",)),
        "cp1255": ("Windows-1255", ("Hebrew",)),
        "cp1256": ("Windows-1256", ("Arabic", "Persian")),
        "cp1257": ("Windows-1257", ("Lithuanian", "Latvian", "Estonian")),
        "cp1258": ("Windows-1258", ("Vietnamese",)),
        "cp874": ("Windows-874", ("Thai",)),
        "koi8-r": ("KOI8-R", ("Russian", "Bulgarian")),
        "koi8-u": ("KOI8-U", ("Ukrainian",)),
        "cp866": ("DOS code page 866", ("Russian", "Bulgarian")),
        "iso8859-2": ("ISO-8859-2", CENTRAL),
        "iso8859-5": ("ISO-8859-5", CYRILLIC),
        "iso8859-6": ("ISO-8859-6", ("Arabic",)),
        "iso8859-7": ("ISO-8859-7", ("Greek",)),
        "mac-cyrillic": ("Mac Cyrillic", CYRILLIC),
        "mac-roman": ("Mac Roman", WEST),
        "iso8859-15": ("ISO-8859-15", WEST),
        "cp850": ("DOS code page 850", WEST),
        "cp852": ("DOS code page 852", CENTRAL),
    }
)
TWO_BYTES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "cp932": ("Shift-JIS", "Japanese"),
        "euc_jp": ("EUC-JP", "Japanese"),
        "gb18030": ("GB18030", "Chinese"),
        "cp950": ("Big5", "Chinese"),
        "cp949": ("EUC-KR", "Korean"),
    }
)
NO_TEXT = frozenset(
    {"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem"}
)
WORD = re.compile(rb"[A-Za-z\x80-\xff]*[\x80-\xff][A-Za-z\x80-\xff]*")
TWO_SCRIPTS = re.compile(r"[A-Za-z](?![A-Za-z])[^\W\d_]|[^\W\d_A-Za-z][A-Za-z]")
MIN_MIXED = 3  # words
MAX_MIXED = 0.1  # of the words
PUNCTUATION = frozenset("«»“”„‘’‚‹›–—…\u00a0•·§©®°€£№™ºª،؛؟、。，！？：；「」『』（）《》・ー")
MIN_UTF8 = 6  # bytes of a line beyond its characters, by which it is UTF-8
N_BYTES = 1 << 13  # of the lines that are judged
# Natural logarithms of probabilities.
MARK = -5.5  # a punctuation mark
QUOTE = -2.0  # one of the marks that word processors write, in its place
OLD = 4.0  # by which a codec of DOS or Mac OS is less likely
FOREIGN = -9.0  # a letter that the language does not have
SYMBOL = -11.0
CAPITAL = -0.7
MIXED = -5.0  # a capital after a small letter, or a Latin letter beside one of another script
ADJACENT = -1.5  # two letters beyond ASCII in a language of Latin letters
RARER = 5.0  # a language that is not the first of its encoding
MARGIN = 3.0  # by which another encoding must be more likely than Latin-1
WORST = -5.0  # per letter
WORST_OF_TWO = -9.8  # per character of two bytes


class Likely(NamedTuple):
    """An encoding that bytes seem to be in."""

    codec: str  # as `#encoding=` takes it
    label: str
    language: str
    example: str  # the first words that are not ASCII

    def __str__(self) -> str:
        return f"{self.label} ({self.language})"


def named(encoding: str) -> str:
    """What people call an encoding; the name itself if it is none of those here. Raises UserError for no encoding."""
    try:
        name = codecs.lookup(encoding).name.replace("_", "-")
        is_text = codecs.lookup(encoding)._is_text_encoding
    except LookupError:
        is_text, name = False, ""
    if not is_text or name.replace("-", "_") in NO_TEXT:
        raise UserError(
            f"There is no encoding `{shortened(encoding, 40)}`; give one such as cp1251, koi8-r, shift_jis or gb18030."
        )
    known = {
        codecs.lookup(codec).name: label
        for codec, (label, _) in [*ONE_BYTE.items(), *TWO_BYTES.items()]
    }
    return known.get(codecs.lookup(encoding).name, encoding)


def is_stateful(codec: str) -> bool:
    """Whether a codec's bytes may look like ASCII, as those of ISO-2022-JP and UTF-16 do."""
    return (codec != "" and "AAAA".encode(codec) != b"A" * 4) or codecs.lookup(
        codec or "ascii"
    ).name.startswith(("iso2022", "hz", "utf-7"))


def likely(data: bytes) -> Likely | None:
    """The most likely encoding of bytes that are not UTF-8; None for Latin-1, or if none is likely."""
    sample = _sample(data)
    words = Counter(WORD.findall(sample))
    best, best_score, latin = None, -math.inf, -math.inf
    for codec, (label, languages) in ONE_BYTE.items():
        try:
            texts = [(word.decode(codec), n) for word, n in words.items()]
        except UnicodeDecodeError:
            continue
        n_high = _n_high(texts)
        for language in languages:
            score = sum(n * _score(text, language) for text, n in texts)
            if language != languages[0] and language not in LATIN_LANGUAGES:
                score -= RARER
            if codec == LATIN_CODEC:
                latin = max(latin, score)
            if codec.startswith(("mac", "cp8")) and codec != "cp874":
                score -= OLD
            if score > best_score and score >= WORST * n_high:
                best, best_score = (
                    Likely(codec, label, language, _example(text for text, _ in texts)),
                    score,
                )
    for codec, (label, language) in TWO_BYTES.items():
        text = _decoded(sample, codec)
        high = [character for character in text if not character.isascii()]
        score = sum(_score_wide(character, language, codec) for character in high)
        if high and score > best_score and score >= WORST_OF_TWO * len(high):
            example = _example(re.findall(r"[^\x00-\x7f]+", text))
            best, best_score = Likely(codec, label, language, example), score
    if best is None or best.codec == LATIN_CODEC or best_score < latin + MARGIN:
        return None
    return best


def fits(data: bytes, codec: str) -> bool:
    """Whether bytes may be in this encoding; true for one that is not judged here."""
    known = {codecs.lookup(name).name: languages for name, (_, languages) in ONE_BYTE.items()}
    sample = _sample(data)
    if not _decoded(sample, codec):
        return False
    texts = [
        (word.decode(codec, "replace"), n) for word, n in Counter(WORD.findall(sample)).items()
    ]
    scores = [
        sum(n * _score(text, language) for text, n in texts)
        for language in known.get(codecs.lookup(codec).name, ())
    ]
    return not scores or max(scores) >= WORST * _n_high(texts)


def _n_high(texts: Iterable[tuple[str, int]]) -> int:
    return sum(n * sum(not character.isascii() for character in text) for text, n in texts)


def of_two_scripts(data: bytes, found: Likely) -> list[str]:
    """The words that would mix Latin letters with those of another script, as `thй` does, if there are many."""
    if found.codec not in ONE_BYTE or found.language in LATIN_LANGUAGES:
        return []
    words = {word.decode(found.codec, "replace") for word in WORD.findall(_sample(data))}
    mixed = sorted(word for word in words if TWO_SCRIPTS.search(word))
    return mixed if len(mixed) >= max(MIN_MIXED, MAX_MIXED * len(words)) else []


def has_utf8_lines(data: bytes) -> bool:
    """Whether some lines are UTF-8, with so many such characters that it is no chance."""
    for line in _sample(data).split(b"\n"):
        try:
            text = line.decode()
        except UnicodeDecodeError:
            continue
        if len(line) - len(text) >= MIN_UTF8:
            return True
    return False


def _sample(data: bytes) -> bytes:
    lines = dict[bytes, None]()
    n_bytes = 0
    for line in re.split(rb"[\r\n]+", data):
        if not line.isascii() and line not in lines:
            lines[line[:N_BYTES]] = None
            n_bytes += len(line)
            if n_bytes > N_BYTES:
                break
    return b"\n".join(lines)


def _decoded(sample: bytes, codec: str) -> str:
    try:
        return codecs.getincrementaldecoder(codec)().decode(sample)
    except UnicodeDecodeError:
        return ""


def _example(texts: Iterable[str]) -> str:
    return shortened(
        " ".join(dict.fromkeys(text for text, _ in zip(texts, range(6), strict=False))), 60
    )


@cache
def _logs(language: str) -> Mapping[str, float]:
    letters = LETTERS[language]
    offset = 1 if language in LATIN_LANGUAGES else 8
    weights = [1 / (rank + offset) for rank in range(len(letters))]
    total = sum(weights)
    return {
        letter: math.log(weight / total) for letter, weight in zip(letters, weights, strict=True)
    }


def _score(word: str, language: str) -> float:
    logs = _logs(language)
    is_latin = language in LATIN_LANGUAGES
    score = 0.0
    before = ""
    for character, after in zip(word, f"{word[1:]} ", strict=True):
        is_wide = not character.isascii()
        if is_wide:
            found = logs.get(character)
            if found is None and (small := character.lower()) != character:
                found = logs.get(small)
                if found is not None and not before.isupper():
                    found += CAPITAL
            if character == "ς" and after.isalpha():  # which only ends a word
                found = FOREIGN
            if found is None:
                is_inside = before.isalpha() and after.isalpha() and character not in "’\u00a0"
                is_mark = character in PUNCTUATION and not is_inside
                found = (
                    _mark(character, before, after)
                    if is_mark
                    else FOREIGN
                    if character.isalpha()
                    else SYMBOL
                )
            score += found
        if before and character.isalpha() and before.isalpha():
            is_both = is_wide and not before.isascii()
            if character.isupper() and before.islower():
                score += MIXED
            if is_latin and is_both:
                score += ADJACENT
            if not is_latin and is_wide == before.isascii():
                score += MIXED
        before = character
    return score


def _mark(character: str, before: str, after: str) -> float:
    if character in "“‘«„‚":
        return MARK if before.isalpha() else QUOTE
    if character in "’”»":
        return QUOTE if before.isalpha() or not after.isalpha() else MARK
    return QUOTE if character in "–—…" else MARK


def _score_wide(character: str, language: str, codec: str) -> float:
    if (
        character in PUNCTUATION
        or "\uff01" <= character <= "\uff5e"
        or "\u3000" <= character <= "\u3020"
    ):
        return MARK
    if "\u3041" <= character <= "\u30ff":
        return -4.4 if language == "Japanese" else SYMBOL
    if "\uac00" <= character <= "\ud7a3":
        return (-6.7 if _lead(character, "euc_kr") else SYMBOL) if language == "Korean" else SYMBOL
    if "\u4e00" <= character <= "\u9fff" and language != "Korean":
        lead = _lead(
            character,
            {"Japanese": "euc_jp"}.get(language, "gb2312" if codec == "gb18030" else "big5"),
        )
        first, last = {"Japanese": (0xB0, 0xCF)}.get(
            language, (0xB0, 0xD7) if codec == "gb18030" else (0xA4, 0xC6)
        )
        return -7.3 if first <= lead <= last else SYMBOL
    return SYMBOL - 2.0


def _lead(character: str, codec: str) -> int:
    encoded = character.encode(codec, "ignore")
    return encoded[0] if len(encoded) == 2 else 0
