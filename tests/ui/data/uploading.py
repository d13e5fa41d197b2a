"""Files in the uploader of the Data page."""

from streamlit.testing.v1 import AppTest

from s2s.ui.kit.pictures import SHOWN
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


def pairs(screen: AppTest) -> list[list[str]]:
    """Source and target of the rows that are shown; empty where no dataset is."""
    picture = screen.session_state[SHOWN].get("pairs")
    return [row[1:] for row in picture.table.rows] if picture else []


def side(screen: AppTest, name: str) -> list[str]:
    """The shown texts of one side."""
    return [row[("source", "target").index(name)] for row in pairs(screen)]


def reopened(screen: AppTest) -> AppTest:
    """The same address in a session of its own: a reload, a second tab, another server with the same files."""
    return settled(opened("data", set=str(screen.session_state["set"])))


def assert_same_after_a_reload(screen: AppTest, label: str, value: object) -> None:
    """The upload is read as it was read, with this value of the control."""
    again = reopened(screen)
    assert pairs(again) == pairs(screen)
    widgets = [*again.toggle, *again.radio, *again.selectbox]
    assert next(each for each in widgets if each.label == label).value == value
