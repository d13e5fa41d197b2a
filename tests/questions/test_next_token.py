"""The next token's distribution and what filters leave of it are the library's; findings are said where they hold."""

import pytest

import s2s
from s2s.config import UserError, override
from s2s.decode import FILTERS, inspect_truncation
from s2s.questions import Have, NextToken
from s2s.questions.next_token import FIELD, FINDINGS, SETTINGS, START, filters_table
from s2s.questions.views import view_of
from s2s.runs import Run

DEMO, TEXT, WATER = "demo-en-fr", "the red house", "the water is cold"


@pytest.fixture(scope="module")
def run() -> Run:
    return s2s.load(DEMO)


def test_the_table_has_the_librarys_numbers(run: Run) -> None:
    question = NextToken(DEMO, TEXT, at="2", filter_top_k="3", filter_temperature="2.0")
    answer = Have().answer(question)
    best = run.translate([TEXT])[0].hypotheses[0]
    row = run.next_tokens(TEXT, best.ids[:-1])[1]
    measured = inspect_truncation(row, override(START, {"top_k": 3, "temperature": 2.0}))
    table = filters_table(question, answer)
    every = [*measured.alone.values(), measured.together]
    assert [each[0] for each in table.rows] == [*FILTERS, "all together"]
    assert [each[2:5] for each in table.rows] == [[one.n, one.mass, one.entropy] for one in every]
    picture, _ = view_of(question).pictures(question, answer, "a model")
    assert f"Entropy {measured.entropy:.2f} nats" in picture.caption
    assert picture.title == "a model · temperature 2\nposition 2 of 4, after “la”"
    columns = dict(zip(picture.table.columns, zip(*picture.table.rows, strict=True), strict=True))
    assert sum(columns["probability_at_temperature"]) == pytest.approx(1.0, abs=1e-4)
    assert list(columns["log_prob"]) == sorted(columns["log_prob"], reverse=True)
    assert list(columns["token"]) == run.tgt_tokenizer.tokens(columns["id"])
    assert [sum(columns[name]) for name in (*FILTERS, "all together")] == [one.n for one in every]


def test_each_token_has_its_candidates_and_its_probability(run: Run) -> None:
    best = run.translate([TEXT])[0].hypotheses[0]
    answer = Have().answer(NextToken(DEMO, TEXT))
    rows = run.next_tokens(TEXT, best.ids[:-1])
    assert [[each.id for each in row] for row in answer.candidates] == rows.topk(8).indices.tolist()
    own = rows.exp().gather(1, rows.new_tensor(best.ids).long()[:, None])[:, 0]
    assert list(answer.probabilities) == pytest.approx(own.tolist())


def test_a_forced_beginning_is_continued(run: Run) -> None:
    ids = tuple(run.tgt_tokenizer.encode("le"))
    answer = Have().answer(NextToken(DEMO, TEXT, forced=".".join(map(str, ids))))
    assert answer.found.text == run.complete(TEXT, ids).text != answer.own.text
    assert answer.n_forced == 1


def test_each_finding_is_said_where_it_holds_and_not_where_it_would_be_false() -> None:
    close = NextToken(DEMO, WATER, at="2")
    certain = NextToken(DEMO, TEXT, at="1")
    forced = NextToken(DEMO, TEXT, forced="5", at="1")
    cases = (
        (forced, "The first token is forced", certain),
        (certain, "nearly certain of “la”", close),
        (close, "hesitates between “a” (41%) and “est” (40%)", certain),
    )
    for place, (question, words, other) in enumerate(cases):
        answer = Have().answer(question)
        assert words in question.finding(answer) == FINDINGS[place].said(answer)
        assert words not in other.finding(Have().answer(other))


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (NextToken(DEMO, TEXT, forced="x.y"), "are not numbers separated by dots"),
        (NextToken(DEMO, TEXT, forced="99999"), "A target cannot begin with token id 99999"),
        (NextToken(DEMO, TEXT, at="99"), "There is no position 99 in this translation; it has 4"),
        (NextToken(DEMO, TEXT, filter_temperature="50"), "`filter_temperature` is '50'"),
        (NextToken(DEMO, TEXT, filter_top_p="7"), "`filter_top_p` is '7'"),
        (NextToken(DEMO, ""), "Without a sentence"),
    ],
)
def test_what_cannot_be_asked_is_refused(question: NextToken, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        Have().answer(question)


def test_a_finding_is_of_the_model_itself_whatever_the_picture_shows() -> None:
    warm = NextToken(DEMO, WATER, at="2", filter_temperature="2.0")
    assert "At temperature 1 and position 2" in warm.finding(Have().answer(warm))


def test_temperature_and_filters_ask_nothing_again() -> None:
    warm = NextToken(DEMO, TEXT, filter_temperature="2.0", filter_top_k="3", log_scale="true")
    assert Have().answer(warm) is Have().answer(NextToken(DEMO, TEXT))
    links = {row.name: row.metadata["link"] for row in NextToken.declared()}
    assert [links[FIELD + name] for name in SETTINGS] == [f"ruler_{name}" for name in SETTINGS]
    assert set(SETTINGS) == {"temperature", *FILTERS}
