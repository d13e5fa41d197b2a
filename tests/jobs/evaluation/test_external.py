"""Segment scores of a file belong to an evaluation and join its scores; what does not fit is refused in a sentence."""

import json
from collections.abc import Callable
from dataclasses import replace
from statistics import fmean

import pytest

from s2s.config import UserError
from s2s.jobs import GivenScores, evaluation_service, external
from s2s.jobs.evaluation.service import EvaluationRequest
from s2s.library import Library
from s2s.runs import EvaluationFolder, Sentences, System, external_scores
from s2s.scores import mean_differences, mean_intervals
from tests.jobs.evaluation.test_service import PAIRS, claimed_job, done

SYSTEMS = tuple(System(name, uploaded=f"{name}.txt") for name in ("one", "two", "three"))
OUTPUTS = {system.name: [reference for _, reference in PAIRS] for system in SYSTEMS}
REQUEST = EvaluationRequest(
    SYSTEMS, Sentences("mine", n=len(PAIRS)), PAIRS, OUTPUTS, run="one", baseline=1
)
VALUES = [0.9, 0.5, 0.25, 0.75, 0.125]
COMET = GivenScores("COMET", "higher", 0, "comet.txt", b"0.9\n0.5\n0.25\n0.75\n0.125\n")


@pytest.fixture
def place() -> EvaluationFolder:
    return done(REQUEST)


def test_scores_are_stored_whole_and_deleted(place: EvaluationFolder) -> None:
    found = external.add(place.id, COMET)
    assert external_scores.read(place) == [found]
    assert (found.values, found.file, len(found.hash)) == (tuple(VALUES), "comet.txt", 16)
    (path,) = place.path.glob("external-*.json")
    assert json.loads(path.read_text())["values"] == VALUES
    external.add(place.id, replace(COMET, system=1))
    external.delete(place.id, "COMET", 0)
    assert [one.system for one in external_scores.read(place)] == [1]
    evaluation_service.delete(place.id)
    assert not place.path.exists()


def test_they_are_means_with_intervals_and_tests_beside_the_other_scores(
    place: EvaluationFolder,
) -> None:
    other = [value / 2 for value in VALUES]
    content = "".join(f"{value}\n" for value in other).encode()
    for system, given in ((0, COMET.content), (1, content)):
        external.add(place.id, replace(COMET, system=system, content=given))
    scores = place.scores()
    found = external.joined(scores, external.covering(place, 5), baseline=1)
    first, second, third = found["systems"]
    assert first["scores"]["COMET"] == vars(mean_intervals({0: VALUES})[0])
    assert first["scores"]["COMET"]["value"] == pytest.approx(fmean(VALUES))
    assert first["paired"]["COMET"] == vars(mean_differences({0: VALUES}, {0: other})[0])
    assert "COMET" not in second["paired"]  # the baseline
    assert "COMET" not in third["scores"]
    assert first["scores"]["bleu"] == scores["systems"][0]["scores"]["bleu"]
    assert "better:higher" in first["signature"]["COMET"]
    assert found["external"] == {"COMET": "higher"}
    json.dumps(found, allow_nan=False)
    assert external.joined(scores, [], 1)["systems"] == [
        {"paired": {}, **system} for system in scores["systems"]
    ]


def test_those_of_the_whole_test_set_are_sampled_as_it_was() -> None:
    test = replace(REQUEST.test, n_all=10)
    place = done(replace(REQUEST, test=test))
    content = "".join(f"{i}\n" for i in range(10)).encode()
    assert external.add(place.id, replace(COMET, content=content)).values == (0, 2, 4, 6, 8)


def test_after_a_resumption_those_of_fewer_sentences_do_not_count(place: EvaluationFolder) -> None:
    external.add(place.id, COMET)
    assert external.covering(place, 6) == []
    assert len(external.covering(place, 5)) == 1


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"content": b"0.5\n" * 4}, "`comet.txt` has 4 scores and needs 5: one per sentence"),
        ({"content": b"0.5\n" * 6}, "`comet.txt` has 6 scores and needs 5"),
        ({"content": b"0.5\nx\n"}, "Line 2 of `comet.txt` is `x`"),
        ({"content": b"0" * 20_000_001}, "`comet.txt` has 20 MB, more than the limit of 20 MB"),
        ({"metric": " \n"}, "has 1 to 40 characters and this one has 0"),
        ({"metric": "x" * 41}, "this one has 41"),
        ({"metric": "bleu"}, "`bleu` is already the name of a number here"),
        ({"metric": "ChrF"}, "give another, such as `ChrF (mine)`"),
        ({"metric": "Source"}, "`Source` is already the name"),
        ({"better": "up"}, "give higher or lower"),
        ({"system": 3}, "There is no system 3"),
        ({"system": -1}, "There is no system -1"),
        ({"metric": "human"}, "`one` has scores of `human`; delete those first"),
        ({"metric": "human", "system": 1}, "was added with lower is better"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_stored(
    place: EvaluationFolder, change: dict[str, object], sentence: str
) -> None:
    external.add(place.id, replace(COMET, metric="human", better="lower"))
    with pytest.raises(UserError) as error:
        external.add(place.id, replace(COMET, **change))  # type: ignore[arg-type]
    assert sentence in str(error.value)
    assert len(external_scores.read(place)) == 1


def test_an_evaluation_has_a_few_such_metrics(place: EvaluationFolder) -> None:
    for number in range(external.MOST_METRICS):
        external.add(place.id, replace(COMET, metric=f"m{number}"))
    with pytest.raises(UserError, match="at most 8 metrics"):
        external.add(place.id, COMET)


@pytest.mark.parametrize(
    "act",
    [
        lambda place: external.add(place.id, COMET, "somebody else"),
        lambda place: external.delete(place.id, "COMET", 0, "somebody else"),
    ],
)
def test_only_its_owner_changes_an_evaluation(
    place: EvaluationFolder, act: Callable[[EvaluationFolder], object]
) -> None:
    with pytest.raises(UserError, match="choose one of yours"):
        act(place)


def test_scores_wait_for_the_end_of_the_evaluation() -> None:
    _, place = claimed_job(REQUEST)
    with pytest.raises(UserError, match="is not done yet"):
        external.add(place.id, COMET)


@pytest.mark.parametrize("content", ["{", "[]", '{"format": 1}', '{"format": 9, "values": []}'])
def test_a_file_that_is_not_ours_is_named(place: EvaluationFolder, content: str) -> None:
    (place.path / "external-x-0.json").write_text(content)
    with pytest.raises(UserError, match=r"external-x-0\.json"):
        external_scores.read(Library().evaluation(place.id))
