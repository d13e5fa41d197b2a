from streamlit.testing.v1 import AppTest


def script() -> None:
    import streamlit as st

    from s2s.ui.kit import address

    page = st.radio("page", ["a", "b"])
    address.turn_page(page, ("c1",))
    said = address.read("c1")
    st.text(f"said {said!r}")
    if said is not None:
        st.session_state["box"] = said or "usual"
    value = st.text_input("box", "usual", key="box", persist_state="session")
    address.write("c1", value, "usual")


def opened(**params: str) -> AppTest:
    screen = AppTest.from_function(script)
    screen.query_params.update(params)
    return screen.run()


def value(screen: AppTest) -> object:
    found = screen.query_params.get("c1")
    return found[0] if isinstance(found, list) else found


def test_a_link_fills_the_widget_once() -> None:
    screen = opened(c1="mine")
    assert screen.text[0].value == "said 'mine'"
    assert screen.text_input(key="box").value == "mine"
    screen.text_input(key="box").set_value("other").run()
    assert screen.text[0].value == "said None"
    assert value(screen) == "other"


def test_the_default_is_not_written() -> None:
    screen = opened()
    assert value(screen) is None
    screen.text_input(key="box").set_value("mine").run()
    assert value(screen) == "mine"
    screen.text_input(key="box").set_value("usual").run()
    assert value(screen) is None


def test_going_back_brings_the_earlier_value() -> None:
    screen = opened()
    screen.text_input(key="box").set_value("mine").run()
    screen.query_params.clear()  # as the browser's Back does
    screen.run()
    assert screen.text_input(key="box").value == "usual"


def test_another_page_forgets_nothing() -> None:
    screen = opened()
    screen.text_input(key="box").set_value("mine").run()
    screen.query_params.clear()  # as a click in the navigation does
    screen.radio[0].set_value("b").run()
    assert screen.text_input(key="box").value == "mine"
    assert value(screen) == "mine"


def test_control_characters_and_endless_values_are_cut() -> None:
    screen = opened(c1="a\x00b" + "x" * 5000)
    assert screen.text_input(key="box").value.startswith("abx")
    assert len(screen.text_input(key="box").value) == 1500
