"""The code that recomputes the translation and the picture of Home."""

from __future__ import annotations

from s2s.analysis import HeadSelection
from s2s.runs import Run
from s2s.ui.home.alternatives import continued_ids
from s2s.ui.kit import reproduce

ABOUT = (
    "The command prints the translation with its log-probability; the Python also recomputes the weights of the heatmap"
    " and the probabilities of the words."
)


def show(run: Run, text: str, which: HeadSelection) -> None:
    """The folded section."""
    shell = reproduce.translate_command(run, "beam", {}, text)
    reproduce.section(ABOUT, lambda: (shell, python(run, text, which)))


def python(run: Run, text: str, which: HeadSelection) -> str:
    """Its `best` is the translation, its `picture` the heatmap as drawn."""
    selection = f"HeadSelection({reproduce.quoted(which.kind)}, {which.layer}, {which.head})"
    source = reproduce.quoted(text)
    lines = [
        "import math",
        "",
        "import s2s",
        "from s2s.analysis import HeadSelection, reduced",
        "",
        f"run = {reproduce.load_call(run)}",
        f"(found,) = {reproduce.translate_call('beam', {}, text)}",
        "best = found.hypotheses[0]",
        "probability = math.exp(best.log_prob)",
        f"picture = reduced(run.attention({source}, best.ids), {selection})",
        f"candidates = run.next_tokens({source}, best.ids[:-1]).exp()  # (positions, vocabulary)",
        "of_tokens = candidates[range(len(best.ids)), best.ids]",
        "best_five = candidates.topk(5)",
    ]
    if ids := continued_ids():
        lines.append(f'continued = run.complete({source}, {ids!r}, "beam")')
    return "\n".join(
        [*lines, "print(best.text, best.log_prob, probability, of_tokens, picture, sep='\\n')"]
    )
