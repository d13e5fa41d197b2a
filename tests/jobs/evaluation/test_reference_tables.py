"""A table with several references per source is one test set, scored as sacrebleu scores it."""

import csv
import io
from dataclasses import replace
from itertools import zip_longest

import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from s2s.config import asker
from s2s.data import from_bytes, load, saved_datasets
from s2s.jobs import test_sets
from s2s.jobs.evaluation.service import EvaluationRequest
from s2s.runs import Sentences, System
from s2s.ui.evaluate import files
from tests.conftest import make_run
from tests.jobs.evaluation.test_service import done
from tests.samples import sample

N = 8  # sentences at most


def restaurants() -> dict[str, list[str]]:
    """The references of each source, in the order of the file."""
    found: dict[str, list[str]] = {}
    with sample("restaurants.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            known = found.setdefault(" ".join(row["mr"].split()), [])
            if row["ref"] not in known:
                known.append(row["ref"])
    return dict(list(found.items())[:N])


def as_rows(references: dict[str, list[str]]) -> bytes:
    """As E2E NLG has it: a row per reference."""
    out = io.StringIO()
    rows = [(source, one) for source, each in references.items() for one in each]
    csv.writer(out).writerows([("mr", "ref"), *rows])
    return out.getvalue().encode()


def as_columns(references: dict[str, list[str]]) -> bytes:
    """A row per source, a column per reference."""
    out = io.StringIO()
    width = max(map(len, references.values()))
    padded = [[source, *each, *[""] * (width - len(each))] for source, each in references.items()]
    csv.writer(out).writerows([["mr", *(f"ref{i}" for i in range(1, width + 1))], *padded])
    return out.getvalue().encode()


def test_scores_are_those_of_sacrebleu_with_the_same_references() -> None:
    references = restaurants()
    assert max(map(len, references.values())) > 1
    for write in (as_rows, as_columns):
        table = test_sets.table("e2e.csv", write(references))
        assert bool(table.repeats) is (write is as_rows)
        pairs, grouped = test_sets.grouped_references(table.pairs, table.references)
        assert [source for source, _ in pairs] == list(references)
        assert [[*each] for each in grouped] == list(references.values())
    outputs = [each[-1].replace(" is ", " was ")[:-3] for each in references.values()]
    request = EvaluationRequest(
        (System("theirs", uploaded="theirs.txt"),),
        Sentences("e2e", n=len(pairs)),
        pairs,
        {"theirs": outputs},
        references=grouped,
    )
    scores = done(request).scores()["systems"][0]["scores"]
    streams = [list(stream) for stream in zip_longest(*references.values())]
    for key, metric in (("bleu", BLEU()), ("chrf", CHRF()), ("ter", TER())):
        expected = metric.corpus_score(outputs, streams).score
        assert scores[key]["value"] == pytest.approx(expected, rel=1e-12)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> System:
    """One that says something to every source."""
    folder = make_run(tmp_path_factory.mktemp("run") / "one", {})
    return System("greedy", str(folder), 0, "greedy")


@pytest.mark.parametrize("write", [as_rows, as_columns])
def test_a_saved_dataset_is_evaluated_with_all_its_references(write: object, model: System) -> None:
    references = restaurants()
    corpus = from_bytes([("e2e.csv", write(references))])  # type: ignore[operator]
    spec = f"corpus:{saved_datasets.save(corpus, name='e2e', owner=asker.LOCAL)}"
    assert load(spec) == replace(corpus, spec=spec)
    test = Sentences("e2e", spec, n=N, is_grouped=write is as_rows)
    place = done(EvaluationRequest((model,), test))
    assert [[*each] for each in place.references()] == list(references.values())
    texts = [place.lines(0)[i]["text"] for i in range(len(references))]
    every = [[*each] for each in zip_longest(*references.values())]
    bleu = place.scores()["systems"][0]["scores"]["bleu"]["value"]
    assert bleu == pytest.approx(BLEU().corpus_score(texts, every).score)
    given = files.chosen(EvaluationRequest((), test))
    assert [*given.pairs] == place.test()
    assert [*given.references] == [*map(tuple, references.values())]


def test_repeated_sources_are_said() -> None:
    table = test_sets.table("t.csv", b"mr,ref\na,x\na,y\nb,z\nb,z\n")
    assert table.repeats == (
        "4 rows have 2 different sources: each is one sentence with 1 to 2 references."
    )
    assert test_sets.table("t.csv", b"mr,ref\na,x\na,x\n").repeats == ""
    assert test_sets.table("t.csv", b"mr,ref1,ref2\na,x,y\nb,z,w\n").repeats == ""
