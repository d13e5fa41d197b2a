"""Files in the uploader of the Data page."""

from streamlit.testing.v1 import AppTest

from tests.screen import opened, settled

PAIRS = (
    b"src\ttgt\nthe red house\tla maison rouge\nthe cat\tle chat\n\tno source\n"
    b"<b>x</b> **y**\t:material/home: $x$\n"
)


def uploaded(*given: tuple[str, bytes]) -> AppTest:
    """The Data page with these files in its uploader."""
    screen = opened("data", set="source:upload%3A")
    screen.file_uploader(key="upload 0").set_value(
        [(name, content, "text/plain") for name, content in given]
    ).run()
    return settled(screen)


def reopened(screen: AppTest) -> AppTest:
    """The same address in a session of its own: a reload, a second tab, another server with the same files."""
    return settled(opened("data", set=str(screen.session_state["set"])))


def assert_same_after_a_reload(screen: AppTest, label: str, value: object) -> None:
    """The upload is read as it was read, with this value of the control."""
    again = reopened(screen)
    assert again.dataframe[0].value.equals(screen.dataframe[0].value)
    widgets = [*again.toggle, *again.radio, *again.selectbox]
    assert next(each for each in widgets if each.label == label).value == value
