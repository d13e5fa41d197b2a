"""What ships of the faults: complete, and as bad as each fault promises."""

import s2s
from benchmarks.make import faults
from s2s.config import NO_FAULT
from s2s.demo import shipped_about, shipped_faults
from s2s.faults import FAULTS
from s2s.jobs import fault_experiment


def test_every_fault_was_measured_beside_a_healthy_run() -> None:
    found = shipped_faults()
    assert {name.partition(" ")[2] for name in found} == {NO_FAULT, *FAULTS}
    assert len(found) == len(FAULTS) + 2
    steps = fault_experiment.recipe().train.steps
    for name, one in found.items():
        assert one.is_trained == name.startswith("trained")
        assert not one.is_trained or (one.steps[-1], one.valid_steps[-1]) == (steps, steps)
        assert len(one.outcome.outputs) == fault_experiment.SHOWN
    assert shipped_about()["changes"] == dict(fault_experiment.CHANGES)


def test_each_has_the_symptom_that_its_card_promises() -> None:
    found = shipped_faults()
    healthy = found["trained none"]
    of = {name: found[f"trained {name}"] for name in FAULTS if f"trained {name}" in found}
    assert healthy.outcome.exact_match > 0.8
    assert all(one.outcome.exact_match <= healthy.outcome.exact_match for one in of.values())
    unshifted, ahead = of["unshifted-labels"], of["no-causal-mask"]
    for one in (unshifted, ahead):
        assert (one.final_loss or 0.0) < (healthy.final_loss or 0.0)
        assert one.outcome.loss > 10 * healthy.outcome.loss
        assert one.outcome.exact_match < 0.05
    assert all(text == "" for _, _, text in unshifted.outcome.outputs)
    assert of["no-padding-mask"].outcome.repeatable < healthy.outcome.repeatable == 1.0
    for name in ("no-positions", "no-residual"):
        assert (of[name].final_loss or 0.0) > 10 * (healthy.final_loss or 0.0)
    demo = found["demo none"].outcome
    assert demo.ended == demo.repeatable == 1.0
    assert found["demo no-end"].outcome.ended == 0.0
    assert found["demo no-end"].outcome.loss == demo.loss  # which does not show it
    assert found["demo dropout-on"].outcome.repeatable < 1.0


def test_the_demo_is_what_was_measured() -> None:
    pairs = shipped_faults()["demo none"].outcome.outputs
    found = s2s.load(faults.DEMO).translate([source for source, _, _ in pairs], "greedy")
    assert [one.text for one in found] == [text for _, _, text in pairs]
