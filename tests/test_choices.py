"""One more position encoding, strategy, metric, plot or question is a module and a row: a toy of each is found."""

from __future__ import annotations

import ast
import io
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import ClassVar

import plotly.graph_objects as go
import pytest
import torch
from streamlit.testing.v1 import AppTest
from torch import Tensor

import s2s
from s2s import decode, plots, scores
from s2s.cli import main
from s2s.config import POSITION_KINDS, Choice, PositionKind, UserError, position_kinds
from s2s.decode import Greedy, greedy
from s2s.model.positions import Position
from s2s.questions import AttentionOf, Finding, ForcedAttention, Table, first, views
from s2s.questions.question import view
from s2s.runs import runs_folder
from s2s.scores import Metric, Score
from tests.conftest import TINY
from tests.plots import test_registry
from tests.screen import html_table, lost, opened, page_text
from tests.test_architecture import parsed

DEMO = "demo-en-fr"
ROOT = Path(__file__).parents[1]


class Parity(Position):
    """Odd positions: 1 more in the first column of vectors, twice the queries and keys, and 1 more in scores.

    In all columns of the vectors, a norm would remove it.
    """

    def add(self, x: Tensor, is_real: Tensor | None, start: int = 0) -> Tensor:
        odd = torch.arange(start, start + x.shape[1], device=x.device) % 2
        return x + odd[:, None] * (torch.arange(x.shape[2], device=x.device) == 0)

    def rotate(self, x: Tensor, start: int = 0) -> Tensor:
        odd = torch.arange(start, start + x.shape[2], device=x.device) % 2
        return x * (1 + odd[:, None])

    def bias(self, query_len: int, key_len: int, device: torch.device) -> Tensor | None:
        odd = torch.arange(key_len, device=device) % 2
        return odd.float().expand(1, 1, query_len, key_len)


# what the page finds from the class alone
PARITY = {
    "model": "the encoder cannot tell",
    "rotation": "No rotation leads",
    "matrix": "128 positions share 2 vectors",
    "waves": "follow no wave",
    "distance": "does not depend on their distance alone",
}


@pytest.fixture
def parity(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("s2s.model.positions.toy")
    module.Parity = Parity  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    row = PositionKind(
        "Parity", "Odd and even positions differ.", "", "toy:Parity", acts_on="vectors"
    )
    monkeypatch.setitem(position_kinds._ROWS, "parity", row)


@pytest.mark.slow
@pytest.mark.usefixtures("parity")
def test_a_toy_position_encoding_trains_decodes_and_is_on_the_pages(
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings = {**TINY, "train.steps": 3, "model.positions.kind": "parity"}
    assignments = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    out = runs_folder() / "a1b2c3d4e5f6a7b8"
    source = "synthetic:reverse#rows=80"
    assert main(["train", "--source", source, "--out", str(out), *assignments]) == 0
    run = s2s.load(out)
    assert isinstance(run.model.encoder.embed.position, Parity)
    fused = run.translate(["1 2 3"])[0].log_prob
    with s2s.analysis.capture(run.model):  # which calls the modules
        assert run.translate(["1 2 3"])[0].log_prob == pytest.approx(fused, abs=1e-4)
    for page in ("architecture", "walkthrough"):
        assert not opened(page, run=out.name, set="step:positions").exception, page
    for shown, said in PARITY.items():
        setting = f"encoding:parity,view:{shown},swap:1,with:2"
        screen = opened("positions", run=out.name, set=setting)
        assert not lost(screen)
        assert said in " ".join(str(each.proto.body) for each in screen.get("html"))
        assert screen.get("plotly_chart")
    assert "Odd and even positions differ." in page_text(screen)


@pytest.mark.parametrize("folder", ["plots", "ui/positions"])
def test_no_picture_of_positions_knows_which_encodings_there_are(folder: str) -> None:
    for path in (ROOT / "s2s" / folder).glob("*.py"):
        texts = {node.value for node in ast.walk(parsed(path)) if isinstance(node, ast.Constant)}
        assert not texts & ({*POSITION_KINDS} - {"none"}), path


def test_an_unknown_position_encoding_is_answered_with_the_nearest() -> None:
    with pytest.raises(UserError, match=r"no choice of `kind` `rotory`; the nearest are `rotary`"):
        s2s.Recipe.from_json({"model": {"positions": {"kind": "rotory"}}})
    assert "parity" not in POSITION_KINDS


@pytest.fixture
def toy_strategy(monkeypatch: pytest.MonkeyPatch) -> None:
    toy = Choice(
        lambda stepper, config, constraints: greedy(stepper, Greedy(max_new_tokens=1)),
        Greedy,
        "One word is enough.",
    )
    more = MappingProxyType({**decode.STRATEGIES, "toy": toy})
    for name, module in list(sys.modules.items()):
        if name.startswith("s2s.") and hasattr(module, "STRATEGIES"):
            monkeypatch.setattr(module, "STRATEGIES", more)


@pytest.mark.usefixtures("toy_strategy")
def test_a_toy_strategy_is_on_the_command_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"the red house\n")))
    assert main(["translate", DEMO, "--strategy", "toy"]) == 0
    assert capsys.readouterr().out == "la\n"


@pytest.mark.usefixtures("toy_strategy")
def test_a_toy_strategy_is_on_the_page_and_in_the_link() -> None:
    screen = opened("compare", src="the red house", c1=f"{DEMO}!toy!")
    assert not lost(screen)
    assert html_table(screen, "translation")[0]["translation"] == "la"
    assert "One word is enough." in page_text(screen)
    assert "!toy!" in screen.session_state["c1"]


def test_a_toy_metric_is_printed_and_in_the_json(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    toy = Metric(
        "toy",
        "Toy score",
        "",
        "How many texts there are.",
        "higher",
        count=lambda texts, references, scoring: Score(float(len(texts)), "toy"),
    )
    monkeypatch.setitem(scores.metrics._ROWS, toy.key, toy)
    (tmp_path / "src").write_text("the red house\n")
    (tmp_path / "ref").write_text("la maison rouge\n")
    files = ["--src", str(tmp_path / "src"), "--ref", str(tmp_path / "ref")]
    assert main(["evaluate", DEMO, *files]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("Toy score") for line in lines)
    assert json.loads(lines[-1])["toy"] == 1.0


def dots(values: Sequence[float], *, title: str) -> go.Figure:
    """What the module of another plot holds."""
    if not values:
        return plots.theme.empty("There is nothing to count.")
    return go.Figure(go.Scatter(y=list(values)), layout={"title": plots.theme.heading(title)})


@pytest.fixture
def toy_plot(monkeypatch: pytest.MonkeyPatch) -> None:
    more = MappingProxyType({**plots.PLOTS, "dots": plots.Plot(dots, "Each dot is a value.")})
    monkeypatch.setattr(plots, "PLOTS", more)
    monkeypatch.setattr(plots, "dots", dots, raising=False)
    monkeypatch.setattr(test_registry, "PLOTS", more)


@pytest.mark.usefixtures("toy_plot")
def test_a_toy_plot_is_checked_drawn_described_and_its_data_can_be_downloaded() -> None:
    test_registry.test_a_plot_of_nothing_says_why_it_is_empty()
    test_registry.test_a_row_is_on_the_face_and_says_how_to_read_it()

    def page() -> None:
        import numpy as np

        from s2s import plots
        from s2s.ui.walkthrough import pictures

        figure = plots.PLOTS["dots"].draw([1.0, 3.0], title="Two values")
        names = {"rows": ["a", "b"], "columns": ["value"]}
        pictures.show_figure("dots", figure, "Two values", values=np.ones((2, 1)), **names)
        pictures.show_legend()

    screen = AppTest.from_function(page).run()
    assert not screen.exception
    (drawn,) = screen.get("plotly_chart")
    assert json.loads(drawn.proto.spec)["layout"]["title"]["text"] == "Two values"
    assert [each.value for each in screen.caption] == ["Each dot is a value."]
    assert [each.proto.label for each in screen.get("download_button")] == ["Two values (CSV)"]


LEAST = (Finding(lambda table: table.rows, "“{rows[0][0]}” gets the least attention."),)


@dataclass(frozen=True)
class Least(AttentionOf):
    """The source token that gets the least weight of cross-attention."""

    name: ClassVar[str] = "least"

    kind: str = view("cross", in_set=False, choices=MappingProxyType({"cross": "cross"}))

    def table(self, answer: ForcedAttention) -> Table:
        """One row per source token, the least first."""
        shown = self.simplified(answer).picture
        total = sorted(zip(shown.weights.mean(0).tolist(), shown.keys, strict=True))
        return Table(("token", "mean weight"), [[key, weight] for weight, key in total])

    def finding(self, answer: ForcedAttention) -> str:
        """The first row."""
        return first(LEAST, self.table(answer))


@pytest.fixture
def toy_question(monkeypatch: pytest.MonkeyPatch) -> None:
    def pictures(question: Least, answer: ForcedAttention, model: str) -> list[plots.Picture]:
        table = question.table(answer)
        bars = go.Figure(go.Bar(x=[row[1] for row in table.rows]))
        said = question.finding(answer)
        return [plots.Picture("least", f"{model}\nleast attention", bars, said, table, said)]

    module = ModuleType("s2s.plots.least_view")
    module.pictures = pictures  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    row = views.View("attention", "least", "Least", Least, "least_view")
    monkeypatch.setattr(views, "VIEWS", (*views.VIEWS, row))
    monkeypatch.setattr(views, "BY_NAME", {**views.BY_NAME, "least": row})


@pytest.mark.usefixtures("toy_question")
def test_a_toy_question_is_a_tab_with_its_menu_and_a_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    screen = opened("attention", run=DEMO, src="the red house", set="view:least")
    assert not lost(screen)
    said = "gets the least attention."
    assert any(said in str(each.proto.body) for each in screen.get("html"))
    screen.session_state["menu least"] = True
    screen.run()
    assert any("s2s.ask(Least(" in str(code.value) for code in screen.code)
    assert main(["ask", DEMO, "least", "--set", "text=the red house"]) == 0
    assert said in capsys.readouterr().out
    screen = opened("attention", run=DEMO, src="the red house", kind="encoder", set="view:least")
    assert "Least is about cross-attention only." in page_text(screen)
