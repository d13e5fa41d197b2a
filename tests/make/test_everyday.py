"""The pairs of demo-en-de: what is left out, and a split in which nothing of the test was trained on."""

import gzip
import os
import re
from pathlib import Path

import pytest

from benchmarks.make import everyday
from s2s.config import UserError
from s2s.data import load, load_pairs_for_training, splits

DATA = Path(os.environ.get("S2S_TEST_DATA") or "../shared/data") / "tatoeba"
PAIRS = [
    ("I'm cold.", "Mir ist kalt."),
    ("I am cold!", "Ich friere."),
    ("I'm freezing.", "Ich friere!"),
    ("Go on.", "Weiter."),
    ("Tom is here.", "Tom ist hier."),
]


def test_what_shares_a_source_or_a_target_is_one_group() -> None:
    groups = everyday.grouped(PAIRS)
    assert groups == [PAIRS[:3], PAIRS[3:4], PAIRS[4:]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Don't go!", "do not go"),
        ("Let’s eat.", "Let us eat"),
        ("He won't come.", "He will not come!"),
        ("CAN'T YOU?", "cannot you"),
    ],
)
def test_case_punctuation_and_contractions_do_not_tell_sentences_apart(
    one: str, other: str
) -> None:
    assert everyday.key(one) == everyday.key(other)


def test_words_are_listed_by_language_and_found_as_words() -> None:
    assert everyday.is_rude("Shut up, you idiots!", "en")
    assert everyday.is_rude("Halt’s Maul!", "de")
    assert everyday.is_rude("Was für ein Vollidiot.", "de")
    assert everyday.is_rude("He is a dick.", "en")
    assert not everyday.is_rude("Das Buch ist dick.", "de")
    assert not everyday.is_rude("Farther on lies Essex.", "en")


def test_rude_and_private_pairs_are_in_no_split() -> None:
    pairs = [(f"sentence {number}", f"Satz {number}") for number in range(2500)]
    pairs += [("You idiot.", "Du da."), ("Mail me@example.org.", "Schreib mir."), ("So.", "Arsch.")]
    found = everyday.split(pairs)
    assert (found.n_rude, found.n_private) == (2, 1)
    kept = [*found.train, *found.valid, *((source, each[0]) for source, each in found.test)]
    assert len(kept) == 2500
    assert len(found.test) == everyday.HELD_OUT


def test_what_does_not_belong_before_everybody_is_held_out_and_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = [(f"sentence {number}", f"Satz {number}") for number in range(2500)]
    before = everyday.split(pairs)
    listed = before.test[0][0]
    monkeypatch.setattr(everyday, "UNSUITABLE", tmp_path / "unsuitable.txt")
    (tmp_path / "unsuitable.txt").write_text(f"# why\n{listed}\n")
    after = everyday.split(pairs)
    assert after.test == (*before.test[1:], (before.valid[0][0], (before.valid[0][1],)))
    assert after.valid == before.valid[1:]
    assert after.train == before.train


def test_some_training_sources_are_written_as_many_people_type() -> None:
    pairs = [(f"Sentence {number} is Tom's.", f"Satz {number}.") for number in range(4000)]
    found = everyday.split(pairs)
    typed = [source for source, _ in found.train if source.islower() and not source.endswith(".")]
    assert 0.05 < len(typed) / len(found.train) < 0.11
    assert all(source.startswith("Sentence") for source, _ in found.test)


def test_what_ships_is_distinct_and_has_nothing_of_the_lists() -> None:
    pairs = load("builtin:everyday").pairs
    assert len({everyday.key(pair.src) for pair in pairs}) == everyday.HELD_OUT
    for pair in pairs:
        assert not everyday.is_rude(pair.src, "en")
        assert not any(everyday.is_rude(text, "de") for text in (pair.tgt, *pair.more))
    listed = everyday.UNSUITABLE.read_text(encoding="utf-8").splitlines()
    assert not {pair.src for pair in pairs} & set(listed)


if (DATA / everyday.FILE).exists():  # which a checkout alone does not have

    @pytest.mark.slow
    def test_the_shipped_test_set_is_that_of_the_file_and_nothing_of_it_was_trained_on() -> None:
        found = everyday.split(everyday.read(DATA))
        shipped = load("builtin:everyday").pairs
        assert [(pair.src, (pair.tgt, *pair.more)) for pair in shipped] == list(found.test)
        trained = {plain(text) for pair in found.train for text in pair}
        tested = {plain(text) for source, texts in found.test for text in (source, *texts)}
        assert not trained & tested
        lines = gzip.decompress((DATA / everyday.FILE).read_bytes()).decode().splitlines()
        targets: dict[str, set[str]] = {}
        for source, target in (line.split("\t")[:2] for line in lines):
            targets.setdefault(source, set()).add(target)
        for pair in shipped[::50]:
            assert targets[pair.src] <= {pair.tgt, *pair.more}


def plain(text: str) -> str:
    """Another way than the split's own: letters and digits alone."""
    return re.sub(r"[\W_]+", "", text.casefold())


@pytest.mark.parametrize("content", [None, b"another file"])
def test_without_the_file_one_sentence_says_where_it_comes_from(
    content: bytes | None, tmp_path: Path
) -> None:
    if content:
        (tmp_path / everyday.FILE).write_bytes(content)
    with pytest.raises(UserError, match=rf"manythings\.org/anki.*{everyday.SHA256}"):
        everyday.read(tmp_path)


def test_the_dataset_is_for_tests_only() -> None:
    assert splits("builtin:everyday") == ("test",)
    assert len(load("builtin:everyday")) == everyday.HELD_OUT
    with pytest.raises(UserError, match="its training pairs do not ship"):
        load_pairs_for_training("builtin:everyday", None, 1)
