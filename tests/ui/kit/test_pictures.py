"""Tables of pictures on a page, and what its style says of pictures by their names."""

import re
from pathlib import Path

from streamlit.testing.v1 import AppTest

from s2s.plots import evaluation_charts
from s2s.ui import shell

NAMES = (
    "map",
    "same word",
    "states",
    "parallel",
    evaluation_charts.SPEED,
    evaluation_charts.DIVERSITY,
)


def test_the_style_names_pictures_that_there_are() -> None:
    style = (Path(shell.__file__).parent / "style.css").read_text(encoding="utf-8")
    keys = {f"figure {name}".replace(" ", "-") for name in NAMES}
    styled = {*re.findall(r"st-key-(figure-[\w-]*\w)", style)}
    assert styled == {
        f"figure-{name}" for name in ("map", "states", "same-word", "quality-and", "parallel")
    }
    assert all(any(key.startswith(one) for key in keys) for one in styled)


def test_a_sentence_with_a_word_twice_has_a_table_of_its_weights() -> None:
    def page() -> None:
        from s2s.questions import Table
        from s2s.ui.kit import show_table

        head = ("predicts", "the", "the", "the (2)", "house")
        table = Table(head, [["la", float("nan"), 0.5, "a", 0.25]], {"the": "A word."}, ("house",))
        show_table(table, alt="Weights", key="weights")

    screen = AppTest.from_function(page, default_timeout=30).run()
    assert not screen.exception
    (shown,) = screen.dataframe
    assert [*shown.value.columns] == ["predicts", "the", "the (2)", "the (2) (2)", "house"]
    assert shown.value["house"].tolist() == [25.0]  # percent
