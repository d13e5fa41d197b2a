"""Above a page whose short link outlived its run: what the run was, how it learned, its recipe to open on Train."""

from __future__ import annotations

import streamlit as st

from s2s import plots
from s2s.config import UserError, flat
from s2s.jobs import run_records
from s2s.jobs.run_records import RunRecord
from s2s.library.own import is_gone
from s2s.links.short import ShortLink
from s2s.questions import Table
from s2s.ui.kit import as_markdown, chart, forms, pickers, plain
from s2s.ui.kit.recipe_link import not_carried, recipe_set
from s2s.ui.shell.pages import page_link
from s2s.words import smoothing_note

OPEN = "Open its recipe on Train"
TOO_LONG = "It differs from its preset in too many settings for a link: its recipe is below."


def show_gone_run(page: str, link: ShortLink) -> bool:
    """If the run of a short link is gone, say so and offer its recipe.

    Returns whether it stands in place of the page, which would show another run that nobody has chosen.
    """
    run_id = pickers.run_id_of(link.content.view.get("run", ""))
    if link.record is None or page != link.content.page or not is_gone(run_id):
        return False
    with st.container(key="gone run", border=True, gap="small"):
        try:
            record = run_records.read(link.record)
        except UserError as error:
            forms.show_error(error)
            return False
        st.markdown(_words(record))
        _train_link(record)
        _draw(record)
    if pickers.STAND_IN not in st.session_state:
        return False
    pickers.forget_lost_run()
    return True


def _words(record: RunRecord) -> str:
    best = min(record.curve, key=lambda point: point.loss)
    return (
        f":material/history: The run **{plain(record.name or record.run)}** of this link is not here any more; the link"
        f" keeps its recipe and its curve. Trained on {plain(record.source)} for"
        f" {record.recipe.train.steps:,} steps; lowest validation loss {best.loss:.4g} nats per token, at step"
        f" {best.step:,}."
    )


def _train_link(record: RunRecord) -> None:
    lost = not_carried(record.source, record.valid)
    if record.is_changed:
        lost.append("Its settings were changed while it trained, which its recipe does not repeat.")
    if packed := recipe_set(record.recipe, record.source, record.preset):
        page_link("train", OPEN, set=packed)
    else:
        lost.append(TOO_LONG)
    if lost:
        st.caption(as_markdown(" ".join(lost)))


def _draw(record: RunRecord) -> None:
    steps, losses = zip(*record.curve, strict=True)
    title = "Validation loss of the run of this link"
    line = plots.Curve("recorded", steps, losses, is_held_out=True)
    figure = plots.curves([line], title=title, y_label="Loss (nats per token)")
    alt = f"{title}: recorded {losses[-1]:.4g} nats per token at step {steps[-1]:,}"
    chart(figure, alt=alt, file_name="recorded-curve")
    if note := smoothing_note([record.recipe.train.label_smoothing]):
        st.caption(note)
    st.download_button(
        "Curve (CSV)",
        Table(("step", "loss"), record.curve).csv,
        "recorded-curve.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        key="download recorded curve",
    )
    with st.expander("Recipe", icon=":material/receipt_long:"):
        about = {
            "source": record.source,
            "valid": record.valid or "",
            "hash of the training pairs": record.train_hash,
            "hash of the validation pairs": record.valid_hash,
            "machine": record.machine,
            **{f"version of {name}": number for name, number in record.versions.items()},
        }
        settings = {**about, **flat(record.recipe)}
        st.dataframe(
            {"setting": [*settings], "value": [str(value) for value in settings.values()]},
            hide_index=True,
            height=300,
        )
