from streamlit.testing.v1 import AppTest

from s2s.jobs import queue
from s2s.ui.kit import JOINER, cached
from tests.screen import opened, page_markdown, page_text

ANOTHER = "Choose another run"


def links(screen: AppTest) -> list[str]:
    """The labels of links to other pages."""
    return [each.proto.label for each in screen.get("page_link")]


def test_every_page_shows_the_operators_notice_escaped_and_that_the_queue_is_paused() -> None:
    assert "queue is paused" not in page_markdown(opened("positions"))
    queue.set_notice("<b>At nine</b> *we* restart :red[now].")
    queue.set_paused(True)
    cached.refresh_server_state()
    for path in ("", "data"):
        screen = opened(path)
        (notice,) = screen.warning
        assert notice.value.replace(JOINER, "").startswith(
            r"\<b\>At nine\<\/b\> \*we\* restart :red\[now\]"
        )
        assert any(each.value.startswith("The queue is paused:") for each in screen.info)


def test_what_a_link_names_and_is_gone_has_the_nearest_and_one_way_on() -> None:
    screen = opened("attention", run="gone0000", src="the red house")
    assert "There is no run gone0000 here (any more). demo-en-fr is shown instead." in page_text(
        screen
    )
    assert ANOTHER in links(screen)
    assert ANOTHER not in links(screen.run())

    screen = opened("attention", step="1400")
    said = (
        "There is no checkpoint of step 1400 in this run (any more); step 1,500 is shown instead."
    )
    assert said in page_text(screen)
    assert ANOTHER not in links(screen)
