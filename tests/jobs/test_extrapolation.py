from collections.abc import Callable

import pytest

import s2s
from s2s.config import POSITION_KINDS, UserError, override
from s2s.jobs import extrapolation, sweep, training
from s2s.jobs.extrapolation import LENGTHS, ExtrapolationSettings
from s2s.runs import Decoded, DecodedHypothesis, RunFolder

TINY = {
    "model.d_model": 16,
    "model.d_ff": 16,
    "model.n_layers": 1,
    "train.steps": 12,
    "train.watch.save_every": 12,
    "train.watch.scores": 0,
    "train.watch.samples": 0,
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A control run that had no time to learn anything."""
    order = extrapolation.run_requests(ExtrapolationSettings("copy"))[
        list(POSITION_KINDS).index("rotary")
    ]
    started = training.start(
        training.RunRequest(override(order.recipe, TINY), order.source),
        tmp_path_factory.mktemp("twin") / "one",
    )
    list(training.run(started))
    return started.folder


def test_control_runs_differ_in_their_positions_alone() -> None:
    orders = extrapolation.run_requests(ExtrapolationSettings("copy", steps=300, seed=7))
    assert [order.recipe.model.positions.kind for order in orders] == list(POSITION_KINDS)
    assert len({override(order.recipe, {extrapolation.KEY: "none"}) for order in orders}) == 1
    assert {order.source for order in orders} == {"synthetic:copy"}
    assert {(order.recipe.train.steps, order.recipe.train.seed) for order in orders} == {(300, 7)}
    assert {order.tags for order in orders} == {(f"{sweep.TAG}positions copy 300 7",)}


def test_other_settings_are_another_sweep_however_large() -> None:
    names = [
        ExtrapolationSettings(*given).name
        for given in (
            ("copy", 100, 1),
            ("reverse", 100, 1),
            ("copy", 101, 1),
            ("reverse", 20_000, 2**31 - 1),
        )
    ]
    assert len({*names}) == 4
    for order in extrapolation.run_requests(ExtrapolationSettings("reverse", 20_000, 2**31 - 1)):
        assert order.tags == (sweep.TAG + names[-1],)  # not cut


def test_bad_settings_are_named() -> None:
    with pytest.raises(UserError, match="choice of `task` `sort`"):
        ExtrapolationSettings("sort")
    with pytest.raises(UserError, match="`steps` 5 is out of range"):
        ExtrapolationSettings(steps=5)


@pytest.mark.parametrize("task", ["copy", "reverse"])
def test_the_test_is_right_always_the_same_and_reaches_beyond_the_training(task: str) -> None:
    assert min(LENGTHS) >= extrapolation.TRAINED[0]
    assert sum(length > extrapolation.TRAINED[1] for length in LENGTHS) >= 5
    for length in LENGTHS:
        pairs = extrapolation.lines(task, length)
        assert pairs == extrapolation.lines(task, length)
        assert len({src for src, _ in pairs}) > extrapolation.EACH - 3
        for src, tgt in pairs:
            words = src.split()
            assert len(words) == length
            assert tgt.split() == (words if task == "copy" else words[::-1])


def test_every_line_fits_the_learned_table() -> None:
    (learned,) = [
        order
        for order in extrapolation.run_requests(ExtrapolationSettings())
        if order.recipe.model.positions.kind == "learned"
    ]
    assert max(LENGTHS) + 2 <= learned.recipe.model.positions.max_length


def translator(texts: Callable[[str], str]) -> Callable[..., list[Decoded]]:
    """A model that makes this of each source."""
    return lambda self, sources, *_, **__: [
        Decoded(one, (DecodedHypothesis(texts(one), (), (), 0.0, 0.0, ()),)) for one in sources
    ]


@pytest.mark.parametrize(
    ("texts", "whole", "digits"),
    [
        (lambda src: src, 1.0, lambda n: 1.0),
        (lambda src: f"{src} 1", 0.0, lambda n: 1.0),  # one too many
        (lambda src: src[:-2], 0.0, lambda n: (n - 1) / n),
        (lambda src: "x" + src[1:], 0.0, lambda n: (n - 1) / n),
        (lambda src: "", 0.0, lambda n: 0.0),
    ],
)
def test_shares_are_of_lines_and_of_digits_in_their_place(
    trained: RunFolder,
    monkeypatch: pytest.MonkeyPatch,
    texts: Callable[[str], str],
    whole: float,
    digits: Callable[[int], float],
) -> None:
    run = s2s.load(trained.path)
    monkeypatch.setattr(type(run), "translate", translator(texts))
    reached = extrapolation.measure(run, "copy")
    assert (reached.kind, reached.seed, reached.lengths) == ("rotary", 1, LENGTHS)
    assert set(reached.whole) == {whole}
    assert list(reached.digits) == pytest.approx([digits(length) for length in LENGTHS], abs=1e-4)
