import json
import math
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

import s2s
from s2s.analysis import heads
from s2s.config import UserError
from s2s.runs import Run, probes
from s2s.runs.decoder import KINDS, DecodeRequest, request_seconds
from s2s.runs.decoder.cost import request_steps
from s2s.runs.probes import PROBES, ProbeInput
from tests.conftest import make_run

A, B = "9 8 7", "9 5 7"
WRITTEN = "7 8 9"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return s2s.load(make_run(tmp_path_factory.mktemp("run") / "one", {}))


def given(run: Run, kind: str, choice: str) -> ProbeInput:
    target = run.target_ids(WRITTEN)
    if kind == "patching":
        return ProbeInput((A, B), target[:1], choice, {"token_a": target[0], "token_b": target[1]})
    if kind == "attribution":
        return ProbeInput((A,), target, choice, {"baseline": "mean", "n_steps": 20})
    return ProbeInput((A, B), target, choice, {"layer": 0, "head": 1})


ALL = [
    *(("patching", choice) for choice in heads.PATCHES),
    *(("attribution", choice) for choice in heads.ATTRIBUTIONS),
    *(("changed weights", choice) for choice in heads.WEIGHT_CHANGES if choice != "sentences"),
]


def asked(run: Run, kind: str, question: ProbeInput) -> Any:
    """As it arrives from a decoder process, through JSON there and back."""
    settings = json.dumps(question.settings)
    key = run.key
    request = DecodeRequest(
        kind, key.folder, key.step, question.sources, question.choice, settings, question.target
    )
    steps: list[None] = []
    row = KINDS[kind]
    found = row.carry_out(replace(run, on_step=lambda: steps.append(None)), request, {})
    assert 1 <= len(steps) <= request_steps(run, request)
    assert 0 < request_seconds(run, request) < 1
    return row.from_json(json.loads(json.dumps(row.to_json(found))))


@pytest.mark.parametrize(("kind", "choice"), ALL)
def test_answers_survive_json_bit_by_bit(run: Run, kind: str, choice: str) -> None:
    question = given(run, kind, choice)
    found = asked(run, kind, question)
    expected = heads.finish(PROBES[kind].ask(run, question))
    for field in fields(expected):
        np.testing.assert_array_equal(getattr(found, field.name), getattr(expected, field.name))


def test_a_patch_is_of_these_two_sources(run: Run) -> None:
    question = given(run, "patching", "encoder")
    found = asked(run, "patching", question)
    for own, text in ((found.own_a, A), (found.own_b, B)):
        row = run.next_tokens(text, question.target)[-1]
        settings = question.settings
        expected = float(row[settings["token_a"]] - row[settings["token_b"]])
        assert own == pytest.approx(expected, abs=1e-5)
    assert found.patched.shape == (2, 4)


def test_attributed_is_the_log_probability_of_the_target(run: Run) -> None:
    found = asked(run, "attribution", given(run, "attribution", "integrated"))
    assert math.fsum(found.own) == pytest.approx(run.score([A], [WRITTEN])[0], abs=1e-4)
    assert np.abs(found.residuals).max() < 0.05


def test_other_sentences_lend_weights_where_they_are_long_enough(run: Run) -> None:
    (other,) = run.translate([B], "greedy")
    n_tokens = len(other.hypotheses[0].ids)
    target = run.target_ids(WRITTEN)
    question = ProbeInput((A, B), target[: min(n_tokens, len(target))], "sentences", {})
    assert asked(run, "changed weights", question).best.shape[0] == 1
    with pytest.raises(UserError, match="No other sentence of this run has as many source tokens"):
        asked(run, "changed weights", replace(question, sources=(A, "9 8")))


def test_sources_must_correspond(run: Run) -> None:
    probes.check_sources(run, A, B)
    with pytest.raises(UserError, match=r"A has 4 tokens \(9 8 7 </s>\) and source B has 3"):
        probes.check_sources(run, A, "9 8")
    with pytest.raises(UserError, match="are the same for this model; change a word of B"):
        probes.check_sources(run, A, A)
    with pytest.raises(UserError, match="because unknown words all become `<unk>`"):
        probes.check_sources(run, "9 zebra", "9 giraffe")


def test_the_first_disagreement_is_of_the_best_tokens(run: Run) -> None:
    ids = run.target_ids(WRITTEN)
    rows = run.next_tokens(A, ids)
    assert probes.first_disagreement(rows, rows) is None
    other = rows.clone()
    other[2:] = other[2:].flip(-1)
    assert probes.first_disagreement(rows, other) == 2
