"""What the view of a lesson's step shows, on paper: attention, curves, or what decoding wrote."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from s2s.analysis import KINDS, REDUCTIONS, AttentionMap, HeadSelection, reduced
from s2s.config import UserError
from s2s.decode import STRATEGIES
from s2s.lessons import Context, decodings
from s2s.library import guests
from s2s.plots import svg
from s2s.reports import curve_figures, document
from s2s.runs import Metrics, Run
from s2s.runs.decoder import HEAVY, DecodeRequest, request_seconds

MAX_SOURCE = 200  # characters of a sentence whose weights are drawn
LONGEST = 40  # tokens of a side that fit on paper
MOST_HYPOTHESES = 5
COSTLY = "Decoding this sentence with these settings takes too long for a handout."
CURVES = MappingProxyType(  # by their names in links
    {"loss": "loss", "accuracy": "token_accuracy", "bleu": "bleu", "chrf": "chrf", "lr": "lr"}
)
WALKTHROUGH = MappingProxyType(  # steps with weights, by their names in links
    {
        "softmax": "encoder",
        "weighted": "encoder",
        "heads": "encoder",
        "causal": "decoder",
        "self-attention": "decoder",
        "bridge": "cross",
    }
)
ATTENTION = MappingProxyType(
    {
        "cross": "Cross-attention",
        "encoder": "Encoder self-attention",
        "decoder": "Decoder self-attention",
    }
)


def pictures(context: Context) -> Iterator[str]:
    """The picture of a lesson step's view, with its caption; nothing for a page that has none, or without a run.

    Raises UserError where the run is gone, or what the view shows cannot be computed in a moment.
    """
    draw = PAGES.get(context.page)
    if draw is not None and context.run:
        yield from draw(context)


def _attention(context: Context) -> Iterator[str]:
    yield from _weights(context, context.values.get("kind", ""))


def _weights(context: Context, kind: str) -> Iterator[str]:
    if not context.source:
        return
    run = context.opened()
    strategy = _strategy(context)
    _require_cheap(run, context.source, strategy)
    target = context.values.get("tgt", "")[:MAX_SOURCE]
    forced: str | tuple[int, ...] = target
    if not target:
        (own,) = run.translate([context.source], strategy)
        target = own.text
        forced = own.hypotheses[0].ids if own.hypotheses else target
    found = run.attention(context.source, forced)
    if max(found.cross.shape[-2:]) > LONGEST:
        raise UserError(f"A side of this sentence has more than {LONGEST} tokens.")
    kind = kind if kind in KINDS else "cross"
    reduction = context.values.get("reduce", "")
    if reduction not in REDUCTIONS or kind not in REDUCTIONS[reduction].kinds:
        reduction = "mean"
    n_layers, n_heads = found.view(kind).weights.shape[:2]
    layer = _index(context.values.get("layer", ""), n_layers, n_layers - 1)
    head = _index(context.values.get("head", ""), n_heads, None)
    map = reduced(found, HeadSelection(kind, layer, head), reduction)
    words = context.source if kind == "encoder" else f"{context.source} → {target}"
    yield document.figure(_heatmap(map, kind), f"{_name(run)}: {words}", is_on_white=True)


def _strategy(context: Context) -> str:
    if context.page == "walkthrough":
        return "greedy"
    named = context.settings.get("strategy", "")
    return named if named in STRATEGIES else "beam"


def _heatmap(map: AttentionMap, kind: str) -> str:
    title = f"{ATTENTION[kind]}, {map.name}"
    return svg.heatmap(map.weights, map.keys, map.rows, title=title, verb=map.verb)


def _index(given: str, n: int, default: int | None) -> int | None:
    if given == "mean":
        return None
    is_there = given.isdecimal() and len(given) < 5 and 1 <= int(given) <= n
    return int(given) - 1 if is_there else default


def _compared(context: Context) -> Iterator[str]:
    if not context.source:
        return
    own = context.opened()
    rows = []
    for one in decodings(context):
        run = one.run or own
        _require_cheap(run, context.source, one.strategy, one.settings)
        found = run.translate([context.source], one.strategy, **one.settings)[0]
        rows.append((_name(run), str(one), found.text, f"{found.log_prob:.2f}"))
    head = ("run", "decoding", "output", "log-probability (nats)")
    yield document.table(head, rows, f"What is written for: {context.source}")


def _hypotheses(context: Context) -> Iterator[str]:
    if not context.source:
        return
    run = context.opened()
    (search,) = decodings(context)
    _require_cheap(run, context.source, search.strategy, search.settings)
    found = run.translate([context.source], search.strategy, **search.settings)[0]
    rows = [
        (each.text, f"{each.score:.3f}", f"{each.log_prob:.2f}")
        for each in found.hypotheses[:MOST_HYPOTHESES]
    ]
    head = ("finished hypotheses, best first", "score", "log-probability (nats)")
    yield document.table(head, rows, f"{_name(run)}, {search}: {context.source}")


def _walkthrough(context: Context) -> Iterator[str]:
    if kind := WALKTHROUGH.get(context.settings.get("step", "")):
        yield from _weights(context, kind)


def _curves(context: Context) -> Iterator[str]:
    if "run" not in context.values:
        return
    run = context.opened()
    found = Metrics(run.folder.path / "metrics.jsonl").read()
    name = CURVES.get(context.settings.get("curve", "loss"))
    if name == "loss":
        smoothing = run.recipe.train.label_smoothing
        yield curve_figures.loss(found, smoothing, f"{_name(run)}. ")
    elif name:
        yield from curve_figures.metric(found, name, f"{_name(run)}. ")


def _name(run: Run) -> str:
    about = guests.about_run(run.folder)
    return f"{about.get('name') or run.folder.id}, step {run.step:,}"


def _require_cheap(
    run: Run, source: str, strategy: str = "beam", settings: Mapping[str, object] | None = None
) -> None:
    if len(source) > MAX_SOURCE:
        raise UserError(f"The sentence has more than {MAX_SOURCE} characters.")
    written = json.dumps(dict(settings or {}))
    request = DecodeRequest("decoded", str(run.folder.path), run.step, (source,), strategy, written)
    if request_seconds(run, request) > HEAVY:
        raise UserError(COSTLY)


# One more page that has a picture is one more row.
PAGES: Mapping[str, Callable[[Context], Iterator[str]]] = MappingProxyType(
    {
        "": _attention,
        "attention": _attention,
        "walkthrough": _walkthrough,
        "compare": _compared,
        "steps": _hypotheses,
        "train": _curves,
    }
)
