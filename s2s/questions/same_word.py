"""One word in two sentences: how similar its states are after each layer, and what the model translates each as."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from s2s.analysis import (
    Floats,
    HeadSelection,
    WordStates,
    alignable_words,
    cosines,
    reduced,
    word_indices,
    word_texts,
)
from s2s.config import UserError
from s2s.demo import EXAMPLES
from s2s.questions.attention_of import AttentionOf
from s2s.questions.finding import Finding, first
from s2s.questions.have import Have
from s2s.questions.pool import PoolOf, other_sentences, probe_sentences, source_as_it_is
from s2s.questions.question import RUN, AboutText, Question, setting, subject, view
from s2s.questions.states_of import layer_names
from s2s.questions.table import Table
from s2s.questions.translate import DEFAULT_STRATEGY, strategy_names
from s2s.runs import Run, states
from s2s.tokenizers import SPECIALS, UNK

CLEAR = 0.05  # of a cosine: a smaller difference is not worth a sentence
LEAST_WEIGHT = 0.1  # of attention, mean of all heads: below, no word of the translation is that of a source word
TWO_BANKS = ("the bank is by the river", "I need to bank the money")  # one word, two senses
# what precedes them in the sources of a built-in dataset
BANK_PREFIXES = MappingProxyType(
    {"builtin:en-fr": "", "builtin:en-es": "", "builtin:tasks": "translate English to French: "}
)
SECOND = MappingProxyType(
    {
        "label": "Second sentence",
        "help": "To compare the same word in two sentences. Empty: a sentence that shares a word with the first.",
    }
)


@dataclass(frozen=True)
class Occurrence:
    """A word in a sentence, and what is known of it without the other sentence."""

    text: str
    words: tuple[str, ...]
    position: int  # from 0
    translation: str
    translated: str  # the word of the translation that attends most to it; empty where none does
    elsewhere: Floats  # (n_layers + 1,) mean cosine with itself after the same word; NaN without such a sentence
    n_elsewhere: int  # such sentences

    @property
    def word(self) -> str:
        return self.words[self.position]

    @property
    def context(self) -> str:
        if not self.position:
            return "at the beginning"
        return f"after “{self.words[self.position - 1]}”"


@dataclass(frozen=True)
class TwoOccurrences:
    """Two occurrences of a word: their states compared, with baselines."""

    one: Occurrence
    other: Occurrence
    cosines: Floats
    baseline: Floats  # mean of any two words of different sentences

    @property
    def layers(self) -> list[str]:
        return layer_names(len(self.cosines) - 1)

    @property
    def series(self) -> dict[str, Floats]:
        """Curves of cosines by name: these two words, each with itself elsewhere, any two words; only known ones."""
        found = {"these two": self.cosines}
        for number, each in enumerate((self.one, self.other), 1):
            name = f"“{each.word}” ({number}) with {each.n_elsewhere} others {each.context}"
            found[name] = each.elsewhere
        found["any two words"] = self.baseline
        return {name: values for name, values in found.items() if not np.isnan(values).all()}

    @property
    def apart(self) -> list[str]:
        """Which word (`first`, `second`) is clearly more like itself elsewhere than the two are alike."""
        pairs = (("first", self.one), ("second", self.other))
        return [name for name, each in pairs if self.cosines[-1] < each.elsewhere[-1] - CLEAR]

    @property
    def elsewhere(self) -> list[float]:
        """How similar each of the two words is to itself elsewhere, after the last layer, where that is known."""
        values = (float(each.elsewhere[-1]) for each in (self.one, self.other))
        return [value for value in values if not math.isnan(value)]

    @property
    def all_apart(self) -> bool:
        """Whether the two words are clearly less similar than each is to itself elsewhere, as far as that is known."""
        return bool(self.apart) and len(self.apart) == len(self.elsewhere)

    @property
    def one_apart(self) -> bool:
        """Whether the two words are clearly less similar than only one of them is to itself elsewhere."""
        return bool(self.apart) and not self.all_apart

    @property
    def is_unknown(self) -> bool:
        """Whether the model cannot read one of the words, or a part of it."""
        return SPECIALS[UNK] in self.one.word + self.other.word

    @property
    def is_same(self) -> bool:
        return bare(self.one.word).lower() == bare(self.other.word).lower()

    @property
    def is_known(self) -> bool:
        return bool(self.one.translated and self.other.translated)

    @property
    def two_translations(self) -> bool:
        return self.is_known and self.one.translated.lower() != self.other.translated.lower()

    @property
    def own(self) -> list[str]:
        return [*map(_two_digits, self.elsewhere)]

    @property
    def with_itself(self) -> str:
        return " and ".join(self.own)

    @property
    def change(self) -> str:
        start, end = _two_digits(self.cosines[0]), _two_digits(self.cosines[-1])
        return f"their cosine goes from {start} at the embeddings to {end} after the last layer"


TWO = "“{one.word}” is translated as “{one.translated}” and as “{other.translated}”"
ONE = "“{one.word}” is translated as “{one.translated}” both times"
BELOW = "below the {with_itself} with the same word in other sentences."
SOME = (
    "; {change}. With the same word in other sentences the first has {own[0]}, the second {own[1]}: only the {apart[0]}"
    " is clearly more similar to those than to the one here."
)
# The first that holds is said. Whether two senses are distinguished, each word's own other contexts say.
FINDINGS = (
    Finding(
        lambda two: two.is_unknown,
        "This model does not know both words, and reads “<unk>” where it does not: {change}.",
    ),
    Finding(
        lambda two: not two.is_same,
        "“{one.word}” and “{other.word}” are two words: {change}.",
    ),
    Finding(
        lambda two: two.two_translations and two.all_apart,
        TWO + ", and the encoder distinguishes the two: {change}, " + BELOW,
    ),
    Finding(lambda two: two.two_translations and two.one_apart, TWO + SOME),
    Finding(
        lambda two: two.two_translations and bool(two.elsewhere),
        TWO + ", but its state hardly says so: {change}, not clearly " + BELOW,
    ),
    Finding(lambda two: two.two_translations, TWO + "; {change}."),
    Finding(
        lambda two: two.is_known and two.all_apart,
        ONE + ", although {change}, " + BELOW,
    ),
    Finding(lambda two: two.is_known and two.one_apart, ONE + SOME),
    Finding(
        lambda two: two.is_known and bool(two.elsewhere),
        ONE + ": {change}, not clearly " + BELOW,
    ),
    Finding(lambda two: two.is_known, ONE + "; {change}."),
    Finding(lambda two: True, "The two “{one.word}”: {change}."),
)


@dataclass(frozen=True)
class SameWord(AboutText[TwoOccurrences]):
    """One word in two sentences. Without `second`, a sentence that shares a word; positions count from
    1, 0 for the longest word that both have.
    """

    second: str = subject("sentence", in_set=True, **SECOND)
    strategy: str = setting(DEFAULT_STRATEGY, choices=strategy_names, label="Decoded by")
    word: int = setting(0, scope="two sentences", label="Word in the first sentence")
    word2: int = setting(0, scope="two sentences", label="Word in the second sentence")
    layer: str = view("", in_set=False)  # marked in the picture; empty: none

    def ask(self, have: Have) -> TwoOccurrences:
        """Compare the word's states. Raises UserError where a sentence has no word."""
        run = have.run(self.run)
        texts = (self.text, self.second or partner(run, self.text))
        if not all(texts):
            raise UserError("Same word compares two sentences; give a second one.")
        run.check_lengths(texts)
        found = [read_words(run, text) for text in texts]
        starts = shared_word(found[0].words, found[1].words)
        places = [
            _position(given, words, start)
            for given, words, start in zip((self.word, self.word2), found, starts, strict=True)
        ]
        one, other = (
            self._occurrence(have, text, words, place)
            for text, words, place in zip(texts, found, places, strict=True)
        )
        vectors = [words.vectors[:, place] for words, place in zip(found, places, strict=True)]
        baseline = have.answer(AnyTwoWords(self.run)).cosines
        return TwoOccurrences(one, other, cosines(*vectors), baseline)

    def _occurrence(self, have: Have, text: str, words: WordStates, place: int) -> Occurrence:
        forced = have.answer(AttentionOf(self.run, text, strategy=self.strategy))
        whole = forced.whole("cross")
        mean = reduced(forced.attention, HeadSelection("cross"))
        picture = alignable_words(mean, rows_whole=whole[0], keys_whole=whole[1])
        weights = picture.weights[:, place] if place < len(picture.keys) else np.zeros(1)
        best = int(weights.argmax()) if weights.size else 0
        is_clear = weights.max(initial=0) >= LEAST_WEIGHT
        pool = have.answer(PoolOf(self.run)).texts
        same = states.same_context(have.run(self.run), text, place, pool)
        return Occurrence(
            text,
            words.words,
            place,
            forced.own,
            bare(picture.rows[best]) if is_clear else "",
            same.mean,
            same.n,
        )

    def stamp(self, have: Have) -> Hashable:
        return super().stamp(have), have.may_see_data(have.run(self.run))

    def table(self, answer: TwoOccurrences) -> Table:
        rows = [
            [name, *(float(values[at]) for values in answer.series.values())]
            for at, name in enumerate(answer.layers)
        ]
        return Table(("layer", *answer.series), rows)

    def finding(self, answer: TwoOccurrences) -> str:
        return first(FINDINGS, answer)


@dataclass(frozen=True)
class Baseline:
    """Mean cosine of any two words of different sentences, (n_layers + 1,); NaN without two sentences."""

    cosines: Floats


@dataclass(frozen=True)
class AnyTwoWords(Question[Baseline]):
    """How similar any two words of different sentences are, after each layer."""

    run: str = subject(RUN)

    def ask(self, have: Have) -> Baseline:
        pool = have.answer(PoolOf(self.run))
        return Baseline(states.baseline(have.run(self.run), pool.texts))

    def stamp(self, have: Have) -> Hashable:
        return PoolOf(self.run).stamp(have)

    def table(self, answer: Baseline) -> Table:
        return Table(("layer", "cosine"), [*map(list, enumerate(answer.cosines.tolist()))])


def partner(run: Run, text: str) -> str:
    """The first of a run's sentences that shares the longest possible word; empty where none shares any."""
    source = source_as_it_is(run)
    prefix = BANK_PREFIXES.get(source)
    if prefix is not None and text in (banks := [prefix + sentence for sentence in TWO_BANKS]):
        return banks[1 - banks.index(text)]
    prefixes = run.src_tokenizer.prefixes.values() if hasattr(run.src_tokenizer, "prefixes") else ()
    task = next((known for known in prefixes if known and text.startswith(known)), "")
    words = sorted({*text.removeprefix(task).split()}, key=lambda word: (-len(word), word))
    examples = EXAMPLES.get(source) or probe_sentences(run)[:5]
    others = [other for other in (*examples, *other_sentences(run)) if other != text]
    return next((other for word in words for other in others if word in other.split()), "")


def shared_word(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """The positions of the longest word that both lists have, the first of equals; of the first words where they share
    none.

    A common beginning, such as the name of a task, counts last; unknown words are not the same word.

    >>> shared_word("say: the bank is open".split(), "say: we bank the coin".split())
    (2, 2)
    """
    pairs = enumerate(zip(one, other, strict=False))
    differing = (position for position, (ours, theirs) in pairs if ours != theirs)
    n_common = next(differing, min(len(one), len(other)))
    for start in (n_common, 0):
        if both := [
            word for word in one[start:] if word in other[start:] and SPECIALS[UNK] not in word
        ]:
            word = max(both, key=len)
            return list(one).index(word, start), list(other).index(word, start)
    return 0, 0


def bare(word: str) -> str:
    """A word without the punctuation around it: `tonight.` is `tonight`, and a period is empty."""
    marks = "".join(char for char in word if unicodedata.category(char)[0] in "PS")
    return word.strip(marks) if marks else word


def words_in(run: Run, text: str) -> tuple[str, ...]:
    """The words of a sentence that can be compared, without running the model."""
    ids = run.recipe.model.ids.source(run.src_tokenizer.encode(text))
    tokens = run.src_tokenizer.tokens(ids)
    return word_texts(tokens, word_indices(tokens, is_whole=states.has_word_tokens(run)))


def read_words(run: Run, text: str) -> WordStates:
    """The encoder's states of each word of a sentence. Raises UserError for a sentence without one."""
    found = next(states.sentence_states(run, [text]), None)
    if found is None:
        raise UserError(f"There is no word to compare in “{text[:60]}”; type another sentence.")
    return found.words


def _two_digits(cosine: float) -> str:
    return f"{cosine:.2f}".replace("-", "−")


def _position(given: int, words: WordStates, start: int) -> int:
    if not 0 <= given <= len(words.words):
        raise UserError(f"There is no word {given}: the sentence has {len(words.words)}.")
    return given - 1 if given else start
