"""What SeedSpread says of settings whose runs differ in their seed."""

import pytest

from s2s.questions import SeedGroup, SeedGroups, SeedSpread

ASKED = SeedSpread(("a", "b"))


def groups(*losses: tuple[float, ...], keys: tuple[str, ...] = ("lr",)) -> SeedGroups:
    """One setting per tuple."""
    found = [
        SeedGroup(
            f"lr {number}",
            (str(number),),
            tuple("abc"[: len(values)]),
            tuple(range(len(values))),
            {"validation loss": values, "accuracy": values, "BLEU": (None,) * len(values)},
        )
        for number, values in enumerate(losses)
    ]
    return SeedGroups(keys, tuple(found), draws_pairs=False)


def test_a_clear_difference_comes_with_interval_and_p() -> None:
    found = ASKED.finding(groups((1.0, 1.01, 0.99), (2.0, 2.01, 1.99)))
    assert "“lr 0”, validation loss 1 ± 0.01 over 3 seeds; difference" in found
    assert "95% interval 0.977 to 1.02, p < 0.001" in found


def test_a_difference_that_may_be_chance_is_called_so() -> None:
    found = ASKED.finding(groups((1.0, 1.4), (1.1, 1.5)))
    assert "which may be chance; difference" in found
    assert "p = 0.7" in found


def test_a_single_run_beside_has_no_interval() -> None:
    assert "the difference has no interval" in ASKED.finding(groups((1.0, 1.2), (2.0,)))


@pytest.mark.parametrize(
    "answer",
    [
        groups((1.0,), (2.0,)),
        groups((1.0, 2.0), (1.5, 1.5)),
        groups((1.0, 1.1), (2.0, 2.1), keys=("dataset",)),
    ],
    ids=["nothing averaged", "equal means", "other data"],
)
def test_no_setting_is_called_best(answer: SeedGroups) -> None:
    assert ASKED.finding(answer) == ""
