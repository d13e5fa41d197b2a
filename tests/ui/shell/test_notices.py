import shutil

from streamlit.testing.v1 import AppTest

from s2s.model import weights_path
from s2s.processes import queue
from s2s.runs import runs_folder
from s2s.ui.kit import JOINER, cached
from tests.conftest import make_run
from tests.screen import opened, page_markdown, page_text

ANOTHER = "Choose another run"
WAYS = (ANOTHER, "Choose a dataset", "See this model's layers and heads")


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

    for step, is_said in ((1400, True), (1500, False)):  # 1500 is the best
        screen = opened("walkthrough", run=f"demo-en-fr@{step}")
        said = f"shows the best checkpoint of a run, not step {step}."
        assert (said in page_text(screen)) is is_said
    for named in ("best", "last"):
        screen = opened("attention", run=f"demo-en-fr@{named}")
        assert screen.session_state["step"] == "1500"
        assert not screen.info
    screen = opened("attention", run="demo-en-fr@1400")
    said = (
        "There is no checkpoint of step 1400 in this run (any more); step 1,500 is shown instead."
    )
    assert said in page_text(screen)
    assert ANOTHER in links(screen)  # it is the only one of this run


def test_each_thing_that_is_gone_has_its_own_way_on_and_a_page_shows_one() -> None:
    for path, view, way in (
        ("attention", {"layer": "9", "head": "77"}, "See this model's layers and heads"),
        ("train", {"set": "source:corpus:0123456789abcdef"}, "Choose a dataset"),
        ("evaluate", {"set": "test:corpus%3Agone"}, "Choose a dataset"),
        ("compare", {"c1": "gone0000!beam!"}, ANOTHER),
    ):
        screen = opened(path, **view)
        assert [label for label in links(screen) if label in WAYS] == [way]


def test_the_best_checkpoint_and_the_default_dataset_are_one_press_away() -> None:
    checkpoints = make_run(runs_folder() / "r", {"train.steps": 2}) / "checkpoints"
    shutil.copy(weights_path(checkpoints, 2), weights_path(checkpoints, 9))
    screen = opened("attention", run="r", step="8", src="1 2 3")
    assert "There is no checkpoint of step 8 in this run (any more); step 9" in page_text(screen)
    assert screen.selectbox(key="step box").value == "9"
    screen.run()  # as the browser does where the address names a run by its id alone
    screen.button(key="way of a notice").click().run()
    assert screen.selectbox(key="step box").value == "2"
    assert "way of a notice" not in {button.key for button in screen.button}

    screen = opened("data", set="source:builtin:gone")
    screen.button(key="open default dataset").click().run()
    assert screen.selectbox(key="builtin").value == "builtin:en-fr"
    assert "no dataset" not in page_text(screen)
