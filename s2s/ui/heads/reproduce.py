"""The code that recomputes the view of Heads that is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from s2s.analysis import INTERVENTIONS, all_heads, heads, switched
from s2s.questions import lenders
from s2s.ui.heads.attribution import MAPS
from s2s.ui.heads.request import HeadsRequest
from s2s.ui.heads.sentence_request import STRATEGY
from s2s.ui.heads.view_state import STATE
from s2s.ui.kit import reproduce, sentence, target
from s2s.ui.kit.test_sets import described

ABOUT = "The Python measures the numbers of this view again."
OF_SENTENCE = "The command prints the model's translation."
MEASURE = "from s2s.jobs import head_service"
OF_SENTENCES = "from s2s.runs import Measurement, Sentences"
Lines = list[str]


def show(request: HeadsRequest) -> None:
    """The folded section."""
    text = sentence.text_in_box() if request.view in ("ablation", "patching", "attribution") else ""
    shell = reproduce.translate_command(request.run, STRATEGY, {}, text) if text else ""
    about = f"{OF_SENTENCE} {ABOUT}" if text else ABOUT
    reproduce.section(about, lambda: (shell, python(request)))


def python(request: HeadsRequest) -> str:
    """The view's numbers; `found` is what was measured over many sentences."""
    imports, lines = CODE[request.view](request)
    return "\n".join([*imports, "", *lines])


def _measured(
    request: HeadsRequest,
    experiment: str,
    settings: Mapping[str, Any] | None = None,
    *,
    name: str = "found",
    step: int | None = None,
) -> Lines:
    """The lines that measure an experiment over the chosen sentences."""
    run_id = request.run.folder.id
    sample = described(run_id, STATE.value("test"), STATE.value("n"))
    where = "".join(
        f", {key}={reproduce.quoted(value)}"
        for key in ("spec", "split", "run")
        if (value := getattr(sample, key))
    )
    at = request.run.step if step is None else step
    asked = f"{reproduce.quoted(run_id)}, {at}, {reproduce.quoted(experiment)}, sentences"
    given = (f", {dict(settings)!r}" if settings else "") + _languages(request)
    return [
        f'sentences = Sentences(""{where}, n={sample.n})',
        f"{name} = head_service.measure(Measurement({asked}{given}))",
    ]


def _languages(request: HeadsRequest) -> str:
    other = reproduce.other_languages(request.run)
    return f", languages={tuple(other)!r}" if other else ""


def _ablation(request: HeadsRequest) -> tuple[Lines, Lines]:
    run = request.run
    every = all_heads(run.model)
    chosen, _ = switched.from_text(STATE.now.switched, every)
    text = sentence.text_in_box()
    imports = ["import s2s", "from s2s.analysis import all_heads, switched"]
    names = ["Interventions"]
    lines = [f"run = {reproduce.load_call(run)}"]
    if text:
        lines.append(f"text = {reproduce.quoted(text)}")
        lines.append(f"before = run.complete(text, (), {reproduce.quoted(STRATEGY)})")
    if not chosen:
        return imports[:1], [*lines, *(["print(before.text)"] if text else [])]
    link = switched.to_text(chosen, every)
    lines.append(f"chosen, _ = switched.from_text({reproduce.quoted(link)}, all_heads(run.model))")
    if any(INTERVENTIONS[name].change is None for name in chosen.values()):
        names += ["Measurement", "Sentences"]
        imports.append("from s2s.jobs import head_service, means_from")
        lines += [
            *_measured(request, "means", name="mean_outputs"),
            "means = means_from(mean_outputs)",
            "given = tuple((head, means[head]) for head, how in chosen.items() if how == 'mean')",
            "change = Interventions(tuple(chosen.items()), means=given)",
        ]
    else:
        imports.append(MEASURE)
        lines.append("change = Interventions(tuple(chosen.items()))")
    if text:
        names += ["active", "teacher_forcing"]
        lines += [
            "plain = teacher_forcing.reference(run, text, before.text)",
            "with active(run, change):",
            f"    after = run.complete(text, (), {reproduce.quoted(STRATEGY)})",
            "    changed = teacher_forcing.reference(run, text, before.text)",
            "print(before.text, after.text, plain.log_probs, changed.log_probs, sep='\\n')",
        ]
    lines += [*_measured(request, "ablation", {"heads": link}), "most = found['tokens'][:12]"]
    names += ["Measurement", "Sentences"]
    return [*imports, reproduce.imported("s2s.runs", {*names})], lines


def _sentence(request: HeadsRequest) -> Lines | None:
    """The source, its target and the ids of that; None without a sentence."""
    text = sentence.text_in_box()
    if not text:
        return None
    return [
        f"run = {reproduce.load_call(request.run)}",
        f"text = {reproduce.quoted(text)}",
        reproduce.target_line(target.given(request.run, text, STRATEGY), STRATEGY),
        "ids = run.target_ids(target)",
    ]


def _attribution(request: HeadsRequest) -> tuple[Lines, Lines]:
    given = _sentence(request)
    if given is None:
        return ["import s2s"], [f"run = {reproduce.load_call(request.run)}"]
    settings: dict[str, Any] = {}
    if STATE.now.method != "gradient":
        settings["baseline"] = STATE.now.baseline
    if STATE.now.method == "integrated":
        settings["n_steps"] = STATE.now.n_steps
    one = STATE.now.one_head
    at = [] if one == "all" else [int(number) - 1 for number in one.split(".")]
    which = ", ".join(['"cross"', *map(str, at)])
    head = {"layer": at[0], "head": at[1]} if at else {}
    others = lenders(request.run, sentence.text_in_box())
    imports = [
        "import numpy as np",
        "",
        "import s2s",
        "from s2s.analysis import HeadSelection, heads, reduced",
        "from s2s.config import UserError",
        "from s2s.runs import probes",
    ]
    method = reproduce.quoted(STATE.now.method)
    return imports, [
        *given,
        f"asked = probes.ProbeInput((text,), ids, {method}, {settings!r})",
        'found = probes.answered(run, "attribution", asked)',
        "difference = found.own - found.without",
        "residual = np.abs(found.residuals).sum() / np.abs(difference).sum()",
        "attention = run.attention(text, ids)",
        f"which = HeadSelection({which})",
        f"picture = reduced(attention, which, {reproduce.quoted(STATE.now.map)})",
        "ranks = heads.rank_agreement(np.abs(found.values), picture.weights)",
        f"maps = [reduced(attention, which, name) for name in {[*MAPS]!r}]",
        "agreement = [heads.rank_agreement(np.abs(found.values), each.weights) for each in maps]",
        f"others = ({''.join(f'{reproduce.quoted(each)}, ' for each in others)})  # lend weights",
        "shifts = {}",
        f"for change in {_changes(others)!r}:",
        '    texts = (text, *others) if change == "sentences" else (text,)',
        f"    asked = probes.ProbeInput(texts, ids, change, {head!r})",
        "    try:",
        '        shifts[change] = probes.answered(run, "changed weights", asked)',
        "    except UserError as error:  # such as one head, which has no other",
        "        print(change, error)",
        "moved = np.array([np.median(each.total_variation, 0) for each in shifts.values()])",
        "variants = [len(each.best) for each in shifts.values()]",
        'names = ("weights_moved", "total_variation", "jensen_shannon")',
        "medians = [[np.median(getattr(each, name)) for each in shifts.values()] for name in names]",
        "other_token = [each.is_changed.mean() for each in shifts.values()]",
        "print(found.values, ranks, medians, sep='\\n')",
    ]


def _changes(others: Sequence[str]) -> list[str]:
    """Those that this sentence can be given."""
    return [name for name in heads.WEIGHT_CHANGES if others or name != "sentences"]


# by the view's slug
CODE: Mapping[str, Callable[[HeadsRequest], tuple[Lines, Lines]]] = MappingProxyType(
    {
        "ablation": _ablation,
        "attribution": _attribution,
    }
)
