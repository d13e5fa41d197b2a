import json
import re

import pytest

from s2s.analysis import Head
from s2s.jobs import head_service, test_sets
from s2s.jobs.registry import JOBS
from s2s.links.share import pack
from s2s.processes import queue
from s2s.runs import Measurement
from s2s.ui.kit import cached
from s2s.ui.kit.test_sets import described
from tests.jobs.context import FakeContext
from tests.screen import AppTest, link, lost, opened, page_text

N = 3
TEXT = "the black cat chased the white mouse"


@pytest.fixture(autouse=True)
def _no_worker() -> None:
    """Jobs wait: a test does the work itself."""
    cached.refresh_runs()


def ablated(switched: str = "", *, src: str = TEXT, **run: str) -> AppTest:
    values = {"view": "ablation", "n": str(N), "switched": switched}
    given = pack({name: value for name, value in values.items() if value})
    screen = opened("heads", src=src, set=given, **run)
    assert not screen.exception
    return screen


def translations(screen: AppTest) -> list[str]:
    return [body for each in screen.get("html") if "dir=" in (body := str(each.proto.body))]


def log_probabilities(screen: AppTest) -> list[str]:
    """Without and with the change, nats."""
    found = re.findall(r"the change · log-probability (\S+) nats", page_text(screen))
    return [each.replace("−", "-") for each in found]


def bars(screen: AppTest, number: int) -> list[dict[str, object]]:
    spec = json.loads(screen.get("plotly_chart")[number].proto.spec)
    return list(spec["data"])


def measure(screen: AppTest) -> None:
    button = next(each for each in screen.button if each.label.startswith("Measure"))
    button.click().run()
    job = queue.claim("w", "h", "express", 600.0)
    assert job is not None
    list(JOBS[job.kind].work(job, FakeContext()))
    queue.finish(job.id, job.worker, "done")
    screen.run()
    assert not screen.exception


def test_heads_layers_and_kinds_are_switched_by_a_press_and_the_link_keeps_them() -> None:
    screen = ablated()
    assert "Press heads, a layer, or all cross-attention" in page_text(screen)
    assert not translations(screen)
    screen.button(key="switch cross 1").click().run()
    (pills,) = (each for each in screen.button_group if each.key == "heads of encoder 1")
    pills.set_value([Head("encoder", 1, 2)]).run()
    assert not screen.exception
    before, after = translations(screen)
    assert "le chat noir" in before
    old, new = log_probabilities(screen)
    assert float(new) < float(old) - 1
    assert "cross.2%3Doff+encoder.2.3%3Doff" in link(screen).replace("%20", "+")
    again = ablated("cross.2=off encoder.2.3=off")  # in a fresh browser
    assert translations(again) == [before, after]
    assert log_probabilities(again) == [old, new]
    again.button(key="switch cross 1").click().run()  # back on
    again.button(key="switch decoder").click().run()
    assert "decoder%3Doff+encoder.2.3%3Doff" in link(again).replace("%20", "+")
    again.button(key="reset switches").click().run()
    assert not translations(again)
    assert "switched" not in link(again)


@pytest.mark.slow
def test_the_corpus_mean_is_measured_first_then_sentence_and_sample_are_shown(
    own_run: str,
) -> None:
    screen = ablated("cross=mean", src="1 2 3", run=own_run)
    assert not translations(screen)
    assert "mean of its outputs over all tokens" in page_text(screen)
    measure(screen)
    assert len(translations(screen)) == 2
    names = [str(trace["name"]) for trace in bars(screen, 0)]
    assert names == ["without the change", "with the change"]
    measure(screen)
    sentences = described(own_run, test_sets.HELD_OUT, N)
    asked = Measurement(own_run, 30, "ablation", sentences, {"heads": "cross=mean"})
    found = head_service.result(asked)
    assert found is not None
    numbers = screen.dataframe[0].value
    assert numbers["with the change"].tolist() == [
        found["loss"]["after"],
        found["scores"]["bleu"]["after"],
        found["scores"]["chrf"]["after"],
    ]
    assert len(screen.dataframe[1].value) == N
    assert len(screen.get("plotly_chart")) == 2


def test_without_cross_attention_the_page_says_what_that_means() -> None:
    assert "No head of cross-attention is left" in page_text(ablated("cross=off"))
    assert "No head of cross-attention is left" not in page_text(ablated("cross=uniform"))


@pytest.mark.parametrize(
    ("switched", "sentence"),
    [
        ("cross.1.9=off", "cross.1.9=off names no head or intervention of this model"),
        ("cross.1.1=louder", "cross.1.1=louder names no head"),
        ("cross.1.1=off " * 101, "101 heads are switched one by one, and a link holds at most 100"),
    ],
)
def test_a_link_that_names_what_is_not_there_says_so(switched: str, sentence: str) -> None:
    screen = ablated(switched)
    (notice,) = lost(screen)
    assert sentence in notice.replace("\\", "").replace("`", "")
    assert not translations(screen)


def test_more_heads_than_a_link_holds_are_refused_and_the_others_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("s2s.analysis.switched.MOST_PARTS", 1)
    screen = ablated("cross.1.1=off")
    screen.button(key="switch encoder 0").click().run()
    assert not screen.exception
    (notice,) = lost(screen)
    assert "2 heads are switched one by one, and a link holds at most 1" in notice.replace("\\", "")
    assert "switched%3Across.1.1%3Doff%2C" in link(screen)
