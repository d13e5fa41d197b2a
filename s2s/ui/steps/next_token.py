"""The next token: the candidates at each position of a target, and what follows if another one is forced."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from functools import partial

import streamlit as st
from torch import Tensor

from s2s.analysis import probability_ratio
from s2s.config import UserError
from s2s.decode import distribution_entropy
from s2s.plots import fine_percent
from s2s.runs import Decoded, Run
from s2s.ui.canvas import token_strip
from s2s.ui.kit import cached, captions, nats, pickers, plain, shortened
from s2s.ui.kit.candidates import token_cells
from s2s.ui.steps import truncation
from s2s.ui.steps.request import StepsRequest
from s2s.ui.steps.teacher_forcing import times
from s2s.ui.steps.view_state import STATE

POSITION = STATE.key("at")
NUMBERS = re.compile(r"\d{1,9}(\.\d{1,9})*", re.ASCII)
N_BUTTONS = 6  # candidates that a press writes


def show(request: StepsRequest) -> None:
    """The translation token by token; for one position the candidates, the distribution and the filters."""
    forced = _forced_ids(request)
    found = _continuation(request, forced) if forced else request.found
    target = found.hypotheses[0]
    rows = cached.next_tokens(request.run, request.text, target.ids[:-1])  # (tgt_len, vocab)
    position = _position(rows)
    with st.container(border=True):
        captions.show_translation(found)
        with st.container(key="token probabilities"):
            token_strip(
                token_cells(request.run, target.ids, rows, len(forced)),
                position,
                key="strip",
                on_pick=_choose_position,
                on_alternative=lambda index, token: _force((*target.ids[:index], token)),
            )
            st.caption(
                "Under each token: its probability, given the source and the tokens before it. Hover or tap a token to"
                " see the candidates at its position; press one to write it instead, and the model continues from"
                " there."
            )
        if forced:
            _cost_of_forcing(found, request.found, len(forced))
        position = _position_picker(target.tokens)
        with st.container(key="candidates"):
            _candidate_buttons(request.run, target.ids[: position + 1], rows[position])
    with st.container(border=True):
        truncation.show(request.run, target.tokens, position, rows[position])


def _continuation(request: StepsRequest, ids: tuple[int, ...]) -> Decoded:
    return cached.continuation(request.run, request.text, ids, request.strategy, request.settings)


def _forced_ids(request: StepsRequest) -> tuple[int, ...]:
    """The ids that the target has to begin with. Impossible ones are reported and forgotten."""
    if not (given := STATE.now.forced):
        return ()
    try:
        ids = _parse_ids(given)
        _continuation(request, ids)
    except UserError as error:
        pickers.notify(f"The forced words cannot be used: {error}")
        STATE.remember(forced="")
        return ()
    return ids


def _parse_ids(text: str) -> tuple[int, ...]:
    """`6.152` -> `(6, 152)`."""
    if not NUMBERS.fullmatch(text):
        raise UserError(f"`{shortened(text)}` are not numbers separated by dots.")
    return tuple(map(int, text.split(".")))


def _position(rows: Tensor) -> int:
    """The chosen position, from 0; by default that of highest entropy."""
    n = len(rows)
    given = STATE.now.at
    if given and not (given.isdecimal() and 1 <= int(given) <= n):
        pickers.notify(
            f"There is no position {shortened(given)} in this translation; it has {n} tokens."
        )
        STATE.remember(at="")
        given = ""
    position = int(given) - 1 if given else _least_certain(rows)
    st.session_state[POSITION] = position
    return position


def _least_certain(rows: Tensor) -> int:
    """The position of highest entropy, `</s>` aside."""
    return max(range(max(1, len(rows) - 1)), key=lambda index: distribution_entropy(rows[index]))


def _position_picker(tokens: Sequence[str]) -> int:
    """The same choice as in the strip, for keyboards."""
    return st.selectbox(
        "Position",
        range(len(tokens)),
        format_func=lambda index: f"{index + 1} · {tokens[index]}",
        key=POSITION,
        on_change=lambda: _choose_position(st.session_state[POSITION]),
        width=260,
    )


def _choose_position(index: int) -> None:
    STATE.remember(at=str(index + 1))


def _cost_of_forcing(found: Decoded, own: Decoded, n_forced: int) -> None:
    """The forced translation compared with the model's own."""
    ratio = times(probability_ratio(*sorted((found.log_prob, own.log_prob), reverse=True)))
    more = "less" if found.log_prob < own.log_prob else "more"
    comparison = "about as" if ratio == "about" else f"{ratio} {more}"
    tokens = "The first token is" if n_forced == 1 else f"The first {n_forced} tokens are"
    st.markdown(
        f"{tokens} forced, the rest is the model's. Log-probability {nats(found.log_prob)} nats, against"
        f" {nats(own.log_prob)} for its own translation: {comparison} probable."
    )
    st.html(
        f'<p dir="auto"><small>The model\'s own:</small> {html.escape(own.text) or "(nothing)"}</p>'
    )
    st.button(
        "Back to the model's own",
        key="unforce",
        icon=":material/undo:",
        on_click=partial(STATE.remember, forced=""),
    )


def _candidate_buttons(run: Run, ids: Sequence[int], row: Tensor) -> None:
    """Buttons that replace the last of these ids; `row` is the distribution there, (vocab,)."""
    st.markdown("**Write another token here** and let the model continue:")
    excluded = (ids[-1], run.recipe.model.ids.pad)
    best = row.topk(min(N_BUTTONS + len(excluded), len(row))).indices.tolist()
    candidates = [token for token in best if token not in excluded][:N_BUTTONS]
    with st.container(horizontal=True, gap="small"):
        for token in candidates:
            name = plain(run.tgt_tokenizer.tokens([token])[0])
            label = f"{name} · {fine_percent(float(row[token].exp()))}"
            st.button(label, key=f"write {token}", on_click=_force, args=((*ids[:-1], token),))
    st.caption(
        "The tokens before this position stay. Probabilities are the model's own, at temperature 1."
    )


def _force(ids: Sequence[int]) -> None:
    STATE.remember(forced=".".join(map(str, ids)), at=str(len(ids)))
