from streamlit.testing.v1 import AppTest


def page() -> None:
    from s2s.ui.canvas import copy_button

    copy_button("a link", key="copy link a__b___c")


def test_its_key_may_hold_any_id() -> None:
    screen = AppTest.from_function(page).run()
    assert not screen.exception
