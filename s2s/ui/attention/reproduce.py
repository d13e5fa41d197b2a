"""The code that recomputes the weights of Attention."""

from __future__ import annotations

from s2s.ui.attention import simplify
from s2s.ui.attention.request import AttentionRequest
from s2s.ui.attention.view_state import STATE
from s2s.ui.kit import reproduce

ABOUT = (
    "The command translates the sentence as the page does; the Python recomputes every weight of the heatmap and of all"
    " heads."
)


def show(request: AttentionRequest) -> None:
    """The folded section."""
    strategy = STATE.now.strategy
    shell = reproduce.translate_command(request.run, strategy, {}, request.text)
    reproduce.section(ABOUT, lambda: (shell, python(request)))


def python(request: AttentionRequest) -> str:
    """Its `picture` is the heatmap as drawn, its `heads` are all of that kind."""
    which = request.which
    imports = {"HeadSelection", "reduced"}
    selection = f"HeadSelection({reproduce.quoted(which.kind)}, {which.layer}, {which.head})"
    steps = [f"picture = reduced(attention, {selection}, {reproduce.quoted(request.reduction)})"]
    rows, keys = map(simplify.has_word_tokens, simplify.tokenizers(request.run, request.which.kind))
    if STATE.now.words:
        steps.append(f"picture = merge_words(picture, rows_whole={rows}, keys_whole={keys})")
        imports.add("merge_words")
    if STATE.now.drop:
        steps.append("picture = without_sinks(picture).picture")
        imports.add("without_sinks")
    lines = [
        "import s2s",
        reproduce.imported("s2s.analysis", imports),
        "",
        f"run = {reproduce.load_call(request.run)}",
        f"text = {reproduce.quoted(request.text)}",
        reproduce.target_line(request.forced, STATE.now.strategy),
        "attention = run.attention(text, target)",
        *steps,
        f"heads = attention.{which.kind}  # (layers, heads, rows, keys)",
        "print(picture.rows, picture.keys, picture.weights, sep='\\n')  # rows sum to 1",
    ]
    return "\n".join(lines)
