from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from s2s import settings
from s2s.config import UserError, asker
from s2s.hosted import COOKIE, new_key
from s2s.hosted.monitoring import MONITOR
from s2s.processes import queue
from s2s.ui.kit import cached
from s2s.ui.shell import operator, visitors
from tests.conftest import make_run
from tests.screen import opened, page_text

KEY = "k" * 40


@pytest.fixture(autouse=True)
def _hosted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", "x" * 32)
    monkeypatch.setenv("S2S_OPERATOR_KEY", KEY)
    monkeypatch.setattr(operator, "WAIT", 0.0)
    key = new_key()
    monkeypatch.setattr(visitors, "cookies", lambda: {COOKIE: key.signed})


def enter(screen: AppTest, key: str) -> AppTest:
    screen.text_input(key="operator key").set_value(key)
    next(button for button in screen.button if button.label == "Continue").click()
    return screen.run()


def test_a_stranger_meets_a_field_for_the_key_and_nothing_else() -> None:
    queue.submit("train", "ann", "r", {})
    screen = opened("operator")
    assert [field.key for field in screen.text_input] == ["operator key"]
    for wrong in ("", KEY[:-1], "ü" * 40):
        screen = enter(screen, wrong)
        assert "This is not the operator" in page_text(screen)
        assert "Queue" not in page_text(screen)
        assert not screen.dataframe
    assert KEY not in repr(enter(screen, KEY).session_state)


def test_a_right_key_is_taken_while_strangers_try_wrong_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken = []

    def sleep(seconds: float) -> None:  # as long as a wrong key is being refused
        operator.identify_operator(f" {KEY}\n")
        taken.append(operator.is_operator())

    monkeypatch.setattr(operator, "PATIENCE", 0.0, raising=False)
    monkeypatch.setattr(operator, "time", SimpleNamespace(sleep=sleep))
    monkeypatch.setattr(operator.st, "session_state", {})
    before = MONITOR.refused_keys["page"]
    with pytest.raises(UserError, match="not the operator's key"):
        operator.identify_operator(KEY[1:])
    assert taken == [True]
    assert MONITOR.refused_keys["page"] == before + 1


def test_the_operator_sees_the_server_and_runs_it() -> None:
    owner = new_key().digest
    make_run(settings.home() / "runs" / "run0aaaaaaaaaaaa", {"train.steps": 2})
    path = settings.home() / "runs" / "run0aaaaaaaaaaaa" / "recipe.json"
    path.write_text(path.read_text().replace('"owner": "local"', f'"owner": "{owner}"'))
    job = queue.submit("train", owner, "other", {"name": "a secret name"}, now=0.0)
    queue.submit("train", "ann", "third", {})
    MONITOR.note_error(KeyError("a secret name"))
    queue.keep_lines(job, ["ValueError", "  File x.py, line 1"])
    screen = enter(opened("operator"), KEY)
    assert not screen.exception
    labels = [metric.label for metric in screen.metric]
    assert labels == "Sessions,Waiting jobs,Running jobs,Workers,Memory,Disk,Errors".split(",")
    tables = [frame.value for frame in screen.dataframe]
    assert list(tables[0].iloc[0][["job", "state", "workspace"]]) == [job, "queued", owner[:12]]
    assert list(tables[1].iloc[0][["workspace", "runs", "jobs now"]]) == [owner[:12], 1, 1]
    assert list(tables[1].iloc[1][["workspace", "runs", "jobs now"]]) == ["ann", 0, 1]
    assert any("KeyError" in each.label for each in screen.expander)
    assert "ValueError\n  File x.py, line 1" in [each.value for each in screen.code]
    assert "a secret name" not in str(screen)
    screen.button(key="pause queue").click().run()
    screen.button(key="stop job").click().run()
    screen.text_input(key="notice to all").set_value("Back at nine.")
    screen.button(key="show notice").click().run()
    assert queue.server_state() == queue.ServerState(True, "Back at nine.")
    assert getattr(queue.find(job), "state", "") == "stopped"
    assert screen.button(key="delete workspace").disabled
    screen.text_input(key="confirm deletion").set_value(owner[:12]).run()
    screen.button(key="delete workspace").click().run()
    assert not screen.exception
    assert f"The workspace {owner[:12]} is deleted" in "".join(
        each.value for each in screen.success
    )
    assert (path.exists(), queue.find(job)) == (False, None)


def test_who_is_not_the_operator_any_more_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = enter(opened("operator"), KEY)
    del screen.session_state[operator.IDENTIFIED]
    screen.button(key="pause queue").click().run()
    assert queue.server_state() == queue.ServerState()
    assert [field.key for field in screen.text_input] == ["operator key"]


def test_without_a_key_there_is_no_such_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("S2S_OPERATOR_KEY")
    assert not any(field.key == "operator key" for field in opened("operator").text_input)


@pytest.mark.parametrize(
    ("claim", "user", "is_operator"),
    [
        ("roles=ops", {"is_logged_in": True, "roles": ["a", "ops"]}, True),
        ("roles=ops", {"is_logged_in": True, "roles": ["opsy"]}, False),
        ("roles=ops", {"is_logged_in": True, "roles": "xopsx"}, False),
        ("roles=ops", {"is_logged_in": False, "roles": ["ops"]}, False),
        ("roles=ops", {}, False),
        ("email=a@b.c", {"is_logged_in": True, "email": "a@b.c"}, False),
        ("email=a@b.c", {"is_logged_in": True, "email": "a@b.c", "email_verified": True}, True),
    ],
)
def test_a_claim_of_the_provider_makes_an_operator(
    claim: str, user: Mapping[str, Any], is_operator: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2S_OPERATOR_CLAIM", claim)
    monkeypatch.setattr(operator, "user", lambda: user)
    assert operator.is_operator() is is_operator


def test_the_page_acts_as_the_operator_only_while_it_is_drawn() -> None:
    enter(opened("operator"), KEY)
    assert asker.current() != asker.OPERATOR
    assert cached.server_state() == queue.ServerState()
