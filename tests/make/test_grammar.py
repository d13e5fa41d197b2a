"""The generated corpora: what they hold, that they hold together, and that their French and Spanish are right."""

from collections import Counter
from functools import cache
from itertools import pairwise

import pytest

from benchmarks.make.grammar import LANGUAGES, SIZES, SPLITS, english
from benchmarks.make.grammar.lexicon import (
    ADJECTIVE_ROWS,
    NOUN_ROWS,
    VERB_ROWS,
    Noun,
    unknown_classes,
)
from benchmarks.make.grammar.splits import drawn, held_out_pairs
from benchmarks.make.grammar.trees import PRONOUNS, Action
from s2s.data import Pair
from s2s.data.shipped_pairs import shipped_pairs

REQUIRED = [
    ("the red house", "la maison rouge", "la casa roja"),
    (
        "the cat sits on the mat",
        "le chat est assis sur le tapis",
        "el gato está sentado sobre la alfombra",
    ),
    (
        "the bank is by the river",
        "la banque est au bord de la rivière",
        "el banco está junto al río",
    ),
    ("I need to bank the money", "je dois déposer l'argent", "necesito depositar el dinero"),
    (
        "the cat who chased the mouse was black",
        "le chat qui a chassé la souris était noir",
        "el gato que persiguió al ratón era negro",
    ),
]
every_split = pytest.mark.parametrize(
    ("language", "split"), [(lang, split) for lang in LANGUAGES for split in SPLITS]
)
each_language = pytest.mark.parametrize("language", LANGUAGES)


@cache
def noun_of(text: str, kind: str = "") -> tuple[Noun, bool]:
    """The noun and whether it is plural, by its English form; its first meaning unless `kind` says otherwise."""
    for row in NOUN_ROWS:
        if text in (row.en, english.plural(row)) and kind in ("", row.kind):
            return row, text != row.en
    raise KeyError(text)


def words_of(pairs: tuple[Pair, ...], side: str) -> Counter[str]:
    return Counter(word for pair in pairs for word in getattr(pair, side).split())


def lemma(noun: str) -> str:
    return noun_of(noun)[0].en


def adjective_nouns(pair: Pair) -> set[tuple[str, str]]:
    """The English adjective-noun pairs of a sentence, by its gold relations, nouns in the singular."""
    src = pair.src.split()
    relations = [r for r in pair.gold.relations if r.kind == "adjective-noun" and r.side == "src"]
    return {
        (src[r.dependent], lemma(src[r.head]))
        for r in relations
        if src[r.head] not in {p.en for p in PRONOUNS}
    }


@each_language
def test_required_sentences_are_trained_on(language: str) -> None:
    known = {pair.src: pair.tgt for pair in shipped_pairs(f"en-{language}", "train")}
    for src, french, spanish in REQUIRED:
        assert known[src] == {"fr": french, "es": spanish}[language]


def test_relations_of_the_black_cat() -> None:
    """*noir* agrees with *chat*, over *souris*; the cat chased, and the cat was."""
    pair = next(pair for pair in shipped_pairs("en-fr", "train") if pair.src == REQUIRED[4][0])
    src = pair.src.split()
    tgt = pair.tgt.split()
    sides = {"src": src, "tgt": tgt}
    found = {
        (r.kind, sides[r.side][r.head], sides[r.side][r.dependent]) for r in pair.gold.relations
    }
    assert found == {
        ("determiner-noun", "cat", "the"),
        ("determiner-noun", "mouse", "the"),
        ("subject-verb", "chased", "cat"),
        ("subject-verb", "was", "cat"),
        ("adjective-noun", "cat", "black"),
        ("determiner-noun", "chat", "le"),
        ("determiner-noun", "souris", "la"),
        ("subject-verb", "a", "chat"),
        ("subject-verb", "était", "chat"),
        ("adjective-noun", "chat", "noir"),
    }


@every_split
def test_sizes_and_lengths(language: str, split: str) -> None:
    pairs = shipped_pairs(f"en-{language}", split)
    assert len(pairs) == SIZES[split] == len(set(pairs))
    assert all(len(text.split()) <= 14 for pair in pairs for text in (pair.src, pair.tgt))


@each_language
def test_a_source_has_one_translation_and_one_split(language: str) -> None:
    sources = Counter(
        pair.src for split in SPLITS for pair in shipped_pairs(f"en-{language}", split)
    )
    assert sources.total() == len(sources) == sum(SIZES.values())


@every_split
def test_every_word_is_linked_or_listed(language: str, split: str) -> None:
    for pair in shipped_pairs(f"en-{language}", split):
        gold = pair.gold
        src = len(pair.src.split())
        tgt = len(pair.tgt.split())
        assert sorted({link.src for link in gold.links} | set(gold.unlinked_src)) == list(
            range(src)
        )
        assert sorted({link.tgt for link in gold.links} | set(gold.unlinked_tgt)) == list(
            range(tgt)
        )
        assert not {link.src for link in gold.links} & set(gold.unlinked_src)
        assert not {link.tgt for link in gold.links} & set(gold.unlinked_tgt)


@each_language
def test_unaligned_words_are_those_that_the_rules_name(language: str) -> None:
    src = {
        pair.src.split()[i]
        for pair in shipped_pairs(f"en-{language}", "train")
        for i in pair.gold.unlinked_src
    }
    tgt = {
        pair.tgt.split()[i]
        for pair in shipped_pairs(f"en-{language}", "train")
        for i in pair.gold.unlinked_tgt
    }
    assert (
        src
        == {"fr": {"to", "do", "does", "did"}, "es": {"to", "do", "does", "did", "some"}}[language]
    )
    assert tgt <= {"fr": {"le", "la"}, "es": {"a", "el"}}[language]


@every_split
def test_relations_are_sound(language: str, split: str) -> None:
    for pair in shipped_pairs(f"en-{language}", split):
        length = {"src": len(pair.src.split()), "tgt": len(pair.tgt.split())}
        for relation in pair.gold.relations:
            assert relation.kind in ("subject-verb", "determiner-noun", "adjective-noun")
            assert 0 <= relation.head < length[relation.side] > relation.dependent >= 0


@each_language
def test_no_vowel_is_left_unelided(language: str) -> None:
    """No *le homme*, *de el*, *beau arbre* anywhere."""
    if language == "fr":
        first = {"le", "la", "je", "ne", "que", "de", "ce", "ma", "ta", "sa", "beau", "nouveau"}
        bad = {
            (a, b)
            for a in first
            for b in ("homme", "ami", "arbre", "école", "eau", "est", "ouvre", "elle", "il")
        }
        bad |= {("de", "le"), ("de", "les"), ("à", "le"), ("à", "les")}
    else:
        bad = {("a", "el"), ("de", "el"), ("la", "agua"), ("una", "agua"), ("bueno", "libro")}
    for pair in shipped_pairs(f"en-{language}", "train"):
        assert bad.isdisjoint(pairwise(pair.tgt.split())), pair.tgt


@each_language
def test_unseen_pairs_are_unseen_and_their_words_are_not(language: str) -> None:
    common = [
        pair
        for split in ("train", "valid", "random")
        for pair in shipped_pairs(f"en-{language}", split)
    ]
    trained = set().union(*map(adjective_nouns, common))
    counts = words_of(shipped_pairs(f"en-{language}", "train"), "src")
    for pair in shipped_pairs(f"en-{language}", "unseen"):
        new = adjective_nouns(pair) - trained
        assert new, pair.src
        assert all(counts[adjective] >= 40 for adjective, _ in new)
    assert trained.isdisjoint(held_out_pairs())


def relative_clauses(pair: Pair) -> int:
    words = pair.src.split()
    return words.count("who") + words.count("that")


@each_language
def test_deep_is_deeper_than_train(language: str) -> None:
    assert max(relative_clauses(pair) for pair in shipped_pairs(f"en-{language}", "train")) == 1
    assert {relative_clauses(pair) for pair in shipped_pairs(f"en-{language}", "deep")} == {2}


@each_language
def test_agreement_reaches_over_a_noun_that_differs(language: str) -> None:
    genders: dict[str, str] = {}
    for row in NOUN_ROWS:
        genders[row.en] = genders.get(row.en, "") + getattr(row, language).gender
    for pair in shipped_pairs(f"en-{language}", "agreement"):
        src = pair.src.split()
        nouns = [
            r.head for r in pair.gold.relations if r.kind == "determiner-noun" and r.side == "src"
        ]
        subject = min(nouns)
        nouns += [
            src.index(sport) for sport in ("football", "tennis") if sport in src
        ]  # they have no article
        marks = {(genders[noun.en], plural) for noun, plural in (noun_of(src[i]) for i in nouns)}
        assert len(marks) > 1, pair.src
        assert relative_clauses(pair) == 1
        assert any(r.kind == "subject-verb" and r.dependent == subject for r in pair.gold.relations)


@each_language
def test_banks_hold_each_meaning(language: str) -> None:
    forms = {"fr": (" banque", " rive", " dépos"), "es": (" banco", " orilla", " deposit")}[
        language
    ]
    for split, least in (("banks", 45), ("train", 150)):
        for form in forms:
            assert (
                sum(form in " " + pair.tgt for pair in shipped_pairs(f"en-{language}", split))
                >= least
            )
    assert all("bank" in pair.src for pair in shipped_pairs(f"en-{language}", "banks"))


def test_tables_agree_with_each_other() -> None:
    assert not unknown_classes()
    for table in (ADJECTIVE_ROWS, NOUN_ROWS):
        assert all(row.fr and row.es for row in table)
    for first in ADJECTIVE_ROWS:
        for second in ADJECTIVE_ROWS:
            assert first is second or first.en != second.en or first.kinds.isdisjoint(second.kinds)


def actions_in(tree: object) -> list[Action]:
    if not isinstance(tree, tuple):
        return []
    inner = [action for part in tree for action in actions_in(part)]
    return [tree, *inner] if isinstance(tree, Action) else inner


def test_marks_of_verbs_are_kept() -> None:
    """Verbs without a past here have none, *a cold* is never denied (*pas de rhume*), and only the living want."""
    for action in [action for tree in drawn("common")[:8_000] for action in actions_in(tree)]:
        marks = action.verb.marks
        assert not ("present" in marks and (action.past or action.modal))
        assert not ("positive" in marks and action.negated)
        assert not (action.modal == "need" and action.negated)


def test_verbs_with_two_meanings_take_different_objects() -> None:
    for first in VERB_ROWS:
        for second in VERB_ROWS:
            if first.en == second.en and first.fr.lemma != second.fr.lemma:
                assert first.objects.isdisjoint(second.objects)
