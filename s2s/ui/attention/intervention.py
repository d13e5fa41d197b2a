"""Attention, changed by hand: the look at the source moved, heads switched off or made uniform, and what is written then."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

import streamlit as st

from s2s import plots
from s2s.analysis import INTERVENTIONS, KINDS, Attention, Head, reduced
from s2s.config import UserError
from s2s.runs.intervention import InterventionResult, Interventions, translate_with
from s2s.ui.attention import effect
from s2s.ui.attention.request import OWN, Asked, remember, value
from s2s.ui.kit import captions, forms, pickers, target
from s2s.ui.kit.charts import chart
from s2s.ui.kit.text import plain, shortened

AT = OWN + "at"
TO = OWN + "to"
AMONG = OWN + "among"
CHOSEN = "chosen"  # `among` of a link: only the page's layer and head are moved
NUMBERS = re.compile(r"\d{1,6}(\.\d{1,6})*", re.ASCII)
SWITCH = re.compile(rf"({'|'.join(KINDS)})\.(\d{{1,6}})\.(\d{{1,6}})=(\w+)", re.ASCII)


def show(asked: Asked) -> None:
    """What to change, what is changed, and what comes of it."""
    st.markdown(
        "**Move attention** – make the model look where you want while it writes one token, then let it go on by itself."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        place = _place(asked.seen.tgt_tokens)
        among = _among(asked)
    keys = _keys(asked.seen.src_tokens)
    heads = _heads(asked)
    change = Interventions(heads, place or 0, keys if place is not None else (), among)
    if not change:
        st.info(_invitation(place, keys), icon=":material/touch_app:")
        _example(asked.seen)
        return
    said, button = st.columns([4, 1], vertical_alignment="center")
    said.caption(f":material/build: In force: {effect.in_force(change, asked.seen)}.")
    reset = partial(remember, at="", to="", among="", switched="")
    button.button("Reset", key="reset change", icon=":material/undo:", on_click=reset)
    try:
        found = _steered(asked, change)
    except UserError as wrong:
        forms.show_error(wrong)
        return
    effect.show(asked, change, found)
    with st.expander("Where it looks under the change", icon=":material/grid_on:"):
        _picture(asked, found)


def _invitation(place: int | None, keys: Sequence[int]) -> str:
    if place is None and keys:
        return "Now choose the token during which the model is to look there."
    if place is not None:
        return "Now choose the source words that the model is to look at."
    return "Choose a token and the source words to look at, or switch heads off: the new translation appears here beside the old one."


def _example(seen: Attention) -> None:
    """A change to begin with: the second token looks where the last word looked."""
    looks = seen.cross[-1].mean(0).argmax(1)  # (tgt_len,)
    if len(looks) > 2 and looks[1] != looks[-2]:
        word, token = (
            f"*{plain(shortened(text))}*"
            for text in (seen.src_tokens[looks[-2]], seen.tgt_tokens[1])
        )
        label = f"For example, look at {word} while writing token 2 ({token})"
        st.button(
            label, key="example change", on_click=partial(remember, at="2", to=str(looks[-2] + 1))
        )


def _place(tokens: Sequence[str]) -> int | None:
    """Of which token the writing is changed; None before anybody chose."""
    said = value("at")
    if said and not (NUMBERS.fullmatch(said) and "." not in said and 1 <= int(said) <= len(tokens)):
        pickers.notify(
            f"There is no token {shortened(said)} in this translation; it has {len(tokens)}."
        )
        remember(at="")
        said = ""
    st.session_state[AT] = int(said) - 1 if said else None
    return st.selectbox(
        "While it writes",
        range(len(tokens)),
        index=None,
        format_func=lambda place: f"{place + 1} · {tokens[place]}",
        key=AT,
        placeholder="Choose a token",
        on_change=lambda: remember(
            at="" if st.session_state[AT] is None else str(st.session_state[AT] + 1)
        ),
        width=200,
    )


def _among(asked: Asked) -> tuple[Head, ...] | None:
    """Whose look is moved: everybody's, or that of the layer and head that the page shows."""
    if value("among") not in ("", CHOSEN):
        pickers.notify(
            f"Attention can be moved in all heads or in the chosen ones, not in {shortened(value('among'))}; all are moved."
        )
        remember(among="")
    kind, layer, head = asked.which
    if kind != "cross" or layer is None is head:
        return None
    where = " ".join(
        [
            *([] if layer is None else [f"layer {layer + 1}"]),
            *([] if head is None else [f"head {head + 1}"]),
        ]
    )
    names = {"": "All layers and heads", CHOSEN: f"Only {where}"}
    st.session_state[AMONG] = value("among")
    chosen = st.segmented_control(
        "In",
        list(names),
        format_func=names.__getitem__,
        key=AMONG,
        required=True,
        on_change=lambda: remember(among=st.session_state[AMONG] or ""),
        help="Layer and head are those chosen above the picture.",
    )
    n_layers, n_heads = asked.seen.cross.shape[:2]
    layers, heads = (
        range(n) if index is None else [index] for n, index in ((n_layers, layer), (n_heads, head))
    )
    return tuple(Head("cross", one, other) for one in layers for other in heads) if chosen else None


def _keys(tokens: Sequence[str]) -> tuple[int, ...]:
    """The source words to look at."""
    said = value("to")
    keys = [int(number) - 1 for number in said.split(".")] if NUMBERS.fullmatch(said) else []
    if said and not (keys and all(0 <= key < len(tokens) for key in keys)):
        pickers.notify(
            f"The link moves attention to {shortened(said)}; this source has the tokens 1 to {len(tokens)}."
        )
        remember(to="")
        keys = []
    st.session_state[TO] = sorted(set(keys))
    chosen = st.pills(
        "it looks only at",
        range(len(tokens)),
        format_func=lambda key: plain(f"{key + 1} · {tokens[key]}"),
        selection_mode="multi",
        key=TO,
        on_change=lambda: remember(
            to=".".join(str(key + 1) for key in sorted(st.session_state[TO]))
        ),
    )
    return tuple(sorted(chosen))


def _heads(asked: Asked) -> tuple[tuple[Head, str], ...]:
    """The heads that work otherwise, of all kinds; those of the page's kind can be chosen."""
    hows = _read(asked)
    kind = asked.which.kind
    own = {head: how for head, how in hows.items() if head.kind == kind}
    n_layers, n_heads = asked.view.weights.shape[:2]
    everyone = [Head(kind, layer, head) for layer in range(n_layers) for head in range(n_heads)]
    with st.expander("Switch heads off", expanded=bool(hows), icon=":material/toggle_off:"):
        st.caption(
            f"Heads of {captions.KIND_NAMES[kind]}. "
            + " ".join(f"**{row.label}**: {row.about}" for row in INTERVENTIONS.values())
        )
        for how, row in INTERVENTIONS.items():
            st.session_state[OWN + how] = [head for head in everyone if own.get(head) == how]
            st.multiselect(
                row.label,
                [head for head in everyone if own.get(head, how) == how],
                format_func=lambda head: f"layer {head.layer + 1} head {head.head + 1}",
                key=OWN + how,
                placeholder="Choose heads",
                on_change=_switch,
                args=(kind, hows),
            )
    return tuple(sorted(hows.items()))


def _switch(kind: str, before: dict[Head, str]) -> None:
    others = {head: how for head, how in before.items() if head.kind != kind}
    remember(
        switched=_written(
            others | {head: how for how in INTERVENTIONS for head in st.session_state[OWN + how]}
        )
    )


def _written(hows: dict[Head, str]) -> str:
    """`cross.1.3=off cross.2.1=uniform`, from 1."""
    return " ".join(
        f"{head.kind}.{head.layer + 1}.{head.head + 1}={how}" for head, how in sorted(hows.items())
    )


def _read(asked: Asked) -> dict[Head, str]:
    """What the link or the widgets say; what this model doesn't have is said and left out."""
    found: dict[Head, str] = {}
    for part in value("switched").split():
        match = SWITCH.fullmatch(part)
        head = Head(match[1], int(match[2]) - 1, int(match[3]) - 1) if match else None
        if head and match and match[4] in INTERVENTIONS and _is_there(asked, head):
            found[head] = match[4]
        else:
            pickers.notify(
                f"No head can be changed by {shortened(part)} in this model; it is left as it is."
            )
    if value("switched") != _written(found):
        remember(switched=_written(found))
    return found


def _is_there(asked: Asked, head: Head) -> bool:
    n_layers, n_heads = asked.seen.view(head.kind).weights.shape[:2]
    return head.layer in range(n_layers) and head.head in range(n_heads)


def _steered(asked: Asked, change: Interventions) -> InterventionResult:
    """Shared between visitors. Raises UserError where the change or the strategy cannot be."""
    strategy = value("strategy") or target.DEFAULT_STRATEGY
    folder = str(asked.run.folder.path)
    return _made(
        folder, asked.run.step, (asked.text, asked.target, strategy, repr(change)), asked, change
    )


@st.cache_resource(max_entries=64, show_spinner=False)
def _made(
    folder: str, step: int, wanted: tuple[str, str, str, str], _asked: Asked, _change: Interventions
) -> InterventionResult:
    return translate_with(_asked.run, _asked.text, _asked.target, _change, wanted[2])


def _picture(asked: Asked, found: InterventionResult) -> None:
    """The page's heatmap, of the same target, under the change."""
    picture = reduced(found.seen, asked.which)
    title = captions.heatmap_title(asked.run, asked.which.kind, f"{picture.name} · changed")
    figure = plots.heatmap(
        picture.weights, picture.keys, picture.rows, title=title, verb=picture.verb
    )
    chart(
        figure,
        alt=f"Heatmap of {title.replace(chr(10), ', ')}",
        file_name=captions.file_name(title),
    )
    st.caption(
        "The same target as in the heatmap of this page, forced, so that rows can be compared; a head that is off has empty rows."
    )
    captions.download_button(picture, title)
