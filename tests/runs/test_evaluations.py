import json
from dataclasses import replace

import pytest

from s2s.config import UserError
from s2s.library import Library, sharing
from s2s.library.own import delete_evaluation, list_evaluations
from s2s.runs import Evaluation, EvaluationFolder, Sentences, System, evaluations

ASKED = Evaluation(
    "",
    "mine",
    "local",
    "2026-01-02T03:04:05+00:00",
    "one",
    Sentences("held out", run="one", n=2, notes=("A note.",)),
    (
        System("beam", "one", 30, "beam", {"num_beams": 3}, sweep="num_beams"),
        System("theirs", uploaded="theirs.txt"),
    ),
    baseline=1,
)
PAIRS = [("a «b»", "c"), ("d\u2028e", "")]


def made(**changes: object) -> EvaluationFolder:
    place = evaluations.new_folder()
    place.create(replace(ASKED, id=place.id, **changes), PAIRS)  # type: ignore[arg-type]
    return place


def test_the_request_and_the_sentences_are_read_back_unchanged() -> None:
    place = made()
    assert Library().evaluation(place.id).evaluation() == replace(ASKED, id=place.id)
    written = json.loads((place.path / "evaluation.json").read_bytes())
    assert written["systems"][0]["knobs"] == {"num_beams": 3}  # the name in the file format
    assert place.test() == PAIRS
    written = json.loads((place.path / "evaluation.json").read_text(encoding="utf-8"))
    assert written["systems"][0]["knobs"] == {"num_beams": 3}  # the name in every file so far
    assert place.status()["state"] == "waiting"
    assert (place.scores(), place.words(), place.lines(0)) == ({}, None, {})
    changed = place.amend(
        lambda evaluation: replace(evaluation, test=replace(evaluation.test, n_all=500))
    )
    assert place.evaluation() == changed
    assert changed.test.n_all == 500


def test_half_a_line_of_a_killed_process_is_removed_before_more_is_added() -> None:
    place = made()
    place.add(0, [{"i": 0, "text": "x"}, {"i": 1, "text": "y"}])
    with (place.path / "lines-0.jsonl").open("ab") as file:
        file.write(b'{"i": 2, "te')
    assert place.repair_lines(0).keys() == {0, 1}
    place.add(0, [{"i": 2, "text": "z"}])
    assert [line["text"] for line in place.lines(0).values()] == ["x", "y", "z"]


def test_own_scores_are_kept_by_place_and_can_be_forgotten() -> None:
    place = made()
    place.append_sentence_scores(1, {0: {"bleu": 1.0}, 1: {"bleu": 0.5}})
    assert place.sentence_scores(1) == {0: {"bleu": 1.0}, 1: {"bleu": 0.5}}
    assert place.sentence_scores(0) == {}
    place.delete_sentence_scores(1)
    assert place.sentence_scores(1) == {}


def test_the_list_is_an_owners_newest_first_by_each_run_that_takes_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")
    old = made()
    new = made(created="2026-01-03T00:00:00+00:00", run="other")
    made(owner="somebody else")
    assert [one.id for one in list_evaluations("local")] == [new.id, old.id]
    assert [one.id for one in list_evaluations("local", "one")] == [
        new.id,
        old.id,
    ]  # the newer has it among its systems
    assert [one.id for one in list_evaluations("local", "other")] == [new.id]
    (old.path / "evaluation.json").write_text("{")
    assert [one.id for one in list_evaluations("local")] == [new.id]


def test_deleting_takes_the_files_of_its_owner_only() -> None:
    place = made()
    with pytest.raises(UserError, match=r"no evaluation .* of yours"):
        delete_evaluation(place.id, "somebody else")
    sharing.share(sharing.thing("evaluation", place.id, ASKED.owner), sharing.Sharing(link=True))
    delete_evaluation(place.id)
    assert not place.path.exists()
    assert sharing.sharing("evaluation", place.id) == sharing.Sharing()
    assert list_evaluations() == []


@pytest.mark.parametrize("name", ["gone", "../runs/one", "", "a/b", ".deleted-x"])
def test_an_unknown_id_is_a_sentence(name: str) -> None:
    with pytest.raises(UserError, match="There is no evaluation"):
        Library().evaluation(name)


def test_a_newer_format_is_refused_and_what_a_newer_program_adds_is_passed_over() -> None:
    place = made()
    path = place.path / "evaluation.json"
    content = json.loads(path.read_text())
    content["systems"][0]["mood"] = content["test"]["mood"] = "good"
    path.write_text(json.dumps(content))
    assert place.evaluation() == replace(ASKED, id=place.id)
    path.write_text(json.dumps(content | {"format": 2}))
    with pytest.raises(UserError, match="format 2, newer than the 1 known here"):
        place.evaluation()


def test_an_evaluation_without_a_tokenizer_was_counted_with_sacrebleus_default() -> None:
    place = made()
    path = place.path / "evaluation.json"
    content = json.loads(path.read_text())
    del content["scoring"]["tokenize"]
    path.write_text(json.dumps(content))
    assert place.evaluation().scoring.tokenize == "13a"
    del content["scoring"]
    path.write_text(json.dumps(content))
    assert place.evaluation().scoring.tokenize == "13a"


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"format": 1}', '{"format": 1, "systems": [3]}', '{"format": "x"}']
)
def test_a_broken_file_is_a_sentence(content: str) -> None:
    place = made()
    (place.path / "evaluation.json").write_text(content)
    with pytest.raises(UserError, match=r"evaluation.json"):
        place.evaluation()
