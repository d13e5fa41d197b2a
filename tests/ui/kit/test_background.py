"""Expensive searches on pages: not in this process, with progress, stopped by leaving or by the button."""

import json
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import s2s
from s2s.analysis import Head
from s2s.links.share import pack
from s2s.processes.pool import Waiter
from s2s.runs import Interventions, Run
from s2s.runs.decoder import DECODER, DecodeRequest, DecoderPool, DecodeTask
from s2s.ui.kit import cached, find_one, nats
from s2s.ui.kit.cached import background
from tests.runs.intervened import translate_with
from tests.screen import box, html_table, opened, page_text, settled

pytestmark = pytest.mark.system
DEMO = "demo-en-fr"
SOURCE = "the cat who chased the mouse was black"
HEAVY = "num_beams:30,max_new_tokens:300"
ENDLESS = "num_beams:100,max_new_tokens:4096,min_new_tokens:4096"


@pytest.fixture(scope="module")
def pool() -> Iterator[DecoderPool]:
    """One for all these tests: its process starts once."""
    made = DecoderPool(DECODER, seconds=lambda: 300.0, slots=1)
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _visit(pool: DecoderPool, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """After a test its tab is closed."""
    is_open = [True]
    monkeypatch.setattr(background, "pool", lambda: pool)
    monkeypatch.setattr(background, "_is_present", lambda session: is_open[0])
    yield
    is_open[0] = False


@pytest.fixture
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress is shown at once: a search without an end would only compute meanwhile."""
    monkeypatch.setattr(background, "PATIENCE", 0.0)
    monkeypatch.setattr(cached, "PATIENCE", 0.0)


@pytest.fixture
def decoded_here(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The strategies of the searches that this process was asked for."""
    asked: list[str] = []
    translate = Run.translate

    def noted(run: Run, sources: Any, strategy: str = "beam", **settings: Any) -> Any:
        asked.append(strategy)
        return translate(run, sources, strategy, **settings)

    monkeypatch.setattr(Run, "translate", noted)
    return asked


def request_for(
    strategy: str, settings: dict[str, int] | None = None, source: str = SOURCE
) -> DecodeRequest:
    run = cached.open_run(DEMO)
    packed = json.dumps(settings or {}, sort_keys=True)
    return DecodeRequest("decoded", str(run.folder.path), run.step, (source,), strategy, packed)


def bodies(screen: AppTest) -> list[str]:
    """Everything drawn as HTML."""
    return [str(each.proto.body) for each in screen.get("html")]


def tasks(screen: AppTest) -> list[DecodeTask]:
    return [*screen.session_state[background.TASKS].values()]


def until_it_runs(screen: AppTest) -> DecodeTask:
    """The one search that the page waits for, once it has made a step."""
    (task,) = tasks(screen)
    until = time.monotonic() + 60
    while not task.done:
        assert time.monotonic() < until
        assert not task.wait(0.05), task.error
    return task


def test_an_expensive_column_is_decoded_elsewhere_with_the_same_bits(
    decoded_here: list[str],
) -> None:
    columns = {"c1": f"{DEMO}!greedy!", "c2": f"{DEMO}!beam!{HEAVY}"}
    sentence = "the cat who chased the dog was black"  # that no other test decodes
    screen = settled(opened("compare", src=sentence, **columns))
    assert decoded_here == ["greedy"]
    settings = {"num_beams": 30, "max_new_tokens": 300}
    (found,) = s2s.load(DEMO).translate([sentence], "beam", **settings)
    result = background.pool().result(request_for("beam", settings, sentence))
    assert result is not None
    assert result.value.hypotheses == found.hypotheses
    assert html_table(screen, "translation")[1]["translation"] == found.text


@pytest.mark.usefixtures("_impatient")
def test_the_other_columns_are_there_while_one_is_decoded() -> None:
    columns = {"c1": f"{DEMO}!greedy!", "c2": f"{DEMO}!beam!{ENDLESS}"}
    screen = opened("compare", src=SOURCE, **columns)
    task = until_it_runs(screen)
    screen.run()
    assert not screen.exception
    (bar,) = screen.get("progress")
    assert bar.proto.text.startswith("Decoding in the background: step ")
    assert "of at most 4,096" in bar.proto.text
    decoded, waiting = (row["translation"] for row in html_table(screen, "translation"))
    assert decoded != waiting == "Decoding …"
    screen.button(key="stop decoding c2").click().run()
    assert task.is_over
    assert "Stopped after" in page_text(screen)
    assert not screen.get("progress")
    screen.button(key="decode again c2").click().run()
    assert screen.get("progress")


@pytest.mark.usefixtures("_impatient")
def test_leaving_the_view_stops_its_search() -> None:
    screen = opened("compare", src=SOURCE, c1=f"{DEMO}!beam!{ENDLESS}")
    task = until_it_runs(screen)
    screen.run()
    assert not task.is_over  # the same view goes on
    screen.text_input(key="src").set_value("a cat").run()
    assert task.is_over
    (other,) = tasks(screen)
    assert other is not task
    assert not other.is_over
    screen.switch_page("pages/inspect/attention.py").run()
    assert other.is_over
    assert other not in tasks(screen)


@pytest.mark.usefixtures("_impatient")
@pytest.mark.parametrize("page", ["steps", ""])
def test_the_other_pages_wait_for_what_they_are_about(
    page: str, monkeypatch: pytest.MonkeyPatch, decoded_here: list[str]
) -> None:
    monkeypatch.setattr(background, "HEAVY", 0.0)
    screen = opened(page, run=DEMO, src=f"the dog reads the book on {page or 'the table'}")
    screen = settled(screen)
    assert not decoded_here
    assert screen.get("plotly_chart")


@pytest.mark.usefixtures("_impatient")
def test_a_chat_waits_for_its_answer(
    monkeypatch: pytest.MonkeyPatch, decoded_here: list[str]
) -> None:
    monkeypatch.setattr(background, "HEAVY", 0.0)
    screen = opened("evaluate", run="demo-tasks")
    screen.button(key="example chat").click().run()
    settled(screen)
    assert not decoded_here
    assert screen.session_state["turns demo-tasks"][-1] == ("assistant", "Ida has the watch")


def test_an_expensive_intervention_is_decoded_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "SLICE", -1.0)  # no search ends here
    sentence = "the small cat sees the red house"  # no other test decodes it
    change = pack({"view": "change", "at": "2", "to": "3", "switched": "cross.1.2=off"})
    screen = settled(opened("attention", run=DEMO, src=sentence, set=change))
    assert not screen.error
    run = s2s.load(DEMO)
    (target,) = (each.text for each in run.translate([sentence]))
    heads = ((Head("cross", 0, 1), "off"),)
    expected = translate_with(run, sentence, target, Interventions(heads, 1, (2,)))
    shown = "".join(bodies(screen))
    assert re.sub(r"<.*?>", "", shown).count(expected.before.text) >= 2
    assert (
        f"log-probability {nats(expected.after.log_prob)} nats, by the changed model"
        in page_text(screen)
    )
    requests = [request for request in background.pool()._results if request.interventions_json]
    assert [request.interventions.heads for request in requests] == [heads]


def test_a_search_that_proves_slow_leaves_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "SLICE", -1.0)
    sentence = "the old dog sits by the river and the cat reads"  # no other test has decoded it
    screen = settled(opened("compare", src=sentence, c1=f"{DEMO}!greedy!"))
    assert background.pool().result(request_for("greedy", source=sentence))
    assert html_table(screen, "translation")[0]["translation"] not in ("", "Decoding …")


@pytest.mark.usefixtures("_impatient")
def test_who_deletes_everything_leaves_no_search_and_no_result_of_theirs(
    pool: DecoderPool,
) -> None:
    known = {
        owner: request_for("greedy", source=f"a black {animal}")
        for owner, animal in {"ann": "dog", "eve": "cat"}.items()
    }
    for owner, request in known.items():
        assert pool.ask(request, owner, Waiter("tab", lambda: True)).wait(60)
    screen = opened("compare", src=SOURCE, c1=f"{DEMO}!beam!{ENDLESS}")
    task = until_it_runs(screen)

    def forget() -> None:
        from s2s.ui.kit import cached

        cached.forget_searches("eve")

    forgetting = AppTest.from_function(forget)
    forgetting.session_state[background.TASKS] = {task.request: task}
    assert not forgetting.run().exception
    assert task.is_over
    assert pool.result(known["ann"])
    assert not pool.result(known["eve"])


def test_steps_searches_beside_the_dashboard_and_stops_at_its_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(find_one.random, "randrange", lambda n: 7)
    monkeypatch.setattr(find_one, "BUDGET", 4)
    screen = opened("steps", src="")

    def refuse(*_: object, **__: object) -> None:
        raise s2s.UserError("Decoded in the dashboard's process.")

    monkeypatch.setattr(Run, "translate", refuse)
    (menu,) = (each for each in screen.get("menu_button") if each.proto.label == "Find one")
    menu.click("Strategies differ").run(timeout=60)
    assert "Strategies differ: none in 4 of 2,500 sentences" in page_text(screen)
    monkeypatch.setattr(find_one, "BUDGET", 2)
    screen.button(key="steps find another").click().run(timeout=60)
    assert box(screen) == ""
    assert "none in 2 of 2,500" in page_text(screen)
