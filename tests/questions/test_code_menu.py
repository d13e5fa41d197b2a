"""What the menu "Save, data, code" prints is run: the program and the command give what the page shows.

A new row of VIEWS needs links here, which together change every field of its question.
"""

import ast
import base64
import html
import json
import math
import re
import shlex
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from s2s.api import Asked
from s2s.cli import main
from s2s.config import override
from s2s.files import as_text
from s2s.jobs import head_service
from s2s.plots import (
    AllHeads,
    ComparedRows,
    ComparedTexts,
    Diagram,
    DrawnFigure,
    LinkedTokens,
    Picture,
    TokenRows,
    svg,
)
from s2s.questions import (
    ANSWERS,
    VIEW,
    Ablation,
    AlignmentError,
    Evaluate,
    Have,
    HeadImportance,
    HeadRoles,
    MeanOutputs,
    OfSample,
    Table,
)
from s2s.questions.views import VIEWS, View
from s2s.reports import compared_rows, token_rows
from s2s.runs import MeasurementFolder, RunFolder, measurements, runs_folder
from s2s.ui.canvas import diagram_data, pack_heads
from s2s.ui.kit.pictures import SHOWN
from tests.conftest import make_run
from tests.screen import component, opened, settled

DEMO = "demo-en-fr"
HOUSE = "the red house is not old"
LONG = " and ".join(["the red house is old"] * 9)
SHIPPED = "evaluation:demo-en-de-test"
LINKS: dict[str, list[dict[str, str]]] = {
    "same-word": [
        {"src": "the bank is by the river", "set": "view:same,word:6,word2:6"},
        {
            "src": "the red house",
            "layer": "1",
            "set": "view:same,second:the house is old,strategy:greedy",
        },
    ],
    "state-map": [
        {
            "src": HOUSE,
            "layer": "1",
            "set": "view:map,second:a red door,side:decoder,colour:position,layers:all,strategy:greedy",
        },
        {"src": "the red house", "tgt": "la maison verte", "set": "view:map,shown:first"},
        {"src": "the bank is by the river", "layer": "0", "set": "view:map"},
    ],
    "neighbors": [
        {"src": "the bank is by the river", "set": "view:near"},
        {"src": HOUSE, "layer": "1", "set": "view:near,unit:sentence"},
    ],
    "logit-lens": [
        {
            "src": HOUSE,
            "tgt": "la maison verte",
            "layer": "1",
            "set": "view:lens,strategy:greedy",
        },
    ],
    "attention": [
        {"src": HOUSE, "tgt": "la maison rouge", "layer": "1", "head": "3", "kind": "encoder"},
        {"src": HOUSE, "reduce": "rollout", "set": "words:1,drop:1,scale:row,strategy:greedy"},
        {"src": LONG, "set": "from:5.3"},
    ],
    "attention-lines": [
        {"src": HOUSE, "tgt": "la maison rouge", "kind": "decoder", "set": "view:lines,share:0.5"},
        {"src": HOUSE, "layer": "1", "head": "mean", "set": "view:lines,heads:1.2 2.4,drop:1"},
        {
            "src": HOUSE,
            "head": "2",
            "reduce": "norm",
            "set": "view:lines,words:1,scale:row,strategy:greedy",
        },
    ],
    "alignment": [
        {"src": HOUSE, "layer": "1", "head": "2", "set": "view:alignment,links:share,share:0.5"},
        {
            "src": "the red house",
            "tgt": "la maison verte",
            "reduce": "norm",
            "set": "view:alignment,strategy:greedy",
        },
    ],
    "intervene": [
        {
            "src": "the red house",
            "layer": "1",
            "head": "3",
            "set": "view:change,at:3,to:2.3,among:chosen,switched:cross.1.2=off encoder.1.1=uniform",
        },
        {
            "src": HOUSE,
            "tgt": "la maison verte",
            "kind": "encoder",
            "set": "view:change,switched:encoder.1.1=uniform,strategy:greedy",
        },
    ],
    "word-order": [
        {"src": "the red house is old", "set": "view:model,swap:2,with:3"},
    ],
    "position-kinds": [
        {
            "set": "view:rotation,encoding:rotary,length:64,d_head:16,pair:2,offset:7,base:500.0,layout:interleaved"
        },
        {"set": "view:distance,encoding:rotary,vectors:unlike"},
        {"set": "view:distance,encoding:sinusoidal,d_model:8,measure:dot"},
        {"set": "view:matrix,encoding:relative,heads:4,buckets:8,max_distance:9,stack:decoder"},
    ],
    "extrapolation": [
        {"set": "view:longer,task:copy,score:whole"},
        {"set": "view:longer,steps:900,seed:2"},
    ],
    "heads-of-sentence": [
        {"src": HOUSE, "tgt": "la maison rouge", "layer": "1", "head": "3", "kind": "encoder"},
        {"src": HOUSE, "set": "scale:row,strategy:greedy,alone:1.2"},
    ],
    "why-each-word": [
        {
            "src": HOUSE,
            "set": "strategy:beam,num_beams:3,view:tree,node:2,pruned:all,rank_penalty:0.5,rank_formula:gnmt",
        },
        {"src": LONG, "set": "strategy:diverse_beam,num_beams:4,num_beam_groups:2,whole:1"},
        {"src": HOUSE, "set": "strategy:sample,seed:4"},
    ],
    "next-token": [
        {
            "src": HOUSE,
            "set": "strategy:greedy,view:next,at:2,forced:5.6,ruler_temperature:0.7,ruler_top_h:0.5,ruler_top_k:4,"
            "ruler_top_p:0.9,ruler_min_p:0.1,ruler_typical_p:0.9,ruler_epsilon_cutoff:0.01,ruler_eta_cutoff:0.01,"
            "ruler_log:true",
        },
        {"src": HOUSE, "set": "view:next,num_beams:3"},
    ],
    "forced-target": [
        {"src": HOUSE, "tgt": "la maison verte", "set": "view:reference,strategy:beam,num_beams:3"},
        {"src": HOUSE, "tgt": "la maison verte", "set": "view:reference,strategy:greedy"},
    ],
    "samples": [{"src": HOUSE, "set": "strategy:mbr,num_samples:6,view:samples"}],
    "head-roles": [
        {"set": "view:roles,test:agreement,head:encoder.2.4"},
        {"set": "view:roles,part:relations,relation:noun-determiner"},
        {"set": "view:roles,part:induction,score:copying,n:12"},
    ],
    "alignment-error": [
        {"set": "view:alignment,test:held out"},
        {"set": "view:alignment,links:both,n:12"},
    ],
    "head-importance": [
        {"set": "view:importance,test:held out"},
        {"set": "view:importance,how:uniform,n:12"},
    ],
    "role-and-importance": [
        {"set": "view:importance,test:held out,strength:rare"},
        {"set": "view:importance,how:uniform,n:12"},
    ],
    "ablation": [{"set": "view:ablation,test:held out,n:12,switched:cross.2=off"}],
    "sentence-ablation": [
        {"src": "the red house", "set": "view:ablation,test:held out,n:12,switched:cross.1.1=mean"}
    ],
    "attribution": [
        {"src": "the red house", "set": "view:attribution,n_steps:8,baseline:mean,map:norm"},
        {
            "src": "the red house",
            "tgt": "la maison verte",
            "set": "view:attribution,method:gradient,one_head:2.1",
        },
    ],
    "changed-weights": [
        {"src": "the red house", "tgt": "la maison verte", "set": "view:attribution,one_head:2.1"}
    ],
    "patching": [
        {"src": HOUSE, "tgt": "la maison rouge", "set": "view:patching,patch:decoder-heads"},
        {"src": "the red house", "set": "view:patching,second:the red book,at:2"},
    ],
    "roles-over-training": [
        {"set": "part:training,kind:encoder,role:previous"},
    ],
    "evaluate": [
        {"set": f"{SHIPPED},metrics:1,quality:ter,points_of:2,across:ter,up:rouge_l,sentence:9"},
        {"set": f"{SHIPPED},of:2,sort:gap,other:3,by:ter,find:book"},
        {"set": f"{SHIPPED},sort:ter,reversed:1"},
    ],
    "score-buckets": [
        {"set": SHIPPED},
        {"set": f"{SHIPPED},bucket_of:2,bucket_other:3,bucket:flags,bucket_score:ter"},
    ],
    "costs": [
        {"set": "batch:3,src_len:9,tgt_len:7,part:decoder.output"},
        {"set": "model:t5-small,against:t5-base"},
    ],
    "cost-growth": [
        {"set": "view:costs,batch:3,src_len:9,tgt_len:7"},
        {"set": "view:costs,model:t5-small,cost:cache,vary:depth"},
    ],
    "walkthrough": [
        {
            "src": HOUSE,
            "tgt": "la maison verte",
            "layer": "2",
            "head": "3",
            "set": f"step:{step},position:3",
        }
        for step in ("scores", "bridge", "norm")
    ]
    + [{"src": HOUSE, "set": "step:chosen"}, {"src": HOUSE, "set": "step:update,rate:1"}],
    "t5-sizes": [{"set": "view:t5,size:t5-11b"}],
    "masks": [{"src": HOUSE, "set": "view:masks,masks:second"}],
}
# what is measured of heads before the page is opened, because nothing of it ships
MEASURED: dict[str, list[OfSample[Any]]] = {
    "alignment-error": [AlignmentError(DEMO, n=12)],
    "ablation": [Ablation(DEMO, n=12, switched="cross.2=off")],
    "sentence-ablation": [MeanOutputs(DEMO, n=12)],
    "head-roles": [HeadRoles(DEMO, n=12)],
    "head-importance": [HeadImportance(DEMO, n=12, how="uniform")],
    "role-and-importance": [HeadImportance(DEMO, n=12, how="uniform"), HeadRoles(DEMO, n=12)],
}
LINKS["training-curves"] = [
    {"run": DEMO, "set": "curve:accuracy,over:token"},
    {"run": "demo-en-es", "set": "curve:grad_norm,over:minute"},
]
LEARNED = {"run": "learned000000000", "kind": "encoder", "layer": "1", "head": "2"}
LINKS["attention-over-training"] = [
    LEARNED | {"set": "tab:attention-while-learning,at:10"},
    LEARNED | {"set": "tab:attention-while-learning,animated:1"},
]
LINKS["runs-compared"] = [
    {"run": DEMO, "set": "tab:side-by-side,compared:demo-en-fr demo-en-es,settings:1"}
]
LINKS["sweep"] = [{"run": LEARNED["run"], "set": "tab:sweeps,sweep:s"}]
LINKS["seed-spread"] = [{"run": LEARNED["run"], "set": "tab:sweeps,sweep:s,seed_score:BLEU"}]
LINKS["samples-over-training"] = [{"run": DEMO, "set": "sample:150"}, {"run": "demo-tasks"}]
LINKS["training-forecast"] = [
    {"set": "source:builtin:en-fr,preset:small,train.lr:0.002"},
    {"set": "source:builtin:mini-en-fr,preset:mini-t5"},
]
FOLDED = {"training-forecast": ("costs", "expect")}  # what holds its pictures, opened by a click
LINKS["paper-claim"] = [{"set": "view:claims,claim:agreement"}]
LINKS["fault-results"] = [{"set": "view:faults,fault:2"}]
SMALL = "source:builtin:mini-en-fr"
LINKS["dataset-profile"] = [
    {"set": f"{SMALL},view:Pieces,preset:blocks"},
    {"set": f"{SMALL},view:Statistics"},
    {"set": "source:synthetic:reverse,view:Cleaning,data.clean.max_words:5,rule:copies"},
    {"set": f"{SMALL},view:Task,data.task:reverse"},
    {"set": SMALL},
]
LINKS |= {
    "compare": [
        {"src": HOUSE, "c1": "demo-en-fr!greedy", "c2": "demo-en-fr!sample!top_p:0.9", "tgt": "la"},
        {
            "src": HOUSE,
            "c1": "demo-en-fr!beam!bad_words:le chat",
            "c2": "demo-en-es!beam",
            "set": "against:nothing",
        },
    ],
    "translate": [
        {"src": HOUSE, "c1": "demo-en-fr!greedy!repetition_penalty:1.2"},
        {"src": HOUSE, "c1": "demo-en-fr!greedy", "c2": "demo-en-fr!beam", "set": "row:2"},
    ],
}
NOT_HERE = {
    "training-forecast": {"init_from"},  # with every setting that its weights need
    "paper-claim": {"here"},  # by a button: a link starts no measurement
    "alignment-error": {"uploaded"},  # by files, which no link has
    "roles-over-training": {"n"},  # one history ships, of a run with one checkpoint
    "translate": {"prefix", "interventions"},  # of other pages
    "attention": {"training"},  # no demo has a fault, nor one that acts in training only
    # a part is inherited, and of no use there: lines are of the whole map
    "attention-lines": {"part", "training"},
    "position-kinds": {"run"},  # one that has learned the encoding: no demo has
    "extrapolation": {"runs"},  # the visitor's own
    # of a request: the page shows stored evaluations, whose ids say all of that
    "evaluate": {row.name for row in Evaluate.declared() if row.metadata["kind"] != VIEW}
    - {"evaluation"},
}


@pytest.fixture(autouse=True)
def _run(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that has saved its attention, which no demo has, and a second one of its sweep, with another seed."""
    monkeypatch.setenv("S2S_WORKER", "elsewhere")
    for seed, run in enumerate((LEARNED["run"], "second0000000000")):
        folder = RunFolder(make_run(runs_folder() / run, {}))
        recipe = override(folder.recipe(), {"train.seed": seed}).to_json()
        name = f"learned {seed}"
        folder.amend(
            lambda about, recipe=recipe, name=name: {
                "recipe": recipe,
                "name": name,
                "tags": ["sweep:s"],
            }
        )


@pytest.mark.parametrize("row", VIEWS, ids=[row.question.name for row in VIEWS])
def test_the_menus_program_and_command_give_what_the_page_shows(
    row: View, capsys: pytest.CaptureFixture[str]
) -> None:
    assert row.question.name in LINKS, f"give links that open `{row.question.name}`"
    changed: set[str] = set()
    for question in MEASURED.get(row.question.name, ()):
        store(question)
    for link in LINKS[row.question.name]:
        screen = settled(opened(row.page, **link))
        for box in FOLDED.get(row.question.name, ()):
            screen.session_state[box] = True
            screen.run()
        for name in screen.session_state[SHOWN]:
            screen.session_state[f"menu {name}"] = True  # open
        screen.run()
        assert not screen.exception
        program, command = printed(screen, row.question.name)
        asked = run(program)
        assert type(asked.question) is row.question
        shown = screen.session_state[SHOWN]
        assert asked.pictures
        for picture in asked.pictures:
            check(screen, shown[picture.name], picture)
        ANSWERS.clear()
        assert main(shlex.split(command)[3:]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["asked"] == json.loads(as_text(asked.question))
        assert same(found["answer"], json.loads(as_text(asked.answer)))
        changed |= {*asked.question.changed}
    declared = {field.name for field in row.question.declared()}
    left = declared - changed - NOT_HERE.get(row.question.name, set())
    assert not left, "let a link change each of these, too"


def store(question: OfSample[Any]) -> None:
    """Measure it, and keep it as a worker does."""
    request = question.request(Have())
    if measurements.place(request):
        return
    folder = MeasurementFolder(request.id)
    folder.create(request)
    folder.set_result(head_service.measure(request))


def printed(screen: AppTest, name: str) -> tuple[str, str]:
    """The program and the command of the open menu that ask this question."""
    codes = [str(each.value) for each in screen.code]
    found = [pair for pair in pairwise(codes) if shlex.split(pair[1])[5:6] == [name]]
    assert found, f"no menu prints `{name}`"
    return found[0]


def run(program: str) -> Asked[Any]:
    """The value of its last line, asked anew."""
    ANSWERS.clear()
    *statements, last = ast.parse(program).body
    names: dict[str, Any] = {}
    exec(compile(ast.Module(statements, []), "menu", "exec"), names)
    assert isinstance(last, ast.Expr)
    found = eval(compile(ast.Expression(last.value), "menu", "eval"), names)
    assert isinstance(found, Asked)
    return found


def check(screen: AppTest, shown: Picture, found: Picture) -> None:
    """The page shows this picture: its words, its numbers, and what the browser is sent of its figure."""
    for name in ("title", "alt", "finding", "caption", "about"):
        assert getattr(found, name) == getattr(shown, name)
    assert same(json.loads(as_text(found.table)), json.loads(as_text(shown.table)))
    bodies = [str(each.proto.body) for each in screen.get("html")]
    assert not found.finding or any(html.escape(found.finding) in body for body in bodies)
    figure = found.figure
    if isinstance(figure, LinkedTokens):
        sent = component(screen, "heads")
        links = {head["name"]: head["links"] for head in sent["heads"]}
        assert same(links, {name: rounded(of_head) for name, of_head in figure.links.items()})
    elif isinstance(figure, AllHeads):
        canvas = next(
            each.proto
            for each in screen.get("bidi_component")
            if each.proto.component_name.endswith("heads_canvas")
        )
        assert canvas.bytes == pack_heads(*figure[:4], roles=figure.roles)
    elif isinstance(figure, ComparedTexts):
        plain = [html.unescape(re.sub("<del.*?</del> ?|<.*?>", "", body)) for body in bodies]
        assert {text or "(nothing)" for text in figure.texts.values()} <= {*map(str.strip, plain)}
    elif isinstance(figure, Diagram):
        assert same(component(screen, "boxes"), json.loads(json.dumps(diagram_data(figure))))
    elif found.name == "part":  # whose cells wrap
        cells = [cell for row in found.table.rows for cell in row]
        assert all(any(html.escape(cell) in body for body in bodies) for cell in cells)
    elif isinstance(figure, ComparedRows):
        assert compared_rows(figure) in bodies
    elif isinstance(figure, TokenRows):
        assert token_rows(figure) in bodies
    elif figure is None or isinstance(figure, Table):
        tables = [each.value for each in screen.dataframe]
        table = figure or found.table
        shares = [100 if name in table.shares else 1 for name in table.columns]
        rows = [
            [
                factor * cell if factor > 1 and cell is not None else cell
                for factor, cell in zip(shares, row, strict=True)
            ]
            for row in table.rows
        ]
        is_html = all(html.escape(str(cell)) in "".join(bodies) for row in rows for cell in row)
        assert is_html or any(same(rows, each.values.tolist()) for each in tables)
    else:
        drawn = (
            json.loads(str(figure.to_json()))
            if hasattr(figure, "to_json")
            else DrawnFigure(figure).to_dict()
        )
        sent = [json.loads(each.proto.spec)["data"] for each in screen.get("plotly_chart")]
        assert any(same(numbers(each), numbers(drawn["data"])) for each in sent)


def rounded(links: svg.Links) -> list[tuple[int, int, float]]:
    """As the browser gets them."""
    return [(row, key, round(weight, 4)) for row, key, weight in links]


def numbers(traces: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the traces draw, unpacked."""
    return [
        {name: unpacked(trace[name]) for name in ("x", "y", "z", "text", "name") if name in trace}
        for trace in traces
    ]


def unpacked(values: Any) -> Any:
    if not isinstance(values, dict):
        return values
    flat = np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])
    return flat.reshape(
        [int(side) for side in str(values.get("shape", len(flat))).split(",")]
    ).tolist()


def same(one: Any, other: Any) -> bool:
    """Equal, numbers but for their last digits; NaN is no value."""
    if one is None or other is None:
        return {one, other} == {None} or any(
            each is not None and math.isnan(each) for each in (one, other)
        )
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(other, float) and math.isnan(other):  # no value, in a frame
        return one is None or (isinstance(one, float) and math.isnan(one))
    if isinstance(one, float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=1e-4, abs_tol=1e-6)
    return bool(one == other)
