"""Which run an address means, and what pages say of it."""

import pytest

from s2s.demo import EVERYDAY, LESSONS
from s2s.ui.shell.pages import PAGES, run_meant
from tests.screen import box, lost, opened, page_text

ATTRIBUTION = "Sentences: Tatoeba (tatoeba.org), CC BY 2.0 FR"
VIEWS = ("src", "tgt", "step", "layer", "head", "kind", "reduce", "set", "c2", "c6", "lesson")
OPENS_EVERYDAY = {"", "compare", "steps", "evaluate", "attention", "heads"}


@pytest.mark.parametrize("row", PAGES, ids=lambda row: row.title)
def test_a_view_without_a_run_means_the_run_that_it_was_published_with(row) -> None:
    bare = EVERYDAY if row.url_path in OPENS_EVERYDAY else LESSONS
    assert run_meant(row, {}) == bare
    assert run_meant(row, {"utm_source": "course", "embed": "true", "v": "1"}) == bare
    assert {run_meant(row, {key: "x"}) for key in VIEWS} == {LESSONS}
    assert run_meant(row, {"run": "My own · abc", "src": "x"}) == "abc"
    assert run_meant(row, {"c1": "demo-en-es!beam", "src": "x"}) == "demo-en-es"


def test_a_page_that_nobody_chose_a_run_for_says_which_it_shows() -> None:
    screen = opened("walkthrough")
    assert screen.session_state["run"] == LESSONS
    assert f"Shown with {LESSONS}: a small model" in page_text(screen)
    assert "Shown with" not in page_text(opened("walkthrough", run=LESSONS))


def test_who_comes_with_another_run_keeps_it_and_may_change_to_that_of_the_lessons() -> None:
    screen = opened("states", run=EVERYDAY, src="My umbrella is wet.")
    assert not screen.exception
    assert (screen.session_state["run"], box(screen)) == (EVERYDAY, "My umbrella is wet.")
    screen.button(key="lessons run").click().run()
    assert not screen.exception
    assert (screen.session_state["run"], box(screen)) == (LESSONS, "the cat sits on the mat")
    screen = opened("attention", run=EVERYDAY, src="the red house", set="view:alignment")
    screen.button(key="lessons run").click().run()
    assert (screen.session_state["run"], box(screen)) == (LESSONS, "the red house")
    screen = opened("attention", run="demo-en-es", src="the red house", set="view:alignment")
    assert "lessons run" not in [each.key for each in screen.button]  # its links are known, too


def test_the_attribution_is_where_the_model_is_shown() -> None:
    assert ATTRIBUTION in page_text(opened("steps"))
    assert ATTRIBUTION not in page_text(opened("steps", run=LESSONS))
    beside = opened("compare", run=LESSONS, src="Hi.", c1="demo-en-fr!greedy", c2="demo-en-de!beam")
    assert ATTRIBUTION in page_text(beside)


def test_a_run_that_is_chosen_before_any_sentence_brings_its_own() -> None:
    screen = opened("evaluate")
    screen.selectbox(key="run").set_value(LESSONS).run()
    assert not lost(screen)  # the test set of the run before is not missed
    assert "src" not in screen.session_state


@pytest.mark.parametrize("run", ["gone", ""])
def test_an_address_that_names_no_run_that_is_there_is_not_silent(run: str) -> None:
    screen = opened(run=run)
    assert screen.session_state["run"] == (LESSONS if run else EVERYDAY)
    assert bool(lost(screen)) is bool(run)


def test_a_person_s_translation_is_beside_the_model_s() -> None:
    screen = opened()
    assert "By a person: " in page_text(screen)
    screen.text_input(key="src").set_value("My umbrella is wet.").run()
    assert "By a person: " not in page_text(screen)


def test_links_within_the_dashboard_name_the_run() -> None:
    screen = opened()
    links = [str(each.proto.query_string) for each in screen.get("page_link")]
    assert any(f"run={EVERYDAY}" in link for link in links)
    assert all("run=" in link for link in links if "src=" in link)
