import pytest

from s2s.ui.shell import PAGES
from tests.screen import box, opened

WITH_SENTENCE = [
    row.url_path
    for row in PAGES
    if "src" in row.keys and row.url_path not in ("positions", "architecture")
]


@pytest.mark.parametrize("page", WITH_SENTENCE)
@pytest.mark.parametrize("example", [0, 1])
def test_an_example_outlives_a_change_of_model_where_the_new_one_knows_its_words(
    page: str, example: int
) -> None:
    screen = opened(page, run="demo-en-fr")
    if example:
        screen.button(key=f"chip{example}").click().run()
    text = box(screen)
    screen.selectbox(key="run").select("demo-en-es").run()
    assert not screen.exception
    assert box(screen) == text
    screen.run()
    assert box(screen) == text


def test_an_example_gives_way_to_one_of_a_model_that_cannot_read_it() -> None:
    screen = opened(run="demo-tasks")
    first = box(screen)
    screen.selectbox(key="run").select("demo-en-fr").run()
    assert not screen.exception
    assert box(screen) not in ("", first)
