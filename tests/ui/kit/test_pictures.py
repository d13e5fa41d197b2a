"""Tables of pictures on a page."""

from streamlit.testing.v1 import AppTest


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
    assert shown.value["house"].tolist() == [0.25]
