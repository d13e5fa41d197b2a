"""Every column's output under every column's model: log-probabilities that can be compared."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from s2s.config import UserError
from s2s.runs import Reference, Run
from s2s.ui.compare import hypotheses
from s2s.ui.kit import cached, nats, plain, unique_names


@dataclass(frozen=True)
class ForcedOutputs:
    """`texts`: output by column; `scored`: by column and model; None where an output is too long for a model."""

    texts: Mapping[str, str]
    models: Sequence[str]
    scored: Mapping[tuple[str, str], Reference | None]


def forced_outputs(text: str, runs: Mapping[str, Run], texts: Mapping[str, str]) -> ForcedOutputs:
    """Forces each column's output on the model of each column; `runs` and `texts` are by column."""
    opened = {f"{run.step} {run.folder.id}": run for run in runs.values()}
    names = unique_names({key: cached.model_name(run) for key, run in opened.items()})
    models = {names[key]: run for key, run in opened.items()}
    scored = {
        (column, name): _forced(run, text, output)
        for column, output in texts.items()
        for name, run in models.items()
    }
    return ForcedOutputs(texts, [*models], scored)


def _forced(run: Run, text: str, output: str) -> Reference | None:
    try:
        return cached.reference(run, text, output)
    except UserError:  # longer than its positions
        return None


def rows(found: ForcedOutputs) -> list[dict[str, object]]:
    """One row per column: its output, then log-probability and mean per token under each model, in nats."""
    table = []
    for column, text in found.texts.items():
        row: dict[str, object] = {"output of": f"column {column}", "text": text}
        for model in found.models:
            forced = found.scored[column, model]
            row[f"{model}: log-probability"] = forced.log_prob if forced else None
            row[f"{model}: per token"] = forced.per_token if forced else None
        table.append(row)
    return table


def show(text: str, runs: Mapping[str, Run], texts: Mapping[str, str]) -> None:
    """The table, and below it each token; nothing where one model wrote all outputs: theirs can be compared as they
    are.
    """
    found = forced_outputs(text, runs, texts)
    if len(found.models) < 2:
        return
    with st.container(border=True, key="across models"):
        st.subheader("Every output under every model", anchor=False)
        st.caption(
            "Each column's log-probability comes from its own model, so columns with different models are not"
            " comparable. Here every model is forced to write every output, `</s>` included: compare the numbers of one"
            " model, from top to bottom."
        )
        st.dataframe(
            rows(found),
            hide_index=True,
            column_config={
                f"{model}: {what}": st.column_config.NumberColumn(format="%.3f")
                for model in found.models
                for what in ("log-probability", "per token")
            },
            key="across models table",
            alt="Log-probability of every output under every model",
        )
        if unknown := _unknown(found):
            st.caption(f":material/help: {unknown}")
        with st.expander("Token by token", icon=":material/token:"):
            st.html("".join(_tokens(found, column) for column in found.texts))


def _tokens(found: ForcedOutputs, column: str) -> str:
    """One output's tokens with their probabilities, a row for each model."""
    lines = [f"<p><b>Output of column {column}</b></p>"]
    for model in found.models:
        forced = found.scored[column, model]
        told = f" {nats(forced.log_prob)} nats" if forced else " too long for this model"
        lines.append(f"<p><small>{html.escape(model)}:{told}</small></p>")
        if forced:
            lines.append(hypotheses.token_row(forced.tokens, forced.log_probs))
    return "".join(lines)


def _unknown(found: ForcedOutputs) -> str:
    """Which models lack words of these outputs."""
    lacking = {
        model: [each for column in found.texts for each in _lacks(found, column, model)]
        for model in found.models
    }
    told = [
        f"{plain(model)} cannot write {', '.join(f'*{plain(word)}*' for word in dict.fromkeys(words))}"
        for model, words in lacking.items()
        if words
    ]
    return f"{'; '.join(told)}: its numbers are those of `<unk>`." if told else ""


def _lacks(found: ForcedOutputs, column: str, model: str) -> Sequence[str]:
    forced = found.scored[column, model]
    return forced.unknown if forced else ()
