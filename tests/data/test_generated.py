"""The generated datasets: each answer follows from its source, nothing leaks, and they are the same everywhere."""

import hashlib
import re
from collections import Counter
from itertools import islice, pairwise

import pytest

from s2s.data import Pair
from s2s.data.generated import SPLITS, dialogue, generate, reverse, summaries
from s2s.data.generated.rng import Rng
from s2s.data.generated.tasks import GENERATED_TASKS, PAIRS_PER_TASK
from s2s.data.generated.templates import SIZES, Template, endless, held_out, part
from s2s.data.pair import after_prefix

KINDS = {
    "summaries": summaries.TEMPLATE,
    "dialogue": dialogue.TEMPLATE,
    "reverse": reverse.TEMPLATE,
}
each_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
# For the preset `small`, and the sentence box: tokens, words, characters, prefix and all.
MOST_TOKENS = 64
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
    for pair in generate("summaries", split):
        assert events(pair.src) == [pair.tgt], pair.src


@pytest.mark.parametrize("split", ["random", "unseen"])
def test_the_facts_give_the_answer(split: str) -> None:
    for pair in generate("dialogue", split):
        assert answer(pair.src) == pair.tgt, pair.src


@pytest.mark.parametrize("split", ["random", "unseen"])
def test_reverse_reverses(split: str) -> None:
    for pair in part(KINDS["reverse"], split):
        assert pair.tgt.split() == pair.src.split()[::-1]


def test_no_place_gives_the_summary_away() -> None:
    """Neither the first, nor the last, nor the only sentence about an event."""
    places = Counter[float]()
    lures = 0
    pairs = generate("summaries", "random")
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
    pairs = generate("dialogue", "random")
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


@pytest.mark.parametrize("name", ["summaries", "dialogue"])
@pytest.mark.parametrize("split", SPLITS)
def test_texts_are_short_and_of_few_words(name: str, split: str) -> None:
    pairs = generate(name, split)
    assert len(pairs) == SIZES[split]
    known = {word for pair in generate(name, "train") for word in pair.src.split()}
    assert len(known) < 200
    assert known.issuperset(
        word for pair in pairs for word in (*pair.src.split(), *pair.tgt.split())
    )
    assert max(len(pair.src.split()) for pair in pairs) < MOST_WORDS
    assert max(len(pair.src) for pair in pairs) + len("summarize: ") <= MOST_CHARACTERS


@each_kind
def test_no_source_occurs_twice(kind: Template) -> None:
    sources = [pair.src for split in SPLITS for pair in part(kind, split)]
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
        for pair in part(KINDS[name], split)
        for combined in COMBINED[name](pair)
    }
    assert all(COMBINED[name](pair) - relations for pair in part(KINDS[name], "unseen"))


@each_kind
def test_gold_says_where_each_word_of_the_target_is_from(kind: Template) -> None:
    for pair in (*part(kind, "random"), *part(kind, "unseen")):
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


def test_they_are_the_same_in_every_process() -> None:
    """In each the order of a set is another. Whoever changes the pairs on purpose writes down the new digest."""
    digest = hashlib.sha256()
    for kind in KINDS.values():
        for made in islice(endless(kind, held_out(kind), kind.seed), 300):
            digest.update(f"{made.pair.src}\t{made.pair.tgt}\t{made.pair.gold}\n".encode())
    assert digest.hexdigest()[:16] == "2de362906a936a32"


def test_the_dice() -> None:
    rng = Rng(1)
    assert {rng.between(2, 4) for _ in range(99)} == {2, 3, 4}
    assert sorted(rng.some("abc", 3)) == ["a", "b", "c"]
    assert Counter(rng.chance(0.0) for _ in range(99)) == {False: 99}
    assert [Rng(7).choice(range(1000)) for _ in range(2)] == [Rng(7).choice(range(1000))] * 2


def test_a_wrong_name_is_a_mistake_of_the_programmer() -> None:
    with pytest.raises(
        ValueError, match="no generated dataset 'poems'; there are summaries, dialogue, tasks"
    ):
        generate("poems", "train")
    with pytest.raises(ValueError, match="no split 'deep'; there are train, valid, random, unseen"):
        generate("tasks", "deep")


def byte_pairs(src: str) -> int:
    """Tokens at least as many as of byte pairs that know the words: a period leaves its space; then `</s>`."""
    return len(re.findall(r"\w+", src)) + 2 * len(re.findall(r"[.?]", src)) + src.count(":") + 1


@pytest.mark.parametrize("split", SPLITS)
def test_tasks_take_turns(split: str) -> None:
    """The grammar takes seconds, once."""
    pairs = generate("tasks", split)
    assert len(pairs) == 4 * PAIRS_PER_TASK[split]
    for i, (name, task) in enumerate(GENERATED_TASKS.items()):
        of_task = pairs[i :: len(GENERATED_TASKS)]
        assert [Pair(pair.src.removeprefix(task.prefix), pair.tgt) for pair in of_task] == [
            Pair(pair.src, pair.tgt) for pair in task.pairs(split)[: PAIRS_PER_TASK[split]]
        ], name
        assert all(pair.src.startswith(task.prefix) for pair in of_task)
    assert max(len(pair.src.split()) for pair in pairs) < MOST_WORDS
    assert max(len(pair.src) for pair in pairs) <= MOST_CHARACTERS
    long = [pair.src for pair in pairs if pair.src.count(" ") > MOST_TOKENS // 2]
    assert max(map(byte_pairs, long)) <= MOST_TOKENS


def test_tasks_leak_nothing_and_hold_no_new_words() -> None:
    sources = [pair.src for split in SPLITS for pair in generate("tasks", split)]
    assert len(set(sources)) == len(sources)
    train = generate("tasks", "train")
    known = (
        {word for pair in train for word in pair.src.split()},
        {word for pair in train for word in pair.tgt.split()},
    )
    assert len(known[0]) < 800
    for pair in (pair for split in SPLITS for pair in generate("tasks", split)):
        assert known[0].issuperset(pair.src.split())
        assert known[1].issuperset(pair.tgt.split())


def test_links_move_with_the_words() -> None:
    for pair in generate("tasks", "random"):
        name = pair.src[: pair.src.index(": ") + 2]
        plain = after_prefix(Pair(pair.src.removeprefix(name), pair.tgt), "")
        n = len(name.split())
        gold = pair.gold
        assert gold
        assert plain.gold is None
        assert set(range(n)) <= set(gold.unlinked_src)
        assert {link.src for link in gold.links} | set(gold.unlinked_src) == set(
            range(len(pair.src.split()))
        )
    first = generate("tasks", "train")[0]
    assert first.gold
    words = first.src.split(), first.tgt.split()
    assert {(words[0][link.src], words[1][link.tgt]) for link in first.gold.links} == {
        ("the", "la"),
        ("red", "rouge"),
        ("house", "maison"),
    }
    assert {words[tie.side == "tgt"][tie.head] for tie in first.gold.relations} == {
        "house",
        "maison",
    }
