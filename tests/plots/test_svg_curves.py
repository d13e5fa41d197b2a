"""Curves as SVG: each value where its axis says, in well-formed XML."""

import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from s2s.plots import Curve, svg_curves


def test_a_curve_goes_from_corner_to_corner() -> None:
    steps = np.array([0, 50, 100])
    line = Curve("<b>&", steps, np.array([4.0, 2.0, 0.0]))
    svg = svg_curves.curves([line], title="a & b", y_label="loss (nats per token)")
    ET.fromstring(svg)
    (path,) = re.findall(r'<path d="M([^"]*)" stroke="#0072B2" stroke-width="1.6"', svg)
    places = [tuple(map(float, place.split(","))) for place in path.split("L")]
    assert places[-1][0] - places[0][0] == svg_curves.WIDTH
    assert places[-1][1] - places[0][1] == svg_curves.HEIGHT
    assert places[1][0] == pytest.approx((places[0][0] + places[2][0]) / 2, abs=0.1)


def test_held_out_values_have_marks_with_their_number() -> None:
    line = Curve("validation", [10, 20], [1.5, math.nan], is_held_out=True)
    svg = svg_curves.curves([line], title="a", y_label="b")
    assert svg.count("<title>validation, 10: 1.5</title>") == 1
    assert "nan" not in svg


def test_without_values_it_says_so() -> None:
    svg = svg_curves.curves([Curve("training", [], [])], title="a", y_label="b")
    assert "The curves start with the first step." in svg


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 7.3, [0, 2, 4, 6]),
        (0, 1500, [0, 500, 1000, 1500]),
        (-0.1, 0.1, [-0.1, -0.05, 0, 0.05, 0.1]),
    ],
)
def test_ticks_are_round(low: float, high: float, expected: list[float]) -> None:
    assert svg_curves.ticks(low, high) == expected
