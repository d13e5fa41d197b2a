"""The generated datasets: each answer follows from its source, nothing leaks, and they are the same everywhere."""

import re
from collections import Counter
from itertools import pairwise

import pytest

from benchmarks.make.generated import KINDS, SIZES, SPLITS
from s2s.data.shipped_pairs import shipped_pairs

each_kind = pytest.mark.parametrize("kind", KINDS)
# For the sentence box: words and characters, prefix and all.
MOST_WORDS = 60
MOST_CHARACTERS = 400

# What a reader of English knows, written down once more: nothing here comes from the generator's own tables.

HAPPENED = re.compile(
    r"(burned down|fell into the (?:river|lake)|caught fire|broke into two parts|won the"
    r" race|left the village|broke a leg"
    r"|stole the|lost the|found the|broke the|sold the|saved|married)\b"
)
NEVER = ("almost", "nearly", "never")
WHEN = "yesterday|today|at night|at noon|on sunday|at last"


def events(text: str) -> list[str]:
    """The sentences in which something really happened, without their time."""
    found = []
    for sentence in text.removesuffix(" .").split(" . "):
        if (
            HAPPENED.search(sentence)
            and not sentence.startswith("rain ")
            and not any(phrase in sentence for phrase in NEVER)
        ):
            found.append(re.sub(rf" ({WHEN})$", "", sentence))
    return found


def answer(text: str) -> str:
    """To the question at the end, by the facts before it, each of which overrules those before."""
    *facts, question = re.split(r" \. ", text)
    now: dict[str, tuple[str, str]] = {}
    for fact in facts:
        if found := re.fullmatch(r"\w+ gave the (\w+) to (\w+)", fact):
            now[found[1]] = "has", found[2]
        elif found := re.fullmatch(r"\w+ put the (\w+) (.+)", fact):
            now[found[1]] = "lies", found[2]
        elif found := re.fullmatch(r"(\w+) (?:has|took|found) the (\w+)(?: now)?", fact):
            now[found[2]] = "has", found[1]
        elif found := re.fullmatch(r"the (\w+) is (.+)", fact):
            now[found[1]] = "lies", found[2]
        elif found := re.fullmatch(r"(\w+) (?:went to|walked to|is in) the (\w+)", fact):
            now[found[1]] = "stays", found[2]
        else:
            raise AssertionError(fact)
    item = question.split()[-2]
    how, value = now[item]
    assert (
        question
        == {
            "has": f"who has the {item} ?",
            "lies": f"where is the {item} ?",
            "stays": f"where is {item} ?",
        }[how]
    )
    return {
        "has": f"{value} has the {item}",
        "lies": f"the {item} is {value}",
        "stays": f"{item} is in the {value}",
    }[how]


@pytest.mark.parametrize("split", ["random", "unseen"])
def test_exactly_one_sentence_matters_and_is_the_summary(split: str) -> None:
    for pair in shipped_pairs("summaries", split):
        assert events(pair.src) == [pair.tgt], pair.src


@pytest.mark.parametrize("split", ["random", "unseen"])
def test_the_facts_give_the_answer(split: str) -> None:
    for pair in shipped_pairs("dialogue", split):
        assert answer(pair.src) == pair.tgt, pair.src


@pytest.mark.parametrize("split", ["random", "unseen"])
def test_reverse_reverses(split: str) -> None:
    for pair in shipped_pairs("reverse", split):
        assert pair.tgt.split() == pair.src.split()[::-1]


def test_no_place_gives_the_summary_away() -> None:
    """Neither the first, nor the last, nor the only sentence about an event."""
    places = Counter[float]()
    lures = 0
    pairs = shipped_pairs("summaries", "random")
    for pair in pairs:
        sentences = pair.src.removesuffix(" .").split(" . ")
        assert 4 <= len(sentences) <= 7
        where = next(
            i for i, sentence in enumerate(sentences) if pair.tgt in sentence and events(sentence)
        )
        places[where / (len(sentences) - 1)] += 1
        lures += sum(bool(HAPPENED.search(sentence)) for sentence in sentences) > 1
    assert max(places.values()) < 0.3 * len(pairs)
    assert 0.3 < lures / len(pairs) < 0.7


def test_no_place_gives_the_answer_away() -> None:
    """Often the last fact of all is about another thing, and often an earlier one would give another answer."""
    pairs = shipped_pairs("dialogue", "random")
    other_last = overruled = 0
    for pair in pairs:
        *facts, question = pair.src.split(" . ")
        assert 3 <= len(facts) <= 6
        item = question.split()[-2]
        about = [
            fact
            for fact in facts
            if item in fact.split()
            and not (item[0].isupper() and " the " in fact and not _moves(fact))
        ]
        other_last += facts[-1] != about[-1]
        overruled += len(about) > 1
    assert other_last > 0.4 * len(pairs)
    assert overruled > 0.4 * len(pairs)


def _moves(fact: str) -> bool:
    return bool(re.fullmatch(r"\w+ (?:went to|walked to|is in) the \w+", fact))


@each_kind
def test_no_source_occurs_twice(kind: str) -> None:
    sources = [pair.src for split in SPLITS for pair in shipped_pairs(kind, split)]
    assert len(set(sources)) == len(sources) == sum(SIZES.values())


def happening(tgt: str) -> tuple[str, str]:
    """What happened and the last noun it happened to, adjectives aside."""
    found = HAPPENED.search(tgt)
    assert found
    rest = tgt[found.end() :].split()
    return found[1], rest[-1] if rest else tgt[: found.start()].rsplit(maxsplit=1)[-1]


COMBINED = {
    "summaries": lambda pair: {happening(pair.tgt)},
    "dialogue": lambda pair: {pair.tgt},
    "reverse": lambda pair: set(pairwise(pair.src.split())),
}


@pytest.mark.parametrize("name", KINDS)
def test_unseen_combines_what_the_others_never_do(name: str) -> None:
    relations = {
        combined
        for split in ("train", "valid", "random")
        for pair in shipped_pairs(name, split)
        for combined in COMBINED[name](pair)
    }
    assert all(COMBINED[name](pair) - relations for pair in shipped_pairs(name, "unseen"))


@each_kind
def test_gold_says_where_each_word_of_the_target_is_from(kind: str) -> None:
    for pair in (*shipped_pairs(kind, "random"), *shipped_pairs(kind, "unseen")):
        src = pair.src.split()
        tgt = pair.tgt.split()
        gold = pair.gold
        assert gold
        assert sorted(link.tgt for link in gold.links) == list(range(len(tgt)))
        assert sorted({link.src for link in gold.links} | set(gold.unlinked_src)) == list(
            range(len(src))
        )
        assert {
            (src[link.src], tgt[link.tgt]) for link in gold.links if src[link.src] != tgt[link.tgt]
        } <= {("to", "in")}
