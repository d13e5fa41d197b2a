"""The library of the figures in a snapshot: all that they need, and little else."""

import pytest

from s2s.reports import library


def test_it_has_the_traces_that_are_drawn_and_keeps_its_license() -> None:
    bars = library.source(frozenset({"bar", "scatter"}))
    both = library.source(frozenset({"bar", "heatmap"}))
    shipped = library.PLOTLY.read_text(encoding="utf-8")
    registered = max(map(len, library.REGISTER.findall(shipped)))
    assert 0 < len(both) - len(bars) < 20 < registered
    assert len(bars) < len(shipped) - registered + 200
    assert "Licensed under the MIT license" in bars[:200]
    assert bars.isascii() or max(bars) <= "\xff"


def test_an_unknown_kind_of_trace_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"no module of the traces \['nosuch'\]"):
        library.source(frozenset({"nosuch"}))
