"""The command `ask`: a question in a terminal."""

import csv
import io

import pytest

from s2s.cli import main
from s2s.files import as_text
from s2s.questions import Have, SameWord
from s2s.questions.views import BY_NAME
from tests.test_asked import TWO, without_plotly

COMMAND = ("ask", "demo-en-fr", "same-word", "--set", f"text={TWO.text}")
SECOND = ("--set", f"second={TWO.second}")


@pytest.fixture
def answer() -> object:
    return Have().answer(TWO)


def test_the_finding_and_the_numbers_are_printed(
    capsys: pytest.CaptureFixture[str], answer: object
) -> None:
    assert main([*COMMAND, *SECOND]) == 0
    out, err = capsys.readouterr()
    finding, _, table = out.partition("\n\n")
    assert finding == TWO.finding(answer)  # type: ignore[arg-type]
    assert table == TWO.table(answer).text() + "\n"  # type: ignore[arg-type]
    assert err == ""


def test_no_word_of_a_finding_commands_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SameWord, "finding", lambda question, answer: "“a\x1b[2Jb” is one word.")
    assert main([*COMMAND, *SECOND]) == 0
    assert capsys.readouterr().out.startswith("“a [2Jb” is one word.\n\n")


def test_json_and_csv_have_every_digit_and_need_no_plotly(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, answer: object
) -> None:
    without_plotly(monkeypatch)
    assert main([*COMMAND, *SECOND, "--json"]) == 0
    printed = {"question": "same-word", "asked": TWO, "answer": answer}
    assert capsys.readouterr().out == as_text(printed) + "\n"
    assert main([*COMMAND, *SECOND, "--csv"]) == 0
    _, *rows = csv.reader(io.StringIO(capsys.readouterr().out))
    table = TWO.table(answer)  # type: ignore[arg-type]
    assert [[float(cell) for cell in row[1:]] for row in rows] == [row[1:] for row in table.rows]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("demo-en-fr", "same-wrd"), "no question `same-wrd`; the nearest are `same-word`"),
        (("demo-en-fr", "same-word", "--set", "txt=a"), "no setting `txt`; the nearest are `text`"),
        (("demo-en-fr", "same-word", "--set", "text"), "has no key and value"),
        (("demo-en-fr", "same-word", "--set", "word=x"), "`word` is `x`; give a whole number."),
        (
            ("-", "same-word"),
            "`same-word` is asked of a run, and none is given; give one as `run`.",
        ),
        (("a,b", "same-word"), "is asked of one run, and 2 are given"),
        (("demo-en-fr", "attention"), "of a sentence, and none is given; give one as `text`."),
        (
            ("demo-en-fr", "attention", "--set", "words=maybe"),
            "`words` is `maybe`; give true or false.",
        ),
        (("nosuch", "same-word", *COMMAND[3:]), "There is no run `nosuch`"),
        ((*COMMAND[1:], *SECOND, "--set", "strategy=bem"), "There is no strategy `bem`"),
    ],
)
def test_a_mistake_is_one_sentence(
    arguments: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ask", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert sentence in err


def test_help_lists_the_questions(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["ask", "--help"])
    out = capsys.readouterr().out
    for name, row in BY_NAME.items():
        assert f"  {name} " in out
        assert ", ".join(row.question.settable()) in out
    assert "One word in two sentences\n" in out
