"""Files in the uploader of the Data page."""

from streamlit.testing.v1 import AppTest

from tests.screen import opened, settled

PAIRS = (
    b"src\ttgt\nthe red house\tla maison rouge\nthe cat\tle chat\n\tno source\n"
    b"<b>x</b> **y**\t:material/home: $x$\n"
)


def uploaded(*given: tuple[str, bytes]) -> AppTest:
    """The Data page with these files in its uploader."""
    screen = opened("data")
    screen.segmented_control(key="origin").set_value("Upload").run()
    screen.file_uploader(key="upload 0").set_value(
        [(name, content, "text/plain") for name, content in given]
    ).run()
    return settled(screen)
