import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import s2s
from s2s.analysis import Head
from s2s.files import to_json
from s2s.runs import Interventions, Run
from s2s.runs.decoder import KINDS, DecodeRequest, request_seconds
from s2s.runs.intervention import active
from tests.conftest import make_run

SOURCE = "9 8 7 zebra"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return s2s.load(make_run(tmp_path_factory.mktemp("run") / "one", {}))


def request_for(run: Run, kind: str, **changes: Any) -> DecodeRequest:
    request = DecodeRequest(kind, str(run.folder.path), run.step, (SOURCE,), "beam")
    return replace(request, **changes)


def sent(request: DecodeRequest, run: Run) -> Any:
    """The result of a request as it arrives after it was JSON."""
    kind = KINDS[request.kind]
    return kind.from_json(json.loads(json.dumps(kind.to_json(kind.carry_out(run, request, {})))))


@pytest.mark.parametrize("strategy", ["greedy", "beam", "stochastic_beam", "mbr", "constrained"])
def test_results_survive_json_bit_by_bit(run: Run, strategy: str) -> None:
    settings = {"force_words": "7"} if strategy == "constrained" else {}
    (found,) = run.translate([SOURCE], strategy, **settings)
    changes = {"strategy": strategy, "settings_json": json.dumps(settings)}
    assert sent(request_for(run, "decoded", **changes), run) == replace(found, steps=())
    assert sent(request_for(run, "tree", **changes), run) == run.tree(found, strategy, **settings)


def test_a_forced_beginning_is_continued(run: Run) -> None:
    ids = tuple(run.tgt_tokenizer.encode("7 8"))
    found = sent(request_for(run, "decoded", prefix=ids), run)
    assert found == replace(run.complete(SOURCE, ids), steps=())
    assert found.hypotheses[0].ids[:2] == ids


def test_a_model_with_interventions_decodes_as_here(run: Run) -> None:
    ids = tuple(run.tgt_tokenizer.encode("7 8"))
    off = (Head("cross", 0, 0), "off"), (Head("encoder", 0, 1), "uniform")
    for change in (
        Interventions(off),
        Interventions((), 2, (0, 1), (Head("cross", 0, 1),)),
        Interventions(off, 2, (1,)),
    ):
        given = json.dumps(to_json(change))
        request = request_for(run, "decoded", prefix=ids, interventions_json=given)
        with active(run, change):
            expected = run.complete(SOURCE, ids)
        assert sent(request, run) == replace(expected, steps=())
        assert expected != run.complete(SOURCE, ids)
        assert request_seconds(run, request) > request_seconds(
            run, replace(request, interventions_json="")
        )
        last: dict[DecodeRequest, Any] = {}
        KINDS["decoded"].carry_out(run, replace(request, interventions_json=""), last)
        assert KINDS["decoded"].carry_out(run, request, last) == replace(expected, steps=())


def test_the_folder_of_a_request_is_that_of_the_run(run: Run) -> None:
    assert Path(request_for(run, "decoded").folder) == run.folder.path


def test_the_tree_of_the_last_search_is_made_without_another(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches: list[str] = []
    translate = Run.translate

    def noted(run: Run, sources: Any, strategy: str, **settings: Any) -> Any:
        searches.append(strategy)
        return translate(run, sources, strategy, **settings)

    monkeypatch.setattr(Run, "translate", noted)
    last: dict[DecodeRequest, Any] = {}
    for kind in ("decoded", "tree"):
        KINDS[kind].carry_out(run, request_for(run, kind), last)
    assert searches == ["beam"]
    KINDS["tree"].carry_out(run, request_for(run, "tree", strategy="greedy"), last)
    assert searches == ["beam", "greedy"]
    assert len(last) == 1
