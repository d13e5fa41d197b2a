"""The code that recomputes the view of Heads that is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from s2s.analysis import INTERVENTIONS, all_heads, switched
from s2s.ui.heads.request import HeadsRequest
from s2s.ui.heads.view_state import STATE
from s2s.ui.kit import reproduce, sentence
from s2s.ui.kit.test_sets import described

STRATEGY = "greedy"
ABOUT = "The Python measures the numbers of this view again."
OF_SENTENCE = "The command prints the model's translation."
MEASURE = "from s2s.jobs import head_service"
OF_SENTENCES = "from s2s.runs import Measurement, Sentences"
Lines = list[str]


def show(request: HeadsRequest) -> None:
    """The folded section."""
    text = sentence.text_in_box() if request.view == "ablation" else ""
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


# by the view's slug
CODE: Mapping[str, Callable[[HeadsRequest], tuple[Lines, Lines]]] = MappingProxyType(
    {
        "ablation": _ablation,
    }
)
