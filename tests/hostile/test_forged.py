"""Values of widgets that no browser sends: a sentence, and nothing else changes."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.session_state import SessionState
from streamlit.testing.v1 import AppTest

from s2s import lessons
from s2s.processes import logs
from s2s.ui.shell import forged
from tests.logged import logged
from tests.screen import PAGES, opened, page_text

SECRET = "what nobody may read in a log"
NOWHERE = {"selection": {"rows": [9999], "points": [{"customdata": [9999]}, {}]}}
ODD = {"selection": {"rows": ["a", None, -1], "points": [5]}}
EVENTS = ("pick", "enlarge", "alternative")
HEADS = {"layer": 99, "head": -9, "name": [], "position": {}, "token": {}}


def _with(field: str, value: Any) -> Callable[[str], WidgetState]:
    def made(id: str) -> WidgetState:
        sent = WidgetState(id=id)
        if field.endswith("_array_value"):
            getattr(sent, field).SetInParent()
            getattr(sent, field).data.extend(value)
        elif field == "string_trigger_value":
            sent.string_trigger_value.data = value
        else:
            setattr(sent, field, value)
        return sent

    return made


WRONG = {  # of another type than the widget's
    field: _with("json_value" if field != "json_value" else "string_trigger_value", SECRET)
    for field in ("trigger_value", "bool_value", "string_value", "double_value", "json_value")
}
# The widget's own type, in several ways.
IMPOSSIBLE = (
    {
        "string_value": _with("string_value", SECRET),
        "string_array_value": _with("string_array_value", []),
        "double_value": _with("double_value", float("nan")),
        "double_array_value": _with("double_array_value", [1.0, 2.0, 3.0]),
        "json_value": _with("json_value", "{"),
        "json_trigger_value": _with("json_trigger_value", "[5, null]"),
        "string_trigger_value": _with("string_trigger_value", SECRET),
    },
    {
        "string_value": _with("string_value", json.dumps(NOWHERE)),
        "string_array_value": _with("string_array_value", [SECRET] * 1000),
        "double_value": _with("double_value", 1e308),
        "double_array_value": _with("double_array_value", [float("inf")]),
        "json_value": _with("json_value", json.dumps(dict.fromkeys(EVENTS, 5))),
        "json_trigger_value": _with(
            "json_trigger_value", json.dumps([{"event": each, "value": 1.5} for each in EVENTS])
        ),
    },
    {
        "string_value": _with("string_value", json.dumps(ODD)),
        "double_value": _with("double_value", -1.0),
        "json_value": _with("json_value", "[" * 5000),
        "json_trigger_value": _with(
            "json_trigger_value", json.dumps([{"event": each, "value": HEADS} for each in EVENTS])
        ),
    },
)


@pytest.fixture(autouse=True)
def _guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("on_script_will_rerun", "register_widget"):
        monkeypatch.setattr(SessionState, name, getattr(SessionState, name))  # put back
    forged.refuse_forged_values()


def drawn(screen: AppTest) -> dict[str, WidgetMetadata[Any]]:
    """The page's widgets by their ids."""
    return dict(screen._session_state._state._new_widget_state.widget_metadata)


def send(screen: AppTest, *states: WidgetState) -> AppTest:
    return screen._run(WidgetStates(widgets=states))


@pytest.mark.system
@pytest.mark.parametrize("page", PAGES)
def test_no_value_brings_a_page_down(page: str) -> None:
    screen = opened(page, run="demo-en-fr")
    with logged() as records:
        for values in (WRONG, *IMPOSSIBLE):
            widgets = drawn(screen)
            sent = [
                values[each.value_type](id)
                for id, each in widgets.items()
                if each.value_type in values
            ]
            send(screen, *sent)
            assert not screen.exception
            if values is WRONG:
                assert page_text(screen).count(forged.REFUSED) == 1
    assert SECRET not in "".join(map(logs.line, records))


def test_what_was_chosen_stays() -> None:
    screen = opened("compare", run="demo-en-fr", src="the red house")
    screen.segmented_control(key="c1 strategy").set_value("greedy").run()
    (id,) = (id for id in drawn(screen) if id.endswith("-c1 strategy"))
    for value in ("string_array_value", ["nope"]), ("double_value", 1.0):
        send(screen, _with(*value)(id))
        assert screen.segmented_control(key="c1 strategy").value == "greedy"
        assert forged.REFUSED in page_text(screen)
    send(screen, _with("string_array_value", ["beam"])(id))
    assert screen.segmented_control(key="c1 strategy").value == "beam"
    assert forged.REFUSED not in page_text(screen)


def test_a_whole_number_is_taken_as_a_browser_sends_it() -> None:
    made = lessons.add_lesson(lessons.LESSONS["five-minutes"])
    screen = opened("lessons", set=f"view:own,edit:{made.id}")
    (minutes,) = screen.number_input
    send(screen, _with("int_value", 7)(minutes.id))
    assert forged.REFUSED not in page_text(screen)
    assert screen.number_input[0].value == 7


def test_a_widget_that_has_not_been_drawn_yet_refuses_it_too() -> None:
    screen = opened("positions")
    fresh = opened()
    (id,) = (id for id in drawn(screen) if id.endswith("-positions view"))
    fresh._page_hash = screen._page_hash
    send(fresh, _with("bool_value", True)(id))
    assert not fresh.exception
    assert forged.REFUSED in page_text(fresh)
