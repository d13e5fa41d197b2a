"""The search tree of Steps: every step of the search, a token's alternatives, and the finished hypotheses."""

from __future__ import annotations

import io
import math
import textwrap
from functools import partial

import streamlit as st

from s2s import plots
from s2s.analysis import ROUNDING
from s2s.decode import KEPT, PRUNED, TRUNCATED, BeamConfig, SearchNode, SearchTree
from s2s.files import csv_writer
from s2s.plots import TreeNode
from s2s.ui.kit import cached, captions, clickable_chart, file_name, nats, percent, pickers, plain
from s2s.ui.shell import page_link
from s2s.ui.steps import ranking
from s2s.ui.steps.request import StepsRequest
from s2s.ui.steps.view_state import PRUNED as PRUNED_LABELS
from s2s.ui.steps.view_state import STATE

MAX_KEPT = 16  # nodes of each step that are drawn
# pixels of the window that a tree cannot use: beside an open sidebar, which stands from WIDE on, and without one
WIDE = 767
BESIDE_WIDE = 430
BESIDE = 70
HOVER_WIDTH = 34  # characters of a line
COLUMNS = (
    "node",
    "parent",
    "step",
    "token",
    "state",
    "best_path",
    "count",
    "rank",
    "token_log_prob",
    "probability",
    "log_prob",
    "total",
    "score",
    "final_rank",
    "reason",
)
N_PRUNED = {"none": 0, "few": 3, "all": 10**6}  # of each step that are drawn
NODE = STATE.key("node")


def show(request: StepsRequest) -> None:
    """The translation, the tree, one token's alternatives, and the ranking of the finished hypotheses."""
    run = request.run
    tree = cached.search_tree(run, request.found, request.strategy, request.settings)
    tokens = ["start", *run.tgt_tokenizer.tokens([node.token for node in tree.nodes[1:]])]
    captions.show_translation(request.found)
    with st.container(border=True, key="beamtree"):
        chosen = _chosen_node(tree)
        n_pruned = N_PRUNED[st.session_state.get(STATE.key("pruned"), STATE.now.pruned)]
        nodes = [_plot_node(tree, number, token) for number, token in enumerate(tokens)]
        visible = plots.visible_nodes(nodes, MAX_KEPT, n_pruned, also=chosen)
        _picture(request, tree, visible, chosen)
        st.caption(f"{plots.PLOTS['tree'].caption} {_counts(request, tree)}")
        if n_hidden := len(tree.nodes) - len(visible):
            st.caption(
                f"{n_hidden} of {len(tree.nodes) - 1} nodes are not drawn; the downloaded table has all of them."
            )
        if tree.is_complete:
            STATE.segments("pruned", "Pruned prefixes to draw", PRUNED_LABELS)
        with st.container(horizontal=True, vertical_alignment="center"):
            _download(request, tree, tokens)
            page_link(
                "attention",
                "Attention",
                step=str(run.step),
                src=request.text,
                tgt=request.found.text,
            )
    with st.container(border=True):
        chosen = _node_picker(tree, [node.number for node in visible], tokens)
        _alternatives(request, tree, chosen, tokens)
    ranking.show(request, tree)


def _counts(request: StepsRequest, tree: SearchTree) -> str:
    n_truncated = sum(tree.nodes[number].state == TRUNCATED for number in tree.finished)
    n_finished = len(tree.finished) - n_truncated
    ended = [f"{_hypotheses(n_finished)} finished"] if n_finished else []
    if n_truncated:
        whose = str(n_truncated) if ended else _hypotheses(n_truncated)
        ended.append(f"{whose} ended at the length limit, unfinished,")
    start = f"{' and '.join(ended)} in {tree.n_steps} steps"
    if not tree.is_complete:
        return f"{start}. Tokens that {plain(request.strategy)} did not take are not recorded."
    n_pruned = sum(node.state == PRUNED for node in tree.nodes)
    return f"{start}; {n_pruned} prefixes were considered and pruned. {_why_so_many(request)}"


def _hypotheses(n: int) -> str:
    return f"{n} hypotheses" if n > 1 else "One hypothesis"


def _why_so_many(request: StepsRequest) -> str:
    """Why more candidates are ranked at each step than beams are kept."""
    _, config = request.run.configured(request.strategy, request.settings)
    if not isinstance(config, BeamConfig) or config.num_beams == 1:
        return ""
    n = config.num_beams
    return (
        f"Each step ranks {2 * n} candidates for {n} beams: a candidate that ends in `</s>`"
        " finishes and leaves the beam,"
        f" and even if {n} of them finish, {n} remain to continue."
    )


def _chosen_node(tree: SearchTree) -> int:
    """By default the token of the best path that the model was least certain of."""
    default = least_certain(tree)
    if not isinstance(st.session_state.get(NODE), int):  # a label of the tree before is text
        given = STATE.now.node or str(default)
        exists = given.isdecimal() and 0 < int(given) < len(tree.nodes)
        if not exists:
            pickers.notify(
                f"This search has no node {given[:20]}; the token that the model was least certain of is chosen"
                " instead."
            )
        st.session_state[NODE] = int(given) if exists else default
    chosen = int(st.session_state[NODE])
    STATE.remember(node="" if chosen == default else str(chosen))
    return chosen


def least_certain(tree: SearchTree) -> int:
    """The node of the best path with the lowest probability, given its prefix."""
    path = [
        number
        for number, node in enumerate(tree.nodes)
        if node.is_best and number and node.state == KEPT
    ]
    return min(path, key=lambda number: own_log_prob(tree, tree.nodes[number]), default=1)


def own_log_prob(tree: SearchTree, node: SearchNode) -> float:
    """Log-probability of a node's last token alone, nats."""
    return node.log_prob - tree.nodes[node.parent].log_prob


def _plot_node(tree: SearchTree, number: int, token: str) -> TreeNode:
    node = tree.nodes[number]
    if not number:
        return TreeNode(
            0, -1, 0, token, "", node.state, 0, None, is_best=True, hover=(node.reason,)
        )
    probability = math.exp(own_log_prob(tree, node))
    hover = (
        f"{token} · step {node.step}",
        f"probability {percent(probability)}",
        f"log-probability so far {nats(node.log_prob)}",
        *textwrap.wrap(node.reason, HOVER_WIDTH),
    )
    is_ranked = node.final_rank and node.score is not None
    return TreeNode(
        number,
        node.parent,
        node.step,
        token + (f" ×{node.count}" if node.count > 1 else ""),
        f"{nats(node.score or 0.0)} score" if is_ranked else nats(node.total),
        node.state,
        node.rank or number,
        node.final_rank,
        is_best=node.is_best,
        hover=hover,
    )


def _picture(request: StepsRequest, tree: SearchTree, visible: list[TreeNode], chosen: int) -> None:
    title = tree_title(request, tree)
    figure = plots.tree(visible, title=title, inspected=chosen)
    width = f"min-width: {figure.layout.width}px; max-width: none;"
    with st.container(key="treescroll"):
        st.html(
            f"<style>:is(.st-key-steps-tree-chart, .st-key-steps-tree-chart-and-touch) {{ {width} }}</style>"
        )
        clickable_chart(
            figure,
            alt=f"Tree of {title.replace(chr(10), ', ')}; best path: {request.found.text}",
            file_name=file_name(title),
            key="steps tree chart",
            on_pick=_pick,
        )
    _scroll_hint(figure.layout.width, tree.n_steps)


def _scroll_hint(width: int, n_steps: int) -> None:
    """Says how to see the rest of a tree that is wider, in pixels, than the screen."""
    fits = f"(min-width: {width + BESIDE_WIDE}px), (max-width: {WIDE}px) and (min-width: {width + BESIDE}px)"
    st.html(
        f"<style>@media {fits} {{ .st-key-treehint {{ display: none; }} }}</style>", width="content"
    )
    with st.container(key="treehint"):
        st.caption(f":material/swipe: Scroll the tree sideways to see all {n_steps} steps.")


def tree_title(request: StepsRequest, tree: SearchTree) -> str:
    """`demo-en-fr · step 1,500`, `search tree · beam · 8 steps`."""
    name = cached.model_name(request.run)
    return f"{name}\nsearch tree · {request.strategy} · {tree.n_steps} steps"


def _pick(number: object) -> None:
    node = number[0] if isinstance(number, list) and number else number
    if isinstance(node, int) and node:
        st.session_state[NODE] = node


def _node_picker(tree: SearchTree, numbers: list[int], tokens: list[str]) -> int:
    """The same choice as a click in the picture."""
    labels = {
        number: f"step {tree.nodes[number].step} · {tokens[number]} · {tree.nodes[number].state}"
        for number in numbers
        if number
    }
    st.subheader("A token and its alternatives", anchor=False)
    chosen = st.selectbox(
        "Click a token in the tree, or choose it here",
        list(labels),
        format_func=labels.__getitem__,
        key=NODE,
        persist_state="session",
    )
    return int(chosen)


def _alternatives(request: StepsRequest, tree: SearchTree, chosen: int, tokens: list[str]) -> None:
    """The most probable tokens at a node's position, and what the search did with each."""
    node = tree.nodes[chosen]
    st.caption(
        f"What the search did with it: {node.reason}. The table has the most probable tokens after the same prefix."
    )
    candidates = [
        (token.token, token.log_prob, token.node) for token in tree.next_tokens.get(node.parent, ())
    ]
    if chosen not in [number for _, _, number in candidates]:
        candidates.append((node.token, own_log_prob(tree, node), chosen))
    names = request.run.tgt_tokenizer.tokens([token for token, _, _ in candidates])
    is_plain = _counts_log_probs(tree, node)
    rows = []
    for name, (_, log_prob, number) in zip(names, candidates, strict=True):
        if number is None:
            total = tree.nodes[node.parent].total + log_prob if is_plain else None
            reason = _reason_not_considered(tree, node, total)
        else:
            total = tree.nodes[number].total
            reason = tree.nodes[number].reason
        rows.append(
            {
                "": "▶" if number == chosen else "",
                "token": name,
                "probability": 100 * math.exp(log_prob),
                "sum so far": total,
                "outcome": reason,
            }
        )
    st.dataframe(
        rows,
        hide_index=True,
        column_config={
            "": st.column_config.TextColumn(width=28),
            "probability": st.column_config.NumberColumn(format="%.2f %%"),
            "sum so far": st.column_config.NumberColumn(
                format="%.3f", help="Log-probability so far as the strategy counts it, nats."
            ),
            "outcome": st.column_config.TextColumn(width="large"),
        },
        key="steps alternatives",
        alt=f"Alternatives of {tokens[chosen]}",
    )


def _counts_log_probs(tree: SearchTree, node: SearchNode) -> bool:
    """Whether the strategy counts the model's own log-probabilities here, without temperature or penalties."""
    beside = [other for other in tree.nodes if other.parent == node.parent or other is node]
    counted = (tree.nodes[node.parent], *beside)
    return all(abs(each.total - each.log_prob) < ROUNDING for each in counted)


def _reason_not_considered(tree: SearchTree, node: SearchNode, total: float | None) -> str:
    """Why the search did not consider a token at this node's position; `total` is None where its own is not known."""
    if not tree.is_complete:
        return "not taken; the reason is not recorded"
    totals = [other.total for other in tree.nodes if other.step == node.step and other.rank]
    if not totals:
        return "another token was forced by `prefix`"
    if total is None:
        return f"not among the {len(totals)} best of this step, or forbidden by a rule"
    if total > min(totals):
        return "forbidden or penalized by a rule"
    return f"not considered: the {len(totals)} best of this step have at least {nats(min(totals))}"


def _download(request: StepsRequest, tree: SearchTree, tokens: list[str]) -> None:
    st.download_button(
        "Download data (CSV)",
        partial(nodes_csv, tree, tokens),
        f"{file_name(tree_title(request, tree))}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        key="tree csv",
    )


def nodes_csv(tree: SearchTree, tokens: list[str]) -> str:
    """One line per node: the log-probability of the token, then of the prefix, by the model and by the strategy."""
    out = io.StringIO()
    rows = csv_writer(out)
    rows.writerow(COLUMNS)
    for number, (node, token) in enumerate(zip(tree.nodes, tokens, strict=True)):
        log_prob = own_log_prob(tree, node) if number else None
        cells = {
            "node": number,
            "parent": node.parent,
            "step": node.step,
            "token": token,
            "state": node.state,
            "best_path": int(node.is_best),
            "count": node.count,
            "rank": node.rank or "",
            "token_log_prob": log_prob,
            "probability": None if log_prob is None else math.exp(log_prob),
            "log_prob": node.log_prob,
            "total": node.total,
            "score": node.score,
            "final_rank": node.final_rank or "",
            "reason": node.reason,
        }
        rows.writerow([cells[name] for name in COLUMNS])
    return out.getvalue()
