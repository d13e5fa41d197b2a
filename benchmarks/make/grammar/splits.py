"""The seven splits of a generated corpus: which sentences are trained on, and what the held-out ones hold back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import accumulate, chain, islice
from random import Random
from types import MappingProxyType

from benchmarks.make.grammar.french import French
from benchmarks.make.grammar.language import Language
from benchmarks.make.grammar.lexicon import (
    ADJECTIVE_ROWS,
    NOUN_ROWS,
    PREPOSITION_ROWS,
    VERB_ROWS,
    Noun,
)
from benchmarks.make.grammar.nominals import Pairs
from benchmarks.make.grammar.realize import Realizer
from benchmarks.make.grammar.sample import BANKING, Sampler
from benchmarks.make.grammar.spanish import Spanish
from benchmarks.make.grammar.trees import (
    DETERMINER,
    PRONOUNS,
    Action,
    Clause,
    Location,
    NounPhrase,
    Place,
    Quality,
    Relative,
    Tree,
    depth,
    inner_nouns,
)
from benchmarks.make.grammar.usage import ALONE
from s2s.data.pair import Pair

TARGET_LANGUAGES: MappingProxyType[str, Callable[[], Language]] = MappingProxyType(
    {"fr": French, "es": Spanish}
)
SIZES = MappingProxyType(
    {
        "train": 20_000,
        "valid": 500,
        "random": 1_000,
        "unseen": 500,
        "deep": 500,
        "agreement": 500,
        "banks": 200,
    }
)
SEED = 1913  # any number; another one gives another corpus
# Trees drawn for each split, more than it needs: some are too long, or hold rare words, or stand elsewhere already.
DRAWN = MappingProxyType(
    {"common": 23_200, "unseen": 700, "deep": 1_500, "agreement": 3_000, "banks": 400}
)
RARE = 12  # a form seen less often cannot be learned, so its sentences are left out
LONGEST = 14  # words a side
HELD_OUT_SHARE = 0.09  # of the adjective-noun pairs that make sense
ALWAYS_SEEN = frozenset(
    {"bank", "hand", "eye", "foot"}
)  # nouns with too few sentences to hold any back
BANK_SENTENCES = 700  # in what is drawn for train


@cache
def held_out_pairs() -> Pairs:
    """English adjective-noun pairs that only the split `unseen` holds."""
    pairs = sorted(
        {
            (a.en, n.en)
            for a in ADJECTIVE_ROWS
            for n in NOUN_ROWS
            if n.kind in a.kinds and a.is_attributive
        }
    )
    free = [
        pair
        for pair in pairs
        if pair not in (("red", "house"), ("black", "cat")) and pair[1] not in ALWAYS_SEEN
    ]
    return frozenset(Random(SEED).sample(free, round(HELD_OUT_SHARE * len(pairs))))


def the(noun: str, relative: Relative | None = None) -> NounPhrase:
    """*the cat*, by its first meaning."""
    return NounPhrase(
        DETERMINER["the"], next(row for row in NOUN_ROWS if row.en == noun), relative=relative
    )


def fixed_trees() -> list[Tree]:
    """Sentences that train holds whatever the dice say."""
    adjective = {row.en: row for row in ADJECTIVE_ROWS}
    verb = {row.en: row for row in VERB_ROWS}
    on_mat = next(row for row in PREPOSITION_ROWS if row.key == "on" and "rug" in row.places)
    by_river = next(row for row in PREPOSITION_ROWS if row.key == "by")
    chaser = the("cat", Relative(None, Action(verb["chase"], past=True, object=the("mouse"))))
    return [
        the("house")._replace(adjectives=(adjective["red"],)),
        Clause(the("cat"), Action(verb["sit"], place=Place(on_mat, the("mat")))),
        Clause(the("bank"), Location(Place(by_river, the("river")))),
        Clause(PRONOUNS[0], Action(verb["bank"], modal="need", object=the("money"))),
        Clause(chaser, Quality(adjective["black"], past=True)),
    ]


def bank_trees(rng: Random, banned: Pairs) -> Iterator[Tree]:
    """Sentences with *bank*, its three meanings in turn, without end."""
    nouns = [
        Sampler(rng, banned=banned, favored=frozenset({row}))
        for row in NOUN_ROWS
        if row.en == "bank"
    ]
    verbs = unrepeated(endless(partial(Sampler(rng, banned=banned).transitive, BANKING)))
    meanings = [
        verbs,
        *(unrepeated(endless(partial(bank_noun_tree, sampler))) for sampler in nouns),
    ]
    return chain.from_iterable(zip(*meanings, strict=True))


def bank_noun_tree(sampler: Sampler) -> Tree:
    """A sentence that says its favored noun, found by trying."""
    (bank,) = sampler.favored
    while True:
        roll = sampler.rng.random()
        if roll < 0.2:
            tree: Tree = sampler.noun_phrase(ALONE, "any")
        elif roll < 0.5:
            tree = sampler.predication()
        else:
            tree = sampler.situation() if roll < 0.75 else sampler.sentence()
        if mentions(tree, bank):
            return tree


def mentions(tree: object, noun: Noun) -> bool:
    """Whether a tree holds this meaning of a noun anywhere."""
    return isinstance(tree, tuple) and (noun in tree or any(mentions(part, noun) for part in tree))


def has_lure(tree: Tree, language: Language) -> bool:
    """A relative clause puts a noun of another gender or number before a predicate that shows the difference."""
    if not (
        isinstance(tree, Clause) and isinstance(tree.subject, NounPhrase) and tree.subject.relative
    ):
        return False
    relative = tree.subject.relative
    nouns = (*inner_nouns(relative.predicate), relative.subject)
    lure = next((phrase for phrase in nouns if isinstance(phrase, NounPhrase)), None)
    if lure is None:
        return False
    own, other = (language.agreement(phrase.noun, phrase.plural) for phrase in (tree.subject, lure))
    if own.plural != other.plural:
        return True
    if own.feminine == other.feminine or not isinstance(tree.predicate, Quality):
        return False
    adjectives = [
        language.adjective(tree.predicate.adjective, agreement, attributive=False)
        for agreement in (own, other)
    ]
    return adjectives[0][-1].text != adjectives[1][-1].text


@cache
def drawn(name: str) -> tuple[Tree, ...]:
    """The different trees that a split of either language chooses from; train, valid and random share `common`."""
    rng = Random(f"{SEED} {name}")
    banned = held_out_pairs()
    if name == "common":
        trees = distinct(bank_trees(rng, banned), BANK_SENTENCES)
        trees += distinct(
            endless(Sampler(rng, banned=banned).sentence), DRAWN[name] - BANK_SENTENCES
        )
        rng.shuffle(trees)
        return (*fixed_trees(), *trees)
    if name == "banks":
        return tuple(distinct(bank_trees(rng, banned), DRAWN[name]))
    if name == "unseen":
        return tuple(
            distinct(
                filter(holds_unseen, endless(Sampler(rng, sought=banned).sentence)), DRAWN[name]
            )
        )
    sampler = Sampler(rng, banned=banned)
    if name == "deep":
        nested = (tree for tree in endless(lambda: sampler.described(2)) if nesting(tree) == 2)
        return tuple(distinct(nested, DRAWN[name]))
    return tuple(distinct(endless(sampler.described), DRAWN[name]))


class Corpus:
    """All splits of one language, made in a fixed order; no source stands twice."""

    def __init__(self, language: str) -> None:
        self.language = TARGET_LANGUAGES[language]()
        self.realizer = Realizer(self.language)
        self.seen: dict[str, str] = {}
        self.splits = self.common()
        train = self.splits["train"]
        self.src_words = frozenset(chain.from_iterable(pair.src.split() for pair in train))
        self.tgt_words = frozenset(chain.from_iterable(pair.tgt.split() for pair in train))
        for name in ("unseen", "deep", "agreement", "banks"):
            self.splits[name] = self.held_out(name)

    def pairs(self, trees: Iterable[Tree]) -> Iterator[Pair]:
        """The pairs of trees that are short enough and whose source is new."""
        for tree in trees:
            pair = self.realizer.pair(tree)
            known = self.seen.get(pair.src)
            if known not in (None, pair.tgt):
                raise ValueError(
                    f"{pair.src!r} has two translations, {known!r} and {pair.tgt!r}; part their classes"
                )
            if known is None and pair.src.count(" ") < LONGEST > pair.tgt.count(" "):
                self.seen[pair.src] = pair.tgt
                yield pair

    def common(self) -> dict[str, list[Pair]]:
        """train, valid and random: one distribution, without rare words."""
        kept = without_rare(list(self.pairs(drawn("common"))))
        train, valid, total = accumulate(SIZES[name] for name in ("train", "valid", "random"))
        enough("common", kept, total)
        return {"train": kept[:train], "valid": kept[train:valid], "random": kept[valid:total]}

    def held_out(self, name: str) -> list[Pair]:
        """A split of its own kind, in the words of train."""
        trees = (
            tree for tree in drawn(name) if name != "agreement" or has_lure(tree, self.language)
        )
        known = (pair for pair in self.pairs(trees) if self.knows(pair))
        return enough(name, list(islice(known, SIZES[name])), SIZES[name])

    def knows(self, pair: Pair) -> bool:
        return self.src_words.issuperset(pair.src.split()) and self.tgt_words.issuperset(
            pair.tgt.split()
        )


def enough(name: str, pairs: list[Pair], size: int) -> list[Pair]:
    """The pairs themselves, if there are as many as the split needs."""
    if len(pairs) < size:
        raise ValueError(f"{name} needs {size} pairs and got {len(pairs)}; raise DRAWN[{name!r}]")
    return pairs


def distinct(trees: Iterator[Tree], size: int) -> list[Tree]:
    """The first `size` different trees."""
    return list(islice(unrepeated(trees), size))


def unrepeated(trees: Iterator[Tree]) -> Iterator[Tree]:
    seen: set[Tree] = set()
    for tree in trees:
        if tree not in seen:
            seen.add(tree)
            yield tree


def endless(draw: Callable[[], Tree]) -> Iterator[Tree]:
    while True:
        yield draw()


def nesting(tree: Tree) -> int:
    return (
        depth(tree.subject)
        if isinstance(tree, Clause) and isinstance(tree.subject, NounPhrase)
        else 0
    )


def holds_unseen(tree: object) -> bool:
    """Whether some adjective of the tree stands with a noun that train never shows it with."""
    pairs: list[tuple[str, str]] = []
    if isinstance(tree, NounPhrase):
        pairs = [(row.en, tree.noun.en) for row in tree.adjectives]
    elif (
        isinstance(tree, Clause)
        and isinstance(tree.predicate, Quality)
        and isinstance(tree.subject, NounPhrase)
    ):
        pairs = [(tree.predicate.adjective.en, tree.subject.noun.en)]
    if not held_out_pairs().isdisjoint(pairs):
        return True
    return isinstance(tree, tuple) and any(holds_unseen(part) for part in tree)


def without_rare(pairs: list[Pair]) -> list[Pair]:
    """The pairs whose every word, on either side, is seen at least `RARE` times in what remains."""
    rows = [(pair, pair.src.split(), pair.tgt.split()) for pair in pairs]
    while True:
        rare_src = rare_words(src for _, src, _ in rows)
        rare_tgt = rare_words(tgt for _, _, tgt in rows)
        if not (rare_src or rare_tgt):
            return [pair for pair, _, _ in rows]
        rows = [row for row in rows if rare_src.isdisjoint(row[1]) and rare_tgt.isdisjoint(row[2])]


def rare_words(texts: Iterable[list[str]]) -> frozenset[str]:
    return frozenset(word for word, n in Counter(chain.from_iterable(texts)).items() if n < RARE)


@cache
def corpus(language: str) -> MappingProxyType[str, tuple[Pair, ...]]:
    """All splits of one language, made once."""
    splits = Corpus(language).splits
    return MappingProxyType({name: tuple(pairs) for name, pairs in splits.items()})
