"""The code that recomputes the costs of Architecture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from s2s.ui.architecture import masks
from s2s.ui.architecture.models import THIS_RUN
from s2s.ui.architecture.request import NO_MODEL, STATE, ArchitectureRequest
from s2s.ui.kit import reproduce, sentence, vocabulary

ABOUT = "The Python recomputes the costs of the chosen component and every number of the view below the diagram."
PRESETS = "The command prints the parameters of every preset."
PRESETS_COMMAND = "python -m s2s presets --json"


class ViewCode(NamedTuple):
    """The names of s2s.sizing that a view's lines need, the lines, and what else they import."""

    names: tuple[str, ...]
    lines: tuple[str, ...]
    imports: tuple[str, ...] = ()


def show(request: ArchitectureRequest) -> None:
    """The folded section."""
    has_preset = STATE.now.view == "t5" or _models() != {THIS_RUN}
    about = f"{PRESETS} {ABOUT}" if has_preset else ABOUT
    needs = reproduce.OF_RUN if _needs_run() else reproduce.ANYWHERE
    shell = PRESETS_COMMAND if has_preset else ""
    reproduce.section(about, lambda: (shell, python(request)), needs)


def _models() -> set[str]:
    return {STATE.now.model, STATE.now.other} - {NO_MODEL}


def _needs_run() -> bool:
    return THIS_RUN in _models() or STATE.now.view == "masks"


def python(request: ArchitectureRequest) -> str:
    """Its `chosen` is the card's component, the rest is the view's."""
    code = VIEW_CODE[STATE.now.view](request)
    names = {"BatchSizes", "ModelSpec", "cost", "within", *code.names}
    return "\n".join(
        [
            "import s2s",
            *code.imports,
            reproduce.imported("s2s.sizing", names),
            "",
            *([f"run = {reproduce.load_call(request.run)}"] if _needs_run() else []),
            *_spec("spec", STATE.now.model),
            f"sizes = {request.sizes!r}",
            "components = spec.components(sizes)",
            "total = cost(components)",
            f"chosen = cost(within(components, {reproduce.quoted(request.selected)}))",
            *code.lines,
            reproduce.print_line(["total = ", "chosen = ", *code.lines]),
        ]
    )


def _spec(name: str, model: str) -> list[str]:
    """The lines that define the spec of the run or of a preset."""
    if model == THIS_RUN:
        return [
            "vocabularies = (run.src_tokenizer.vocab_size, run.tgt_tokenizer.vocab_size)",
            f"{name} = ModelSpec(run.recipe, *vocabularies)",
        ]
    return [
        f"preset = s2s.PRESETS[{reproduce.quoted(model)}]",
        f"{name} = ModelSpec(preset.recipe, preset.src_vocab_size, preset.tgt_vocab_size)",
    ]


def _parameters(request: ArchitectureRequest) -> ViewCode:
    lines = [
        "rows = component_rows(spec, sizes)",
        "groups = group_parameters(spec)",
        "per_token = total.flops / (sizes.batch * (sizes.src_len + sizes.tgt_len))",
    ]
    if request.other:
        lines += [*_spec("other", STATE.now.other), "other_groups = group_parameters(other)"]
    return ViewCode(("component_rows", "group_parameters"), tuple(lines))


def _costs(request: ArchitectureRequest) -> ViewCode:
    vary, measure = map(reproduce.quoted, (STATE.now.vary, STATE.now.cost))
    return ViewCode(
        ("MEASURES", "VARIABLES", "cache_bytes", "cost_curve", "crossover", "memory_bytes"),
        (
            "memory = memory_bytes(spec, sizes)  # of training",
            "cache = cache_bytes(spec, sizes)  # of the target, of the source",
            "whole_cache = sum(cache)",
            f"curve = cost_curve(spec, sizes, VARIABLES[{vary}], MEASURES[{measure}])",
            "lengths = crossover(spec)  # from which attention takes more FLOPs than the rest",
        ),
    )


def _t5(request: ArchitectureRequest) -> ViewCode:
    return ViewCode(("t5_rows",), ("rows = t5_rows()",))


def _masks(request: ArchitectureRequest) -> ViewCode:
    """Of both sentences; `padding` has a row for each."""
    text = sentence.text_in_box()
    if not text:
        return ViewCode((), ())
    second = masks.second_sentence(request.run, vocabulary.of(request.run), text)
    row = list(masks.WHOSE).index(STATE.now.masks)
    lines = (
        f"texts = [{reproduce.quoted(text)}, {reproduce.quoted(second)}]",
        'found = run.translate(texts, "beam")',
        "ids = [one.hypotheses[0].ids for one in found]",
        "pairs = [run.attention(*pair) for pair in zip(texts, ids, strict=True)]",
        "lengths = torch.tensor([len(pair.src_tokens) for pair in pairs])",
        "is_token = torch.arange(int(lengths.max())) < lengths[:, None]  # (2, src_len)",
        "padding = masks.padding(is_token.long(), 0)[:, 0, 0]  # True: may attend",
        "tgt_len = max(len(pair.tgt_inputs) for pair in pairs)",
        "causal = masks.causal(tgt_len)[0, 0]",
        f"cross = padding[{row}].expand(tgt_len, -1)",
    )
    return ViewCode((), lines, ("import torch", "from s2s.model import masks"))


# by the view's slug
VIEW_CODE: Mapping[str, Callable[[ArchitectureRequest], ViewCode]] = MappingProxyType(
    {"parameters": _parameters, "costs": _costs, "t5": _t5, "masks": _masks}
)
