import dataclasses
import shlex
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import pytest

import s2s
from s2s import questions
from s2s.config import UserError
from s2s.questions import (
    ANSWERS,
    RUN,
    SETTING,
    SUBJECT,
    VIEW,
    Have,
    Question,
    Table,
    options,
)
from s2s.questions.question import setting, subject, view
from s2s.questions.views import VIEWS, named

HOSTILE = """the cat"]); import os # ' $(touch x) `x` \\" + 1, a=b\nsecond\tline 猫 *bank*"""
ASKED = sorted({row.question for row in VIEWS}, key=lambda kind: kind.name)


@dataclass(frozen=True)
class Letters(Question[tuple[str, ...]]):
    """The last letters of a text, so many; no view of another file asks it."""

    name: ClassVar[str] = "letters"
    asked_for: ClassVar[list[str]] = []

    text: str = subject("sentence")
    n: int = setting(2, lambda n: n > 0)
    case: str = setting("as-is", choices=MappingProxyType({"as-is": "As it is", "upper": "Upper"}))
    ids: tuple[int, ...] = setting(())
    words: bool = view(False)
    mark: str = view("")

    def ask(self, have: Have) -> tuple[str, ...]:
        """Refuses an empty text."""
        if not self.text:
            raise UserError("There is no text; give one.")
        self.asked_for.append(self.text)
        return tuple(self.text[-self.n :])

    def table(self, answer: tuple[str, ...]) -> Table:
        """One row per letter."""
        return Table(("letter",), [[letter] for letter in answer])


@dataclass(frozen=True)
class Several(Question[int]):
    """How many runs are named."""

    name: ClassVar[str] = "several"

    runs: tuple[str, ...] = subject(RUN, ())


@pytest.fixture(autouse=True)
def _unasked() -> None:
    ANSWERS.clear()
    Letters.asked_for.clear()


def test_a_view_never_asks_again_and_a_setting_does() -> None:
    have = Have()
    for question in (
        Letters("bank"),
        Letters("bank", words=True, mark="x"),
        Letters("bank", ids=()),
    ):
        assert have.answer(question) == ("n", "k")
    assert Letters.asked_for == ["bank"]
    assert have.answer(Letters("bank", n=1)) == ("k",)
    assert have.answer(Letters("bank", case="upper"))
    assert have.answer(Letters("bank", ids=(1,)))
    assert len(Letters.asked_for) == 4


def changed(kind: type[Question[Any]], row: dataclasses.Field[Any]) -> Any:
    """Another value of a field than its default."""
    if row.metadata["choices"]:
        return next(
            (slug for slug in options(row.metadata["choices"]) if slug != row.default), row.default
        )
    if str(row.type).startswith("tuple[str"):
        return ("4", "5,6%")
    others: dict[type, Any] = {str: HOSTILE, int: 3, bool: True, tuple: (4, 5)}
    return others[type(row.default)]


@pytest.mark.parametrize("kind", ASKED, ids=lambda kind: kind.name)
def test_of_every_question_views_are_no_part_of_the_key_and_all_else_is(
    kind: type[Question[Any]],
) -> None:
    for row in kind.declared():
        other = dataclasses.replace(kind(), **{row.name: changed(kind, row)})
        is_part = row.metadata["kind"] in (SUBJECT, SETTING)
        is_changed = is_part and other != kind()  # a field with one choice cannot be
        assert (other.asked != kind().asked) is is_changed, row.name
        assert is_part or row.metadata["kind"] == VIEW


@pytest.mark.parametrize("kind", ASKED, ids=lambda kind: kind.name)
def test_every_question_is_named_once_and_is_on_the_face(kind: type[Question[Any]]) -> None:
    assert named(kind.name).question is kind
    assert getattr(questions, kind.__name__) is kind
    kind().check()


def whole(kind: type[Question[Any]]) -> Question[Any]:
    """With every field changed."""
    given = {row.name: changed(kind, row) for row in kind.declared()}
    for row in kind.declared():
        if row.metadata["of"] == RUN:
            name = "opus@0:en>fr"
            given[row.name] = name if isinstance(row.default, str) else (name, "demo-en-fr@400")
    return kind(**given)


@pytest.mark.parametrize("kind", [*ASKED, Letters, Several], ids=lambda kind: kind.name)
def test_the_program_and_the_command_ask_the_same(
    kind: type[Question[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(s2s, "ask", asked.append, raising=False)
    monkeypatch.setattr(questions, kind.__name__, kind, raising=False)
    for question in (kind(), whole(kind)):
        exec(question.python, {})  # as somebody pastes it
        program, *words = shlex.split(question.command)
        assert (program, *words[:3]) == ("python", "-m", "s2s", "ask")
        assert words[-1] == "--json"
        runs, name, *rest = words[3:-1]
        assert name == kind.name
        assert {*rest[::2]} <= {"--set"}
        asked.append(kind.read(runs, dict(text.split("=", 1) for text in rest[1::2])))
        assert asked == [question, question]
        asked.clear()


@pytest.mark.parametrize(
    ("kind", "runs", "given", "said"),
    [
        (Letters, "-", {"size": "2"}, "size"),
        (Letters, "-", {"n": "two"}, "give a whole number"),
        (Letters, "-", {"words": "maybe"}, "maybe"),
        (Letters, "-", {"n": "0"}, "which letters does not take"),
        (Letters, "-", {"case": "lower"}, "lower"),
        (Letters, "-", {"ids": "1 x"}, "ids"),
        (questions.SameWord, "demo-en-fr,demo-en-de", {}, "asked of one run, and 2 are given"),
        (questions.SameWord, "demo-en-fr", {"strategy": "zork"}, "zork"),
        (Letters, "demo-en-fr", {"text": "a"}, "asked of no run"),
    ],
)
def test_what_a_question_does_not_have_is_refused_in_one_sentence(
    kind: type[Question[Any]], runs: str, given: dict[str, str], said: str
) -> None:
    with pytest.raises(UserError) as refused:
        Have().answer(kind.read(runs, {"text": "a", **given}))
    sentence = str(refused.value)
    assert said in sentence
    assert "\n" not in sentence
    assert sentence.endswith((".", "?"))
    assert not ANSWERS.get(Have().key(Letters("a")), "local")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"n": "2"}, "give a whole number"),
        ({"n": True}, "give a whole number"),
        ({"text": None}, "give a text"),
        ({"words": 1}, "give True or False"),
        ({"ids": [1]}, "give a tuple"),
    ],
)
def test_a_value_of_another_type_is_refused_in_a_program_too(
    given: dict[str, Any], said: str
) -> None:
    with pytest.raises(UserError, match=said):
        Have().answer(Letters(**{"text": "a", **given}))


def test_a_terminal_has_the_columns_it_has_room_for_and_a_table_without_rows_its_names() -> None:
    wide = Table(("a", "b", "none"), [[1, "x" * 61, None], [2, "y", None]])
    assert wide.narrow().columns == ["a"]
    assert Table(("a", "b"), []).narrow().columns == ("a", "b")
