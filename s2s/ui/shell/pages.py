"""The pages of the dashboard, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from s2s import settings
from s2s.config import asker
from s2s.demo import EVERYDAY
from s2s.demo import LESSONS as LESSONS_RUN
from s2s.links import share
from s2s.ui.kit import address, pickers, shortened
from s2s.ui.shell.operator import has_operator_page, is_operator
from s2s.versions import NAME

PURPOSE = "See inside a translation model. Train your own in minutes."
MAX_SUBJECT = 70  # characters
LESSONS = "lessons"  # the address of the page that lists them
FOLDER = settings.dashboard() / "pages"


class Page(NamedTuple):
    """One page. Its `url_path` and `keys` are in links that people keep: a rename must keep the old ones working."""

    section: str
    file: str  # below pages/
    title: str
    entry: str  # of the menu; several pages of one entry are its tabs
    icon: str
    url_path: str  # empty: the root address
    keys: tuple[str, ...]  # of the values in its address
    summary: str
    run: str  # which runs the picker offers a page: "trained"; "any": also unfinished ones; "": no picker
    describes_run: bool = True  # in the header; False where a page also shows other models
    is_hidden: bool = False  # not in the navigation; only its address opens it
    lessons_run: str = (
        ""  # why the page shows most with the run of the lessons; "" where it does not
    )
    tab: str = ""  # what its tab says instead of its title
    answer: str = "answer"  # the key of the container of what the page shows first of all
    opens_on: str = LESSONS_RUN  # the run that its address shows where it says nothing of a view

    def screen(self, *, is_hidden: bool = False) -> st.Page:
        """The page as Streamlit knows it; a hidden one is not in the menu, and its address still opens it."""
        return st.Page(
            FOLDER / self.file,
            title=self.entry,
            icon=self.icon,
            url_path=self.url_path,
            default=not self.url_path,
            visibility="hidden" if is_hidden or self.is_hidden else "visible",
        )


PAGES = (
    Page(
        section="",
        file="start/home.py",
        title="Home",
        entry="Home",
        icon=":material/home:",
        url_path="",
        keys=("run", "src", "layer", "head", "set"),
        summary=f"{NAME}: {PURPOSE[0].lower()}{PURPOSE[1:]}",
        run="trained",
        answer="translation",
        opens_on=EVERYDAY,
    ),
    Page(
        section="Learn",
        file="learn/lessons.py",
        title="Lessons",
        entry="Lessons",
        icon=":material/school:",
        url_path=LESSONS,
        keys=("set",),
        summary="Short lessons beside the real pages, with questions that are checked",
        run="",
    ),
    Page(
        section="Learn",
        file="learn/architecture.py",
        title="Architecture",
        entry="Architecture",
        icon=":material/schema:",
        url_path="architecture",
        keys=("run", "src", "set"),
        summary="A diagram of the model, and its parameters, costs and masks",
        run="trained",
        describes_run=False,
        tab="Diagram",
    ),
    Page(
        section="Learn",
        file="learn/walkthrough.py",
        title="Step by step",
        entry="Architecture",
        icon=":material/footprint:",
        url_path="walkthrough",
        keys=("run", "src", "tgt", "layer", "head", "set"),
        summary="One sentence through the model, step by step, with the model's own numbers",
        run="trained",
        lessons_run="a small model whose words are whole tokens, so that every number fits on the screen.",
    ),
    Page(
        section="Learn",
        file="learn/positions.py",
        title="Positions",
        entry="Positions",
        icon=":material/straighten:",
        url_path="positions",
        keys=("run", "src", "set"),
        summary="Six position encodings: what each adds or rotates, and how far it extrapolates",
        run="trained",
        describes_run=False,
    ),
    Page(
        section="Build",
        file="build/data.py",
        title="Data",
        entry="Data",
        icon=":material/database:",
        url_path="data",
        keys=("set",),
        summary="Add a parallel dataset: sentences with their translations",
        run="",
    ),
    Page(
        section="Build",
        file="build/train.py",
        title="Train",
        entry="Train",
        icon=":material/model_training:",
        url_path="train",
        keys=("run", "set"),
        summary="Choose a recipe, start training, watch it learn",
        run="any",
    ),
    Page(
        section="Build",
        file="build/runs.py",
        title="Runs",
        entry="Runs",
        icon=":material/history:",
        url_path="runs",
        keys=("run", "kind", "layer", "head", "set"),
        summary="Every run: compare, continue, share, export; open a published model",
        run="any",
    ),
    Page(
        section="Explore",
        file="decode/compare.py",
        title="Compare",
        entry="Decode",
        icon=":material/compare_arrows:",
        url_path="compare",
        keys=("run", "src", "c1", "c2", "c3", "c4", "c5", "c6", "tgt", "set"),
        summary="One sentence, decoded in several ways, side by side",
        run="trained",
        opens_on=EVERYDAY,
    ),
    Page(
        section="Explore",
        file="decode/steps.py",
        title="Why each word",
        entry="Decode",
        icon=":material/account_tree:",
        url_path="steps",
        keys=("run", "step", "src", "tgt", "set"),
        summary="How each token was chosen: search tree, next-token probabilities, forced decoding",
        run="trained",
        opens_on=EVERYDAY,
    ),
    Page(
        section="Explore",
        file="inspect/attention.py",
        title="Attention",
        entry="Inside",
        icon=":material/grid_on:",
        url_path="attention",
        keys=("run", "step", "src", "tgt", "kind", "layer", "head", "reduce", "set"),
        summary="Which tokens the model attends to as it reads and writes",
        run="trained",
        opens_on=EVERYDAY,
    ),
    Page(
        section="Explore",
        file="inspect/heads.py",
        title="Many sentences",
        entry="Inside",
        icon=":material/hub:",
        url_path="heads",
        keys=("run", "step", "src", "tgt", "set"),
        summary="What each attention head does over many sentences, and whether it matters",
        run="trained",
        opens_on=EVERYDAY,
    ),
    Page(
        section="Explore",
        file="inspect/states.py",
        title="States",
        entry="Inside",
        icon=":material/scatter_plot:",
        url_path="states",
        keys=("run", "step", "src", "tgt", "layer", "set"),
        summary="The hidden states of words, layer by layer",
        run="trained",
        lessons_run="its words are whole tokens, and *bank* has two meanings in it.",
    ),
    Page(
        section="Explore",
        file="decode/evaluate.py",
        title="Evaluate",
        entry="Evaluate",
        icon=":material/scoreboard:",
        url_path="evaluate",
        keys=("run", "set"),
        summary="A test set, translated by several systems: scores, confidence intervals, errors",
        run="trained",
        opens_on=EVERYDAY,
    ),
)

WORKSPACE = Page(
    section="",
    file="start/workspace.py",
    title="My workspace",
    entry="My workspace",
    icon=":material/person:",
    url_path="workspace",
    keys=(),
    summary="What you have stored, what you may store, and when it expires",
    run="",
)

OPERATOR = Page(
    section="",
    file="start/operator.py",
    title="Operator",
    entry="Operator",
    icon=":material/admin_panel_settings:",
    url_path="operator",
    keys=(),
    summary="Load, jobs, storage and errors of this server",
    run="",
)


def rows() -> tuple[Page, ...]:
    """The pages of this server.

    A hosted one has a page about the visitor's workspace. The operator's page is in the navigation of the operator
    alone; its address asks others for the key.
    """
    pages = (*PAGES, WORKSPACE) if asker.is_hosted() else PAGES
    if not has_operator_page():
        return pages
    return (*pages, OPERATOR._replace(is_hidden=not is_operator()))


def in_menu(every: Sequence[Page], shown: str = "") -> list[Page]:
    """One page per entry of the menu: the shown one, or else the entry's first."""
    pages = {row.entry: row for row in reversed(every)}
    pages |= {row.entry: row for row in every if row.url_path == shown}
    return [row for row in every if row == pages[row.entry]]


def menu(every: Sequence[Page], shown: str = "") -> dict[str, list[st.Page]]:
    """Every page by section, for `st.navigation`; those that are not `in_menu` are hidden there."""
    listed = in_menu(every, shown)
    sections: dict[str, list[st.Page]] = {row.section: [] for row in every}
    for row in every:
        sections[row.section].append(row.screen(is_hidden=row not in listed))
    return sections


def page(url_path: str) -> Page:
    return next(row for row in rows() if row.url_path == url_path)


def run_meant(row: Page, values: Mapping[str, str]) -> str:
    """The run that an address of this page means: the one it names, of which a column of Compare is the first.

    An address with a view and no run was published before there were other demos: it means the run of the lessons.
    """
    column = share.Column.read(values.get("c1", "")).run
    if named := column or pickers.run_id_of(values.get("run", "")):
        return named
    return LESSONS_RUN if share.names_view(values) else row.opens_on


def browser_title(page: Page, subject: str = "") -> str:
    """The title in the browser's tab: `Attention: the red house · seq2seq-lab`."""
    about = shortened(share.printable(subject), MAX_SUBJECT)
    return f"{page.title}: {about} · {NAME}" if about else f"{page.title} · {NAME}"


def kept_values(every: Sequence[Page]) -> dict[str, dict[str, str]]:
    """By page address, the run and sentence that links to it keep."""
    held = {key: str(st.session_state.get(key) or "") for key in ("run", "src")}
    return {
        row.url_path: {key: held[key] for key in held if key in row.keys and held[key]}
        for row in every
    }


def page_link(url_path: str, label: str, icon: str = "", **params: str) -> None:
    """Draw a link to another page, which opens what the parameters say, with the page's run in the same languages.

    It names the run, so that it means the same in another tab.
    """
    row = page(url_path)
    run = str(st.session_state.get("run") or "")
    if run and row.run == "trained":
        params = {"run": run, **params}
    is_same_run = pickers.run_id_of(params.get("run", run)) == pickers.run_id_of(run)
    if "set" in params and row.run == "trained" and is_same_run:
        params["set"] = address.with_added(params["set"])
    st.page_link(row.screen(), label=label, icon=icon or row.icon, query_params=params)
