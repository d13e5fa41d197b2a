"""The pictures of `Costs`, `CostGrowth` and `T5Sizes`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

from s2s.config import POSITION_KINDS, ModelConfig, settings_of
from s2s.plots.bars import bars, compact_number
from s2s.plots.costs import costs
from s2s.plots.diagram import Diagram, diagram_svg
from s2s.plots.model_diagram import diagram_of
from s2s.plots.picture import Picture
from s2s.questions import CostGrowth, Costs, FiveSizes, Growth, ModelCosts, T5Sizes, Table
from s2s.questions import costs as sized
from s2s.sizing import (
    BYTES,
    COMPONENT_GROUPS,
    COMPONENT_KINDS,
    MEASURES,
    T5_SOURCE,
    VARIABLES,
    Component,
    NamedShape,
    arithmetic,
    cost,
    within,
)
from s2s.words import format_value

# Axis names for readers who are new to shapes.
AXES: Mapping[str, str] = MappingProxyType(
    {
        "batch": "sentences",
        "src_len": "source tokens",
        "tgt_len": "target tokens",
        "d_model": "columns of the residual stream",
        "heads": "heads",
        "d_head": "columns per head",
        "d_head / 2": "pairs of columns per head",
        "heads * d_head": "columns of all heads",
        "d_ff": "hidden columns",
        "src_vocab": "source vocabulary entries",
        "tgt_vocab": "target vocabulary entries",
        "positions": "positions",
        "buckets": "distance buckets",
    }
)
LEGEND = (
    "Solid: the residual stream. Dashed: residual connections. Thick: the encoder's output (memory)."
    " Press a box to see its weights and shapes."
)
DIFFERS = " ≠: differs in the other model."
GROUP_SOURCE = "Vaswani et al. 2017, Figure 1 and section 3.1"
ABOUT_GROUPS: Mapping[str, str] = MappingProxyType(
    {
        "": "Reads a source sentence (bottom left) and generates its translation (top right), one token at a time.",
        "encoder": "Reads the source and turns each token into a vector that depends on the whole sentence."
        " Together these vectors are the memory.",
        "encoder.layer": "Self-attention mixes information between tokens, then the feed-forward transforms each token"
        " separately. Every layer repeats this.",
        "decoder": "Generates the target: attends to the tokens so far and to the memory, and computes a logit"
        " for every possible next token.",
        "decoder.layer": "Self-attention over the target so far, cross-attention to the memory, then a feed-forward"
        " on each token separately.",
    }
)
COUNTED = (
    "FLOPs: 2 per multiply-add of a matrix product, as torch's own counter counts them; norms, activations and sums are"
    " small in comparison. A training step takes about three times as many as the forward pass. Training memory:"
    " weights, gradients, the optimizer's moments, and the activations saved for the backward pass of this batch."
)
ADDS_UP = (
    "A product is the size of a matrix, or of several of the same size; all products together are the parameters. A"
    " shared matrix counts once, where it is used first."
)
GROWTH_CAPTION = (
    "Both scales are logarithmic: a line twice as steep as another grows with its square. This batch takes {memory} of"
    " training memory by forecast, {flops} FLOPs for a forward pass, and {cache} of keys and values in the cache while"
    " it is decoded: {target} of the target's tokens and {source} of the source's."
)
T5_CAPTION = (
    "One embedding table of 32,128 rows is used three times: for the source, for the target, and as the output"
    " projection. There are no biases, and norms have only a scale. Positions are one table of relative biases per"
    " stack, with 32 buckets per head."
)
FIVE = (
    f"Shapes and published parameters: {T5_SOURCE}. The paper rounds, and does not always count the embedding table"
    " once: large comes to the published 770 million where it counts twice, small and base where it counts once. From"
    " large to 11B, depth and d_model stay the same: only the feed-forward and the heads of each layer grow."
)


def pictures(question: Costs, answer: ModelCosts, model: str) -> list[Picture]:
    name, other = _named(question.model, model), _named(question.other, model)
    both = [name, other] if answer.other else [name]
    drawing = _diagram(question, answer, other)
    title = f"{' and '.join(both)}\narchitecture"
    table = question.table(answer)
    found = [
        Picture(
            "diagram",
            title,
            drawing,
            f"Diagram of {title.replace(chr(10), ', ')}, from token ids at the bottom to logits at the top",
            table,
            question.finding(answer),
            LEGEND + (DIFFERS if answer.differing else ""),
            diagram_caption(answer, name, other),
            partial(diagram_svg, drawing),
        ),
        _part(question, answer, name),
    ]
    if answer.other:
        found.append(_differences(answer, both))
    return [*found, _bars(answer, both), _written_out(answer, name), _components(table, name)]


def _named(slug: str, model: str) -> str:
    return (model or "this run") if slug == sized.THIS_RUN else slug


def _diagram(question: Costs, answer: ModelCosts, other: str) -> Diagram:
    components = answer.model.components
    is_pre = answer.model.settings["norm.place"] == "pre"
    drawing = diagram_of(components, is_pre=is_pre)
    differing = {row.key: row.values for row in answer.differing}
    boxes = []
    for box in drawing.boxes:
        lines, changed = _note(components, box.name, differing, other)
        boxes.append(box._replace(lines=[*lines, *changed], marked=bool(changed)))
    return replace(drawing, boxes=boxes, chosen=question.chosen(answer)[0])


def _note(
    components: tuple[Component, ...],
    name: str,
    differing: Mapping[str, tuple[Any, ...]],
    other: str,
) -> tuple[list[str], list[str]]:
    inside = within(components, name)
    costs = cost(inside)
    component = next((row for row in inside if row.name == name), None)
    lines = [f"output: {shape_in_words(component.outputs[-1])}"] if component else []
    lines += [
        f"{costs.parameters:,} parameters",
        f"{compact_number(costs.flops)} FLOPs per forward pass",
    ]
    if component:
        keys = [key for key in differing if key in settings_that_shape(component)]
    else:
        keys = [key for key in differing if name == key.replace(".n_layers", ".layer")]
    changed = []
    for key in keys:
        here, there = map(format_value, differing[key])
        changed.append(f"{key}: {here}, in {other} {there}")
    return lines, changed


def settings_that_shape(component: Component) -> tuple[str, ...]:
    """The keys of the model settings and vocabulary sizes on which a component's shape depends."""
    stack = component.name.partition(".")[0]
    # d_model shapes every component; it is reported once per stack, where the stream begins.
    sizes = {
        "encoder.tokens": ("d_model", "src_vocab_size"),
        "decoder.tokens": ("d_model", "tgt_vocab_size"),
        "decoder.output": ("tgt_vocab_size",),
    }
    keys = (key.replace("{stack}", stack) for key in COMPONENT_KINDS[component.kind].settings)
    return (*keys, *sizes.get(component.name, ()))


def diagram_caption(answer: ModelCosts, name: str, other: str) -> str:
    """The model's sizes and, where another model is compared, the settings in which that one differs."""
    settings = answer.model.settings
    has_norms = settings["norm.kind"] != "none"
    sizes = (
        f"{name}: {answer.model.parameters:,} parameters",
        f"d_model {settings['d_model']}",
        f"heads per layer: encoder {settings['encoder.n_heads']}, decoder {settings['decoder.n_heads']}",
        f"positions: {settings['positions.kind']}",
        f"{settings['norm.place']}-norm" if has_norms else "no norms",
    )
    lines = [" · ".join(sizes), LEGEND.rpartition(" Press")[0]]
    if rows := answer.differing:
        changes = [f"{row.key}: {' / '.join(map(format_value, row.values))}" for row in rows]
        lines.append(f"≠: differs in {other}. {'; '.join(changes)}")
    return "\n".join(lines)


def shape_in_words(shape: NamedShape) -> str:
    """A shape as text: `32 sentences × 20 source tokens × 128 columns of the residual stream`."""
    return " × ".join(
        f"{length:,} {AXES[axis]}" for axis, length in zip(shape.axes, shape.lengths, strict=True)
    )


def in_bytes(n_bytes: float) -> str:
    """A number of bytes as text: `528_384` -> `528 kB`."""
    short = compact_number(n_bytes)
    return f"{short}B" if " " in short else f"{short} B"


def _part(question: Costs, answer: ModelCosts, model: str) -> Picture:
    components = answer.model.components
    name, inside = question.chosen(answer)
    component = next((row for row in inside if row.name == name), None)
    about, source = ABOUT_GROUPS.get(name, ""), GROUP_SOURCE
    if component:
        kind = COMPONENT_KINDS[component.kind]
        about, source = kind.about, kind.source
        if component.kind == "positions":
            encoding = POSITION_KINDS[answer.model.settings["positions.kind"]]
            about, source = f"{about} {encoding.summary}", encoding.source
    rows = _cost_rows(components, inside, component)
    if component:
        rows += _shape_rows(component)
    notes = [about, *_asides(components, component), f"({source}.)"]
    if component is None:
        notes.append(f"For a batch of {question.batch} sentences.")
    table = Table(("of", "what", "size"), rows)
    label = sized.label_of(components, name)
    title = f"{model}\n{label}"
    return Picture("part", title, table, f"What {label} costs", table, caption=" ".join(notes))


def _asides(components: tuple[Component, ...], component: Component | None) -> list[str]:
    found = []
    if component and component.tied_to:
        owner = next(row for row in components if row.name == component.tied_to)
        where = component.tied_to.replace(".", ", ")
        found.append(f"Its matrix is that of {where} ({owner.parameters:,}), counted there.")
    if component and not component.flops:
        found.append("No FLOPs: only matrix products count, because they take most of the time.")
    return found


def _cost_rows(
    components: tuple[Component, ...], inside: tuple[Component, ...], component: Component | None
) -> list[list[str]]:
    total, costs = cost(components), cost(inside)
    copies = component.copies if component else 1
    layers = f" (all {copies} layers)" if copies > 1 else ""
    saved = in_bytes(costs.saved_activations * BYTES) if costs.saved_activations else "none"
    products = _share(costs.attention_flops, costs.flops) if costs.attention_flops else "none"
    flops = f"{compact_number(costs.flops)}, {_share(costs.flops, total.flops)} of the model"
    rows = {
        "parameters": f"{costs.parameters:,}{layers}",
        "share of the model": _share(costs.parameters, total.parameters),
        "parameter memory": in_bytes(costs.parameters * BYTES),
        "FLOPs forward": flops,
        "attention products (QKᵀ, AV)": products,
        "saved activations": saved,
    }
    return [["Costs", name, size] for name, size in rows.items()]


def _share(number: float, total: float) -> str:
    return f"{100 * number / total:.3g}%" if total else "0%"


def _shape_rows(component: Component) -> list[list[str]]:
    per_layer = " per layer" if component.copies > 1 else ""
    products = (*component.weight_products, *component.attention_products)
    return [
        *([f"Weights{per_layer}", each.name, _product(each)] for each in component.weights),
        *([f"Outputs{per_layer}", each.name, shape_in_words(each)] for each in component.outputs),
        *(
            [f"Multiply-adds{per_layer} (2 FLOPs each)", each.name, _product(each)]
            for each in products
        ),
    ]


def _product(shape: NamedShape) -> str:
    return f"{' × '.join(f'{length:,}' for length in shape.lengths)} = {shape.size:,}"


def _differences(answer: ModelCosts, both: list[str]) -> Picture:
    meaning = {key: setting.help for key, setting in settings_of(ModelConfig).items()}
    rows = [
        [row.key, *map(format_value, row.values), meaning.get(row.key, "Entries of a vocabulary.")]
        for row in answer.differing
    ]
    title = f"{' and '.join(both)}\nsettings that differ"
    table = Table(("setting", *both, "meaning"), rows)
    return Picture("differences", title, None, f"{len(rows)} settings that differ", table)


def _bars(answer: ModelCosts, both: list[str]) -> Picture:
    models = [shape for shape in (answer.model, answer.other) if shape]
    series = {name: shape.groups for name, shape in zip(both, models, strict=True)}
    title = f"{' and '.join(both)}\nparameters by component"
    most, group = max(zip(answer.model.groups, COMPONENT_GROUPS, strict=True))
    rows = [
        [group, *counts] for group, *counts in zip(COMPONENT_GROUPS, *series.values(), strict=True)
    ]
    return Picture(
        "bars",
        title,
        bars(COMPONENT_GROUPS, series, title=title, x_label="parameters"),
        f"Bars of {title.replace(chr(10), ', ')}; the most are in {group}, {most:,}",
        Table(("component", *series), rows),
        caption="A shared matrix counts once, at its first use.",
    )


def _written_out(answer: ModelCosts, name: str) -> Picture:
    terms = arithmetic(answer.model.components)
    rows = [[*term] for term in terms]
    total = ["all together", "", sum(term.parameters for term in terms)]
    table = Table(("where", "product", "parameters"), [*rows, total])
    title = f"{name}\nthe parameters, added up"
    return Picture("arithmetic", title, None, f"{len(rows)} products", table, caption=ADDS_UP)


def _components(table: Table, name: str) -> Picture:
    alt = f"{len(table.rows)} components with their costs"
    return Picture(
        "components", f"{name}\nwhat each component costs", table, alt, table, "", COUNTED
    )


def growth_pictures(question: CostGrowth, answer: Growth, model: str) -> list[Picture]:
    variable, measure = VARIABLES[question.vary].label, MEASURES[question.cost].label
    title = f"{_named(question.model, model)} · {measure}\nby {variable}, all else equal"
    names = answer.points[0].terms if answer.points else ()
    figure = costs(
        [point.value for point in answer.points],
        {name: [point.terms[name] for point in answer.points] for name in names},
        title=title,
        x_label=variable,
        y_label=measure,
        now=answer.now,
    )
    caption = GROWTH_CAPTION.format(
        memory=in_bytes(answer.memory),
        flops=compact_number(answer.flops),
        cache=in_bytes(sum(answer.cache)),
        target=in_bytes(answer.cache.target),
        source=in_bytes(answer.cache.source),
    )
    finding = question.finding(answer)
    alt = f"Lines of {title.replace(chr(10), ', ')}. {finding}"
    return [Picture("growth", title, figure, alt, question.table(answer), finding, caption)]


def t5_pictures(question: T5Sizes, answer: FiveSizes, model: str) -> list[Picture]:
    table, five = question.table(answer), question.all_sizes(answer)
    title = f"{question.size}\nthe parameters, added up"
    alt = f"The products that add up to the parameters of {question.size}"
    return [
        Picture(
            "t5",
            title,
            None,
            alt,
            table,
            question.finding(answer),
            f"{T5_CAPTION} {ADDS_UP}",
        ),
        Picture("five", "T5\nits five sizes", None, "Five sizes of T5", five, caption=FIVE),
    ]
