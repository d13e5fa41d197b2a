from s2s.ui.kit.action_button import Click, register


def test_of_a_double_click_one_counts() -> None:
    """Streamlit hands the second what the button held when it was drawn, before the first was carried out."""
    click = Click()
    register(click, 0)
    register(click, 0)
    assert click.is_waiting
    click.done()
    register(click, 0)
    assert not click.is_waiting
    register(click, 1)
    assert click.is_waiting
