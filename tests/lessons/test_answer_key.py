"""The answer key of a lesson has what its questions take for right."""

from s2s.lessons import (
    LESSONS,
    ChoiceQuestion,
    Context,
    Given,
    HeadQuestion,
    Question,
    SentenceQuestion,
    answer_key,
    check,
)

LESSON = LESSONS["five-minutes"]


def given(question: Question, right: str) -> Given:
    if isinstance(question, ChoiceQuestion):
        return question.options.index(right)
    if isinstance(question, HeadQuestion):
        _, head, _, _, layer = right.partition(" or ")[0].split()
        return int(layer), int(head)
    return right


def test_what_the_key_calls_right_is_judged_right() -> None:
    rows = answer_key(LESSON)
    assert [row.step for row in rows] == [2, 3, 4, 5]
    for row in rows:
        step = LESSON.steps[row.step - 1]
        assert step.question
        assert row.asked == step.question.prompt
        values = dict(step.view.values)
        if isinstance(step.question, SentenceQuestion):
            values["src"] = row.right
        context = Context(step.view.run, step.view.page, values, step.view.values)
        verdict = check(step.question, given(step.question, row.right), context)
        assert verdict.level == "right", row
