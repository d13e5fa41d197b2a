import random

from s2s.plots.training_view import QUANTITIES
from s2s.runs import Curves
from s2s.ui.train.curves import rounded


def test_the_sliders_end_is_a_round_number_that_moves_seldom() -> None:
    for seed in range(30):
        last = int(10 ** random.Random(seed).uniform(0, 6))
        end = rounded(last)
        assert last <= end <= max(20, 2.5 * last)
        assert rounded(end) == end


def test_every_quantity_names_fields_that_curves_have_and_says_how_to_read_it() -> None:
    for row in QUANTITIES.values():
        assert row.reading.endswith(".")
        assert row.axis
        for fields in row.curves.values():
            assert set(fields) <= set(Curves.__dataclass_fields__)
