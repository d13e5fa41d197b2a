"""The code that recomputes the columns of Compare."""

from __future__ import annotations

from collections.abc import Mapping

from s2s.ui.compare.column import ColumnChoice
from s2s.ui.kit import reproduce

ABOUT = "These recompute every number of the columns but the seconds: one command per column, or one program for all."


def show(choices: Mapping[str, ColumnChoice], text: str, wanted: str) -> None:
    """The folded section; `choices` by the column's number, `wanted` is the reference, or empty."""
    reproduce.section(ABOUT, lambda: (_commands(choices, text), python(choices, text, wanted)))


def _commands(choices: Mapping[str, ColumnChoice], text: str) -> str:
    """One line per column."""
    return "\n".join(
        reproduce.translate_command(one.run, one.strategy, one.settings, text)
        for one in choices.values()
    )


def python(choices: Mapping[str, ColumnChoice], text: str, wanted: str) -> str:
    """Its `columns` has what was decoded, its `numbers` the metrics, by the column's number."""
    names = "MEASURES, sentence_scores" if wanted else "MEASURES"
    lines = ["import s2s", f"from s2s.scores import {names}", "", "runs = {}", "columns = {}"]
    for number, choice in choices.items():
        lines += [
            f"run = runs[{reproduce.quoted(number)}] = {reproduce.load_call(choice.run)}",
            f"(columns[{reproduce.quoted(number)}],) = "
            + reproduce.translate_call(choice.strategy, choice.settings, text),
        ]
    lines += [
        "numbers = {}",
        "for number, found in columns.items():",
        "    best = found.hypotheses[0]",
        "    n_predicted = runs[number].recipe.model.ids.n_predicted(best.ids)",
        "    texts = [best.text]",
        "    numbers[number] = {",
        '        "log-probability": best.log_prob,  # nats',
        '        "per token": best.log_prob / n_predicted,',
        '        "score": best.score,',
        '        "tokens": len(best.tokens),',
        '        "distinct-1": MEASURES["distinct_1"].compute(texts, texts).value,  # %',
        '        "distinct-2": MEASURES["distinct_2"].compute(texts, texts).value,',
        "    }",
    ]
    if wanted:
        lines.append(
            f"    numbers[number] |= sentence_scores(best.text, {reproduce.quoted(wanted)})"
        )
    return "\n".join([*lines, "print(numbers)"])
