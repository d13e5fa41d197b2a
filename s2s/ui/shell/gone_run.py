"""Above a page whose short link outlived its run: what the run was, how it learned, a button that trains it again.

The run that was trained again has the link's letters as a tag, by which it is found after a reload, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from s2s import access, plots, share
from s2s.config import UserError, flat
from s2s.jobs import run_records, run_service
from s2s.jobs.run_records import Comparison, RunRecord
from s2s.runs import RunSummary
from s2s.short_links import ShortLink, written
from s2s.ui.kit import as_markdown, cached, chart, forms, pickers, plain, polling
from s2s.ui.kit.badges import STATES
from s2s.ui.kit.queueing import queue_runs
from s2s.ui.shell.pages import page_link
from s2s.words import smoothing_note

TAG = "link:"  # before the letters
TRAIN = "train"  # the page that shows a run being trained
AGAIN = "Train it again"
REFUSED = "training again refused"  # in the session
COMPARED = "compared with the record"  # in the session: what was compared, and the result
REFRESH = 1.0  # seconds between two looks at a run that waits or trains


def show_gone_run(page: str, link: ShortLink) -> bool:
    """Draws nothing where the run of the link is there, or nothing is known of it; on Train the run trained again.

    Returns whether it stands in place of the page, which would show another run that nobody has chosen.
    """
    run_id = pickers.run_id_of(link.content.view.get("run", ""))
    if link.record is None or page not in (link.content.page, TRAIN) or not _is_gone(run_id):
        return False
    again = _trained_again(link)
    if page != link.content.page and not _is_chosen(again):
        return False
    with st.container(key="gone run", border=True, gap="small"):
        try:
            _panel(page, link, run_records.read(link.record), again)
        except UserError as error:
            forms.show_error(error)
            return False
    if page != link.content.page or pickers.STAND_IN not in st.session_state:
        return False
    pickers.forget_lost_run()
    return True


def _is_gone(run_id: str) -> bool:
    """Whether a run was deleted, and is not only private."""
    is_id = access.ID.fullmatch(run_id) is not None
    return is_id and not (access.runs_folder() / run_id / "recipe.json").is_file()


def _trained_again(link: ShortLink) -> RunSummary | None:
    """The newest run of this visitor with the link's recipe."""
    tag = f"{TAG}{written(link.letters)}"
    return next((row for row in cached.own_runs() if tag in row.tags), None)


def _is_chosen(again: RunSummary | None) -> bool:
    """Whether the page shows the run that was trained again."""
    return again is not None and again.id == st.session_state.get("run")


def _panel(page: str, link: ShortLink, record: RunRecord, again: RunSummary | None) -> None:
    """All of it on the page of the link; in brief on Train, and beside the shared view of the run trained again."""
    is_of_link = page == link.content.page
    is_in_view = is_of_link and _is_chosen(again)
    is_brief = not is_of_link or (is_in_view and again is not None and again.state == "done")
    if not is_brief:
        st.markdown(_words(record))
    if again is None or again.state not in ("queued", "starting", "running", "done"):
        _offer(link, record, again)
    elif again.is_live:
        _wait(page, again)
    else:
        _say(_compared(record, again))
        if not is_in_view:
            page_link(link.content.page, "Open the shared view", **_view(link, again.id))
    if not is_brief:
        _draw(record, again)


def _compared(record: RunRecord, again: RunSummary) -> Comparison:
    """Read once: every weight counts."""
    state = (record.digest, again.id, again.updated)
    known: tuple[object, Comparison] | None = st.session_state.get(COMPARED)
    if known is None or known[0] != state:
        known = (state, record.compared_with(again.id))
        st.session_state[COMPARED] = known
    return known[1]


def _words(record: RunRecord) -> str:
    best = min(record.curve, key=lambda point: point.loss)
    return (
        f":material/history: The run **{plain(record.name or record.run)}** of this link is not here any more; the link"
        f" keeps its recipe and its curve. Trained on {plain(record.source)} for"
        f" {record.recipe.train.steps:,} steps; lowest validation loss {best.loss:.4g} nats per token, at step"
        f" {best.step:,}."
    )


def _offer(link: ShortLink, record: RunRecord, again: RunSummary | None) -> None:
    """The button, and what became of the last try."""
    if again is not None:
        said = f"The run `{again.name}`, trained again: {STATES[again.state].label}. {again.error}"
        st.warning(as_markdown(said), icon=":material/error:")
    st.button(
        AGAIN,
        key="train again",
        type="primary",
        icon=":material/play_arrow:",
        on_click=_queue,
        args=(link, record),
        help="Queues a run of yours with this recipe and this dataset; a short one does not wait for long ones.",
    )
    if refused := st.session_state.pop(REFUSED, None):
        forms.show_error(refused)


def _queue(link: ShortLink, record: RunRecord) -> None:
    again = _trained_again(link)
    if again is not None and again.is_live:  # the second click of two
        return
    try:
        if access.current() == access.NOBODY:
            raise UserError(
                "A run needs a workspace, and this browser has none: allow cookies for this page, and reload it."
            )
        queue_runs([record.request(access.current(), f"{TAG}{written(link.letters)}")])
        cached.refresh_runs()
    except UserError as error:
        st.session_state[REFUSED] = error


def _wait(page: str, again: RunSummary) -> None:
    st.fragment(_follow, run_every=REFRESH * polling.slowdown())(again.id)
    if page != TRAIN:
        page_link(TRAIN, "Watch it train", run=again.id)


def _follow(run_id: str) -> None:
    """How far it is; the whole page is drawn again when it is done."""
    try:
        row = run_service.find(run_id, access.current())
    except UserError:  # deleted meanwhile
        row = None
    if row is None or not row.is_live:
        cached.refresh_runs()
        st.rerun()
    step = f", step {row.step:,} of {row.steps:,}" if row.step else ""
    said = f"The run of the link is trained again as `{row.name}`: {STATES[row.state].label}{step}."
    st.caption(as_markdown(f"{said} When it is done, it is compared here."))


def _say(found: Comparison) -> None:
    """Whether the numbers are those of the record; both losses."""
    losses = (
        f"Last validation loss: recorded {found.recorded:.6g}, now {found.now:.6g} nats per token."
    )
    if found.is_same:
        st.success(
            f"**Same bits.** The weights of the best checkpoint and the curve are those of the recorded run. {losses}",
            icon=":material/verified:",
        )
        return
    why = (
        found.reason or "Another processor, or another number of threads, adds up in another order."
    )
    st.info(
        f"**Same recipe, other numbers.** {losses} {as_markdown(why)}", icon=":material/difference:"
    )


def _view(link: ShortLink, run_id: str) -> dict[str, str]:
    """The shared view with the run that was trained again, in Compare's columns, too."""
    view: Mapping[str, str] = link.content.view
    gone = pickers.run_id_of(view["run"])
    columns = {key: share.Column.read(view[key]) for key in share.COLUMNS if view.get(key)}
    replaced = {
        key: str(replace(column, run=run_id))
        for key, column in columns.items()
        if column.run == gone
    }
    return {**view, **replaced, "run": run_id}


def _draw(record: RunRecord, again: RunSummary | None) -> None:
    """The recorded curve, beside it that of the run trained again; the recipe as a table."""
    steps, losses = zip(*record.curve, strict=True)
    lines = [plots.Curve("recorded", steps, losses, is_held_out=True)]
    rows = [("recorded", *point) for point in record.curve]
    if again is not None and len((now := cached.curves(again.id)).valid_steps):
        points = zip(now.valid_steps, now.valid_loss, strict=True)
        rows += [("trained again", int(step), float(loss)) for step, loss in points]
        lines.append(
            plots.Curve("trained again", now.valid_steps, now.valid_loss, run=1, is_held_out=True)
        )
    title = "Validation loss of the run of this link"
    figure = plots.curves(lines, title=title, y_label="Loss (nats per token)")
    alt = f"{title}: recorded {losses[-1]:.4g} nats per token at step {steps[-1]:,}"
    chart(figure, alt=alt, file_name="recorded-curve")
    if note := smoothing_note([record.recipe.train.label_smoothing]):
        st.caption(note)
    columns = dict(zip(("run", "step", "loss"), zip(*rows, strict=True), strict=True))
    st.download_button(
        "Curve (CSV)",
        plots.columns_csv(columns),
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
