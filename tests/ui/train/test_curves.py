import io
import random

import numpy as np
import pandas as pd

from s2s.plots import Curve, CurveOptions
from s2s.runs import Curves
from s2s.ui.kit.training_curves import QUANTITIES, curve_table
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


def test_the_table_holds_what_is_drawn() -> None:
    lines = [
        Curve("training", np.arange(1, 9), np.arange(8.0)),
        Curve("a, b", [0, 8], [2.0, np.nan], is_held_out=True),
    ]
    read = pd.read_csv(io.StringIO(curve_table(lines, CurveOptions(0.5, (3, 5)))))
    assert read[read.curve == "training"].step.tolist() == [2, 3, 4, 5, 6]
    assert list(read.columns) == ["curve", "step", "value", "smoothed"]
    assert read[read.curve == "a, b"].empty
    whole = pd.read_csv(io.StringIO(curve_table(lines, CurveOptions())))
    assert whole[whole.curve == "a, b"].value.tolist() == [2.0]
    assert "smoothed" not in whole
