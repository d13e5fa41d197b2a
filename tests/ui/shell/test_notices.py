from s2s.jobs import queue
from s2s.ui.kit import JOINER, cached
from tests.screen import opened, page_markdown


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
