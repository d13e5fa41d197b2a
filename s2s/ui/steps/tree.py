"""The search tree of Steps: every step of the search, the alternatives of a word, and what finished, ranked as one likes."""

from __future__ import annotations

import csv
import io
import math
import textwrap
from functools import partial

import streamlit as st

from s2s import plots
from s2s.decode import KEPT, PRUNED, SearchNode, SearchTree
from s2s.plots import TreeNode
from s2s.ui.kit import cached, captions, pickers
from s2s.ui.kit.captions import file_name, nats, percent
from s2s.ui.kit.charts import clickable_chart
from s2s.ui.kit.text import plain
from s2s.ui.shell.pages import page_link
from s2s.ui.steps import ranking, request
from s2s.ui.steps.request import OWN, Asked

N_KEPT = 16  # of each step, that are drawn
HINT = 34  # characters of a line of what hovering says
COLUMNS = (
    "node",
    "parent",
    "step",
    "token",
    "state",
    "best_path",
    "count",
    "rank",
    "log_prob",
    "total",
    "score",
    "place",
    "reason",
)
PRUNED_SHOWN = {"none": 0, "few": 3, "all": 10**6}
USUAL = "few"
NODE = OWN + "node"
SHOWN = OWN + "pruned"


def show(asked: Asked) -> None:
    """The translation, the tree, one word's alternatives, and the ranking of what finished."""
    tree = cached.search_tree(asked.run, asked.found, asked.strategy, asked.settings)
    captions.show_translation(asked.found)
    with st.container(border=True, key="beamtree"):
        st.caption(f"{plots.PLOTS['tree'].caption} {_counts(asked, tree)}")
        words = _words(asked, tree)
        chosen = _held(asked, tree)
        shown = _shown(asked)
        twigs = plots.visible_nodes(_twigs(tree, words), N_KEPT, PRUNED_SHOWN[shown], also=chosen)
        _picture(asked, tree, twigs, chosen)
        _left_out(tree, len(tree.nodes) - len(twigs))
        if tree.is_complete:
            _pruned_picker()
        with st.container(horizontal=True, vertical_alignment="center"):
            _download(asked, tree, words)
            page_link(
                "attention",
                "Where it looked",
                step=str(asked.run.step),
                src=asked.text,
                tgt=asked.found.text,
            )
    with st.container(border=True):
        chosen = _picker(asked, tree, [twig.number for twig in twigs], words)
        _alternatives(asked, tree, chosen, words)
    ranking.show(asked, tree)


def _words(asked: Asked, tree: SearchTree) -> list[str]:
    """The token of each node."""
    return ["start", *asked.run.tgt_tokenizer.tokens([node.token for node in tree.nodes[1:]])]


def _counts(asked: Asked, tree: SearchTree) -> str:
    """What there is in numbers."""
    n_pruned = sum(node.state == PRUNED for node in tree.nodes)
    ended = (
        f"{len(tree.finished)} hypotheses ended"
        if len(tree.finished) > 1
        else "One hypothesis ended"
    )
    if tree.is_complete:
        return f"{ended} in {tree.n_steps} steps; {n_pruned} prefixes were looked at and let go."
    return f"{ended} in {tree.n_steps} steps. Of the tokens that {plain(asked.strategy)} did not take there is no record."


def _shown(asked: Asked) -> str:
    """How many of the pruned ones are drawn."""
    if st.session_state.setdefault(SHOWN, asked.said.get("pruned", USUAL)) not in PRUNED_SHOWN:
        st.session_state[SHOWN] = USUAL
    shown = str(st.session_state[SHOWN])
    request.remember(pruned="" if shown == USUAL else shown)
    return shown


def _pruned_picker() -> None:
    options = {
        slug: label
        for slug, label in zip(
            PRUNED_SHOWN, ("none", "the 3 best of each step", "all"), strict=True
        )
    }
    label = "Of what was let go, draw"
    st.segmented_control(
        label,
        list(options),
        format_func=options.__getitem__,
        required=True,
        key=SHOWN,
        persist_state="session",
    )


def _held(asked: Asked, tree: SearchTree) -> int:
    """The chosen node; at first the word of the best path of which the model was least sure."""
    usual = least_sure(tree)
    if NODE not in st.session_state:
        given = asked.said.get("node", str(usual))
        is_there = given.isdecimal() and 0 < int(given) < len(tree.nodes)
        if not is_there:
            pickers.notify(
                f"This search has no node {given[:20]}; the word that the model was least sure of is chosen instead."
            )
        st.session_state[NODE] = int(given) if is_there else usual
    chosen = int(st.session_state[NODE])
    request.remember(node="" if chosen == usual else str(chosen))
    return chosen


def least_sure(tree: SearchTree) -> int:
    """Of the best path the node with the lowest probability, given its prefix."""
    path = [
        number
        for number, node in enumerate(tree.nodes)
        if node.is_best and number and node.state == KEPT
    ]
    return min(path, key=lambda number: own_log_prob(tree, tree.nodes[number]), default=1)


def own_log_prob(tree: SearchTree, node: SearchNode) -> float:
    """Of a node's last token alone, nats."""
    return node.log_prob - tree.nodes[node.parent].log_prob


def _twigs(tree: SearchTree, words: list[str]) -> list[TreeNode]:
    return [_twig(tree, number, word) for number, word in enumerate(words)]


def _twig(tree: SearchTree, number: int, word: str) -> TreeNode:
    node = tree.nodes[number]
    if not number:
        return TreeNode(0, -1, 0, word, "", node.state, 0, None, is_best=True, said=(node.reason,))
    share = math.exp(own_log_prob(tree, node))
    often = f" ×{node.count}" if node.count > 1 else ""
    numbers = (f"probability {percent(share)}", f"log-probability up to here {nats(node.log_prob)}")
    said = (f"{word} · step {node.step}", *numbers, *textwrap.wrap(node.reason, HINT))
    total = (
        f"{nats(node.score)} score"
        if node.final_rank and node.score is not None
        else nats(node.total)
    )
    order = node.rank or number
    return TreeNode(
        number,
        node.parent,
        node.step,
        word + often,
        total,
        node.state,
        order,
        node.final_rank,
        is_best=node.is_best,
        said=said,
    )


def _picture(asked: Asked, tree: SearchTree, twigs: list[TreeNode], chosen: int) -> None:
    shown = name(asked, tree)
    figure = plots.tree(twigs, title=shown, chosen=chosen)
    alt = f"Tree of {shown.replace(chr(10), ', ')}; best path: {asked.found.text}"
    wide = f"min-width: {figure.layout.width}px; max-width: none;"
    with st.container(key="treescroll"):
        st.html(
            f"<style>:is(.st-key-steps-tree-chart, .st-key-steps-tree-chart-and-touch) {{ {wide} }}</style>"
        )
        clickable_chart(
            figure, alt=alt, file_name=file_name(shown), key="steps tree chart", on_pick=_pick
        )


def name(asked: Asked, tree: SearchTree) -> str:
    """`demo-en-fr · step 1,500`, `search tree · beam · 8 steps`."""
    title = cached.title(asked.run.folder.id)
    return (
        f"{title} · step {asked.run.step:,}\nsearch tree · {asked.strategy} · {tree.n_steps} steps"
    )


def _pick(number: object) -> None:
    found = number[0] if isinstance(number, list) else number
    if isinstance(found, int) and found:
        st.session_state[NODE] = found


def _left_out(tree: SearchTree, n_missing: int) -> None:
    if n_missing:
        st.caption(
            f"{n_missing} of {len(tree.nodes) - 1} nodes are not drawn; the table to download has all."
        )


def _picker(asked: Asked, tree: SearchTree, numbers: list[int], words: list[str]) -> int:
    """The same choice as a click in the picture."""
    options = {
        number: f"step {tree.nodes[number].step} · {words[number]} · {tree.nodes[number].state}"
        for number in numbers
        if number
    }
    st.subheader("A word and its alternatives", anchor=False)
    label = "Click a word in the tree, or choose it here"
    chosen = st.selectbox(
        label,
        list(options),
        format_func=lambda number: options[number],
        key=NODE,
        persist_state="session",
    )
    return int(chosen)


def _alternatives(asked: Asked, tree: SearchTree, chosen: int, words: list[str]) -> None:
    """What the model could have written in its place, and what became of each."""
    node = tree.nodes[chosen]
    st.caption(
        f"What became of it: {node.reason}. The table: the most probable tokens in this place, after the same words before."
    )
    nexts = [
        (each.token, each.log_prob, each.node) for each in tree.next_tokens.get(node.parent, ())
    ]
    if chosen not in [number for _, _, number in nexts]:
        nexts.append((node.token, own_log_prob(tree, node), chosen))
    names = asked.run.tgt_tokenizer.tokens([token for token, _, _ in nexts])
    rows = [
        {
            "": "▶" if number == chosen else "",
            "token": word,
            "probability": 100 * math.exp(log_prob),
            "sum so far": tree.nodes[node.parent].total + log_prob
            if number is None
            else tree.nodes[number].total,
            "what became of it": tree.nodes[number].reason
            if number is not None
            else _untold(tree, node, log_prob),
        }
        for word, (_, log_prob, number) in zip(names, nexts, strict=True)
    ]
    look = {
        "": st.column_config.TextColumn(width=28),
        "probability": st.column_config.NumberColumn(format="%.2f %%"),
        "sum so far": st.column_config.NumberColumn(
            format="%.3f", help="Log-probability up to here as the strategy counts it, nats."
        ),
        "what became of it": st.column_config.TextColumn(width="large"),
    }
    st.dataframe(
        rows,
        hide_index=True,
        column_config=look,
        key="steps alternatives",
        alt=f"Alternatives of {words[chosen]}",
    )


def _untold(tree: SearchTree, node: SearchNode, log_prob: float) -> str:
    """Of a token that the search did not look at."""
    if not tree.is_complete:
        return "not taken; there is no record why"
    totals = [other.total for other in tree.nodes if other.step == node.step and other.rank]
    if not totals:
        return "another token was given by `prefix`"
    own = tree.nodes[node.parent].total + log_prob
    if own > min(totals):
        return "a rule forbids it, or makes it less likely"
    return f"not looked at: the {len(totals)} best of this step have {nats(min(totals))} at least"


def _download(asked: Asked, tree: SearchTree, words: list[str]) -> None:
    file = f"{file_name(name(asked, tree))}.csv"
    make = partial(table, tree, words)
    st.download_button(
        "Numbers (CSV)",
        make,
        file,
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        key="tree csv",
    )


def table(tree: SearchTree, words: list[str]) -> str:
    """One row a node."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(COLUMNS)
    for number, (node, word) in enumerate(zip(tree.nodes, words, strict=True)):
        score = "" if node.score is None else f"{node.score:.6f}"
        place = [
            number,
            node.parent,
            node.step,
            plots.csv_cell(word),
            node.state,
            int(node.is_best),
            node.count,
            node.rank or "",
        ]
        rows.writerow(
            [
                *place,
                f"{node.log_prob:.6f}",
                f"{node.total:.6f}",
                score,
                node.final_rank or "",
                node.reason,
            ]
        )
    return out.getvalue()
