"""The next word: a target token by token, what else could stand at each place, and what comes of writing that instead."""

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
from s2s.ui.canvas.token_strip import Cell, Rival, strip
from s2s.ui.kit import cached, captions, pickers
from s2s.ui.kit.captions import nats
from s2s.ui.kit.text import plain, shortened
from s2s.ui.steps import request, truncation
from s2s.ui.steps.request import OWN, Asked
from s2s.ui.steps.teacher_forcing import many

AT = f"{OWN}at"
NUMBERS = re.compile(r"\d{1,9}(\.\d{1,9})*", re.ASCII)
# tokens that hover shows, tokens that one press writes
RIVALS = 5
OFFERS = 6


def show(asked: Asked) -> None:
    """The translation token by token; of one place the distribution, the filters, and other words to write there."""
    forced = _forced(asked)
    found = (
        cached.continuation(asked.run, asked.text, forced, asked.strategy, asked.settings)
        if forced
        else asked.found
    )
    target = found.hypotheses[0]
    rows = cached.next_tokens(asked.run, asked.text, target.ids[:-1])
    at = _place(asked.said.get("at", ""), rows)
    with st.container(border=True):
        captions.show_translation(found)
        cells = _cells(asked.run, target.ids, rows, len(forced))
        strip(
            cells,
            at,
            key="strip",
            on_pick=_look,
            on_rival=lambda place, token: _write((*target.ids[:place], token)),
        )
        st.caption(
            "Under each token: its probability, given the source and the tokens before it. Hover or tap one to see what else could stand"
            " there; press one of those to write it instead, and the model goes on from there."
        )
        if forced:
            _beside(found, asked.found, len(forced))
        at = _picker(target.tokens)
        _offers(asked.run, target.ids[: at + 1], rows[at])
    with st.container(border=True):
        truncation.show(asked.run, target.tokens, at, rows[at])


def _forced(asked: Asked) -> tuple[int, ...]:
    """The ids that the target has to begin with; none where there are none, or where they mean nothing here, which is said."""
    written = asked.said.get("forced", "")
    if not written:
        return ()
    try:
        ids = _read(written)
        cached.continuation(asked.run, asked.text, ids, asked.strategy, asked.settings)
    except UserError as wrong:
        pickers.notify(f"The forced words cannot be used: {wrong}")
        request.remember(forced="")
        return ()
    return ids


def _read(written: str) -> tuple[int, ...]:
    """`6.152` -> `(6, 152)`."""
    if not NUMBERS.fullmatch(written):
        raise UserError(f"`{shortened(written)}` are not numbers with dots between.")
    return tuple(map(int, written.split(".")))


def _place(said: str, rows: Tensor) -> int:
    """Where one looks, from 0; at the word of which the model is least certain, unless somebody chose."""
    n = len(rows)
    if said and not (said.isdecimal() and 1 <= int(said) <= n):
        pickers.notify(
            f"There is no place {shortened(said)} in this translation; it has {n} tokens."
        )
        request.remember(at="")
        said = ""
    st.session_state[AT] = (
        int(said) - 1
        if said
        else max(range(max(1, n - 1)), key=lambda place: distribution_entropy(rows[place]))
    )
    return int(st.session_state[AT])


def _picker(tokens: Sequence[str]) -> int:
    """The same choice as the strip's, for those who do not point."""
    return st.selectbox(
        "Place",
        range(len(tokens)),
        format_func=lambda place: f"{place + 1} · {tokens[place]}",
        key=AT,
        on_change=lambda: _look(st.session_state[AT]),
        width=260,
    )


def _look(place: int) -> None:
    request.remember(at=str(place + 1))


def _cells(run: Run, ids: Sequence[int], rows: Tensor, n_forced: int) -> list[Cell]:
    """Every token of the target with its rivals."""
    names = run.tgt_tokenizer.tokens
    best = rows.topk(min(RIVALS, rows.shape[1]))
    values = best.values.exp().tolist()
    tokens = best.indices.tolist()
    rivals = [
        list(map(Rival, row, names(row), shares))
        for row, shares in zip(tokens, values, strict=True)
    ]
    own = [float(rows[place, token].exp()) for place, token in enumerate(ids)]
    notes = ["forced" if place < n_forced else "" for place in range(len(ids))]
    return list(map(Cell, names(ids), own, rivals, notes))


def _beside(found: Decoded, own: Decoded, n_forced: int) -> None:
    """What forcing cost."""
    is_rarer = found.log_prob < own.log_prob
    factor = many(
        probability_ratio(max(found.log_prob, own.log_prob), min(found.log_prob, own.log_prob))
    )
    st.markdown(
        f"{'The first token is' if n_forced == 1 else f'The first {n_forced} tokens are'} forced, the rest is the model's."
        f" Log-probability {nats(found.log_prob)} nats, against {nats(own.log_prob)} of its own translation:"
        f" {factor} {'less' if is_rarer else 'more'} probable."
    )
    st.html(
        f'<p dir="auto"><small>The model\'s own:</small> {html.escape(own.text) or "(nothing)"}</p>'
    )
    st.button(
        "Back to the model's own",
        key="unforce",
        icon=":material/undo:",
        on_click=partial(request.remember, forced=""),
    )


def _offers(run: Run, ids: Sequence[int], row: Tensor) -> None:
    """Other tokens for the last of these ids, a press each."""
    st.markdown("**Write another word here** and let the model go on:")
    with st.container(horizontal=True, gap="small"):
        best = row.topk(min(OFFERS + 2, len(row))).indices.tolist()
        for token in [token for token in best if token not in (ids[-1], run.recipe.model.ids.pad)][
            :OFFERS
        ]:
            label = f"{plain(run.tgt_tokenizer.tokens([token])[0])} · {fine_percent(float(row[token].exp()))}"
            st.button(label, key=f"write {token}", on_click=_write, args=((*ids[:-1], token),))
    st.caption(
        "What stands before this place is kept as it is. Probabilities are the model's own, at temperature 1."
    )


def _write(ids: Sequence[int]) -> None:
    request.remember(forced=".".join(map(str, ids)), at=str(len(ids)))
