"""What is said of a dataset: the numbers are those of the data, and a finding only where it holds."""

from dataclasses import replace

import pytest

from s2s.config import Cleaning, DataConfig, UserError, asker
from s2s.data import Corpus, Pair, Preview, clean, lint_pairs, load, uploads
from s2s.questions import DatasetProfile, Have, ProfiledDataset
from s2s.questions import dataset_findings as findings
from s2s.tokenizers import TokenizerComparison, compare

PAIRS = (
    *(Pair(f"the house {n}", f"la maison {n}") for n in range(1, 90)),
    Pair("", "x"),
    Pair("*same* :red[a]", "*same* :red[a]"),
    Pair("the house 1", "la maison 1"),
    Pair("room 7", "chambre 8"),
    Pair("word " * 101, "mot " * 101),
)
SMALL = "builtin:mini-en-fr"


def preview(*pairs: Pair, is_plain: bool = False) -> Preview:
    return Preview.of(Corpus("t", "train", pairs, is_plain=is_plain))


def test_pairs_are_counted_and_only_what_stands_out_is_said() -> None:
    found = findings.of_pairs(preview(*PAIRS))
    assert found.startswith("94 pairs. Words per text (median): 3 in the source, 3 in the target.")
    for said in ("1 repeats an earlier", "1 has the same text", "101 words, 34 times the median"):
        assert said in found
    plain = findings.of_pairs(preview(Pair("a b", "a b"), Pair("c", "c"), is_plain=True))
    assert plain == (
        "2 texts without targets, for tasks that need none. Words per text (median): 1.5."
    )
    even = findings.of_pairs(preview(*(Pair(f"the {n}", f"le {n}") for n in range(60))))
    assert even == "60 pairs. Words per text (median): 2 in the source, 2 in the target."
    few = findings.of_pairs(preview(*(Pair("a", str(n)) for n in range(9))))
    assert "Sources repeat: only 1 distinct." in few


def test_what_is_dropped_is_what_cleaning_drops() -> None:
    for cleaning in (Cleaning(), Cleaning(duplicates=True, numbers=True, max_words=100)):
        left = len(clean(Corpus("t", "train", PAIRS), cleaning))
        report = lint_pairs(PAIRS, cleaning=cleaning)
        said = findings.of_faults(report, DataConfig(clean=cleaning))
        assert said.startswith(f"Drops {94 - left} of 94 pairs (")
        assert f", leaves {left}." in said
    nothing = findings.of_faults(report, DataConfig(clean=Cleaning(empty=False)))
    assert nothing.startswith("Drops nothing: all 94 pairs stay. Of the rules that drop none, “")
    spotless = lint_pairs([Pair("a house", "une maison")])
    assert "No rule matches any pair." in findings.of_faults(spotless, DataConfig())
    assert "several" not in findings.of_faults(spotless, DataConfig())


def test_several_targets_count_in_the_direction_that_is_learned() -> None:
    report = lint_pairs(load(SMALL).pairs)
    assert "several targets" not in findings.of_faults(report, DataConfig())
    reversed_ = findings.of_faults(report, DataConfig(task="reverse_direction"))
    assert "1 source has several targets" in reversed_
    more = lint_pairs([Pair(src, tgt) for src in "ab" for tgt in "xy"])
    assert "2 sources have several targets" in findings.of_faults(more, DataConfig())


def test_words_that_training_lacks_are_said_only_where_it_lacks_them() -> None:
    have = Have()
    words = have.answer(DatasetProfile("synthetic:reverse", "words")).words
    assert words is not None
    known = findings.of_words(words)
    assert known == "Nearly every word of the validation pairs occurs in training."
    covered = (words.tgt.covered[0]._replace(running=0.8),)
    lacking = replace(words, tgt=replace(words.tgt, covered=covered), ratio_median=0.5)
    said = findings.of_words(lacking)
    assert "20 % of the target words in validation never occur in training" in said
    assert "Sources have 2 words per target word." in said
    assert "Nearly every" not in said


def test_a_tokenizer_is_named_only_where_it_stands_out() -> None:
    src, tgt = [f"a dog {n}" for n in range(60)], [f"un chien {n}" for n in range(60)]
    rows = compare(src, tgt, ["a zebra"], ["un zèbre"], shared=True, example=("a", "un"))
    found = TokenizerComparison(tuple(rows), "", "")
    said = findings.of_tokenizers(found)
    assert "“bpe · " in said
    assert "does not know" in said
    assert "too long" not in said
    byte = [row for row in found.rows if row.kind == "byte"]
    assert findings.of_tokenizers(TokenizerComparison(tuple(byte), "", "")) == ""
    long = TokenizerComparison((replace(byte[0], too_long=0.25),), "", "Mind the spaces.")
    said = findings.of_tokenizers(long)
    assert said.startswith("Mind the spaces. With “byte")
    assert "25 % of the pairs are too long" in said


def test_the_task_and_its_limit_are_the_recipes() -> None:
    question = DatasetProfile(SMALL, "task", settings='{"data.task": "reverse"}')
    answer = Have().answer(question)
    assert answer.task is not None
    assert all(tgt == " ".join(reversed(src.split())) for src, tgt in answer.task.pairs)
    assert question.finding(answer).startswith("Probably no pair is longer than")
    long = DatasetProfile(SMALL, "task", settings='{"data.max_length": 4}')
    found = long.finding(Have().answer(long))
    assert found.startswith("About ")
    assert "longer than the 4 tokens of data.max_length" in found


def test_examples_are_those_of_the_chosen_rule_or_of_the_first_that_matches() -> None:
    answer = ProfiledDataset("t", preview(*PAIRS), faults=lint_pairs(PAIRS))
    question = DatasetProfile("t", "faults")
    assert question.shown_rule(answer) == "empty"
    assert replace(question, rule="copies").shown_rule(answer) == "copies"
    assert replace(question, rule="markup").shown_rule(answer) == "empty"
    rows = question.table(answer).rows
    assert [row[0] for row in rows if row[3] == "yes"] == ["Empty"]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (DatasetProfile(), "is asked of a dataset; give its SPEC"),
        (DatasetProfile("nowhere.tsv"), "There is no file"),
        (DatasetProfile(SMALL, "task", settings="[]"), "give a JSON object"),
        (DatasetProfile(SMALL, "task", settings='{"data.task": "fly"}'), "`task`"),
        (DatasetProfile("upload:0123456789abcdef/a.tsv"), "upload"),
    ],
)
def test_what_cannot_be_answered_is_said(question: DatasetProfile, said: str) -> None:
    with pytest.raises(UserError, match=said):
        Have().answer(question)


def test_an_upload_is_asked_about_as_it_was_read_by_its_owner_alone() -> None:
    with asker.acting_as("ann"):
        upload = uploads.begin("Upload", "mine", [("a.tsv", b"a\tb\nc\td\n")], owner="ann")
        question = DatasetProfile(f"upload:{upload.id}/a.tsv#src=1,tgt=2")
        with pytest.raises(UserError, match="has not been read"):
            Have().answer(question)
        upload.read("a.tsv#src=1,tgt=2")
        while upload.profile.is_reading:
            pass
        answer = Have().answer(question)
        assert (answer.name, answer.preview.n_pairs) == ("mine", 2)
    with asker.acting_as("eve"), pytest.raises(UserError):
        Have().answer(question)
    upload.delete()
    with asker.acting_as("ann"), pytest.raises(UserError):
        Have().answer(question)
