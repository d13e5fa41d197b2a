"""Where sentences have several references, what is computed from the first one only says so."""

from streamlit.testing.v1 import AppTest

from s2s.jobs import EvaluationRequest, evaluation_service
from s2s.library import Library
from s2s.plots.evaluation_scores import FIRST_ONLY, FORCED, score_cells
from s2s.questions import Evaluate, Have
from s2s.runs import Sentences, System
from s2s.scores import METRIC_NAMES
from tests.screen import opened, page_text
from tests.ui.evaluate.test_evaluate import DEMO, PAIRS, work

MORE = [
    ("la maison rouge", "la <b>maison</b>", "a", "b", "c", "d", "e"),
    ("le chat dort",),
    ("x", "y"),
]


def shown(known: list[tuple[str, ...]]) -> tuple[str, AppTest]:
    evaluation = evaluation_service.submit(
        EvaluationRequest(
            (System("greedy", DEMO, 1500, "greedy"),),
            Sentences("mine", n=3),
            PAIRS,
            run=DEMO,
            references=known,
        )
    )
    Library().evaluation(evaluation).set_words({})
    work(Library().evaluation(evaluation))
    screen = opened("evaluate", run=DEMO, set=f"evaluation:{evaluation}")
    assert not screen.exception
    return evaluation, screen


def helped(evaluation: str, key: str) -> str:
    answer = Have().answer(Evaluate(evaluation=evaluation))
    assert answer.has_several
    return score_cells(answer, every=True).about[METRIC_NAMES[key].label]


def test_loss_and_errors_name_the_first_reference() -> None:
    evaluation, screen = shown(MORE)
    assert "the first is the reference here" in page_text(screen)
    for key in FORCED:
        assert FIRST_ONLY in helped(evaluation, key)
    assert FIRST_ONLY not in helped(evaluation, "bleu")
    screen.selectbox(key="evaluate bucket").set_value("ratio")
    screen.selectbox(key="evaluate sort").set_value("number").run()
    assert "The first reference of a sentence decides its bucket" in page_text(screen)
    assert "Counted against the first reference" in page_text(screen)
    bodies = "".join(str(each.proto.body) for each in screen.get("html"))
    assert "7 references, the first of which is compared below" in bodies
    assert "la &lt;b&gt;maison&lt;/b&gt;" in bodies
    assert "and 2 more" in bodies
