"""The code that recomputes what Steps shows."""

from __future__ import annotations

from s2s.ui.kit import reproduce
from s2s.ui.steps.request import StepsRequest

ABOUT = (
    "The command prints the finished hypotheses; the Python also recomputes the tree and the probabilities of the next"
    " token."
)


def show(request: StepsRequest) -> None:
    """The folded section."""
    wanted = (request.strategy, request.settings, request.text)
    reproduce.section(
        ABOUT, lambda: (reproduce.translate_command(request.run, *wanted), python(request))
    )


def python(request: StepsRequest) -> str:
    """Its `found` has the hypotheses, its `tree` every prefix, its `log_probs` the next token at each position."""
    given = "".join(f", {name}={value!r}" for name, value in request.settings.items())
    source = reproduce.quoted(request.text)
    search = reproduce.translate_call(request.strategy, request.settings, request.text)
    lines = [
        "import s2s",
        "",
        f"run = {reproduce.load_call(request.run)}",
        f"(found,) = {search}",
        f"tree = run.tree(found, {reproduce.quoted(request.strategy)}{given})",
        "ids = found.hypotheses[0].ids",
        f"log_probs = run.next_tokens({source}, ids[:-1])  # nats, (positions, vocabulary)",
        "for one in found.hypotheses:  # best first",
        "    print(one.score, one.log_prob, len(one.tokens), one.text)",
    ]
    if request.reference:
        reference = reproduce.quoted(request.reference)
        lines.append(f"(forced,) = run.force([{source}], [{reference}])  # against the reference")
    return "\n".join(lines)
