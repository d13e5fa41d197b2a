"""`s2s.ask`: an answer with its finding, numbers and pictures, and what is shown of it without Plotly."""

import sys
from importlib.util import find_spec
from typing import Any

import pytest

import s2s
from s2s.api import asked as module
from s2s.config import UserError
from s2s.questions import ANSWERS, Evaluate, ForcedOutput, Have, SameWord, Translate
from s2s.reports import pictures

TWO = SameWord("demo-en-fr", "the bank is by the river", "I need to bank the money")


def without_plotly(monkeypatch: pytest.MonkeyPatch) -> None:
    """An import of Plotly fails, and nothing of ours that imports it is loaded."""
    for name in [*sys.modules]:
        if name.split(".")[0] == "plotly" or name.startswith(("s2s.plots", "s2s.reports")):
            monkeypatch.delitem(sys.modules, name)
    for name in ("plots", "reports"):
        monkeypatch.delattr(s2s, name, raising=False)
    monkeypatch.setitem(sys.modules, "plotly", None)
    monkeypatch.setattr(
        module, "find_spec", lambda name: None if name == "plotly" else find_spec(name)
    )


def test_an_answer_comes_with_what_the_question_says_of_it() -> None:
    asked = s2s.ask(TWO)
    answer = Have().answer(TWO)
    assert asked.answer is answer
    assert asked.finding == TWO.finding(answer)
    assert asked.table == TWO.table(answer)
    assert repr(asked).startswith("Asked(same-word: “bank” is translated")
    shown = asked._repr_mimebundle_()
    assert shown["text/html"].startswith("<iframe")
    assert asked.pictures[0].title.startswith("demo-en-fr · step 1,500\n")


def test_an_evaluation_is_asked_by_its_id_alone() -> None:
    asked = s2s.ask(Evaluate(evaluation="demo-en-de-test"))
    assert asked.finding
    with pytest.raises(UserError, match="asked of a run, and none is given"):
        s2s.ask(Evaluate())


def test_without_plotly_a_notebook_shows_the_finding_and_the_table_and_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    without_plotly(monkeypatch)
    asked = s2s.ask(TWO)
    html = asked._repr_mimebundle_()["text/html"]
    assert "“bank” is translated as" in html
    assert asked.table.html() in html
    assert "pip install &quot;.[app]&quot;" in html
    with pytest.raises(UserError, match=r'pip install "\.\[app\]"'):
        asked.pictures  # noqa: B018
    assert "s2s.plots" not in sys.modules


def test_too_much_data_is_shown_as_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: object) -> str:
        raise UserError("The data of this page make <a> file.")

    monkeypatch.setattr(pictures, "embedded", refuse)
    html = s2s.ask(TWO)._repr_mimebundle_()["text/html"]
    assert html.endswith("<p>The data of this page make &lt;a&gt; file.</p>")


def test_a_question_without_pictures_has_a_table() -> None:
    asked = s2s.ask(ForcedOutput("demo-en-fr", "the red house", "la maison rouge"))
    assert asked.pictures == []
    assert "<td>maison</td>" in asked._repr_mimebundle_()["text/html"]


def test_what_is_no_question_is_refused() -> None:
    given: Any = "same-word"
    with pytest.raises(UserError, match="is no question; give one of s2s"):
        s2s.ask(given)


def test_what_takes_long_shows_its_progress_on_standard_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LONG", 0.0)
    for progress in (True, False):
        ANSWERS.clear()
        s2s.ask(Translate("demo-en-fr", "the red house"), progress=progress)
        out, err = capsys.readouterr()
        assert out == ""
        assert ("step" in err) == progress
