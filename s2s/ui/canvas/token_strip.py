"""A row of tokens to choose from: each with its probability, on hover its rivals. Knows nothing of models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import streamlit as st

from s2s.plots import fine_percent


class Rival(NamedTuple):
    """What could stand there, with its probability."""

    token: int
    text: str
    share: float


@dataclass(frozen=True)
class Cell:
    """One token: its probability, what else could stand there, and a word about it that is shown (`forced`), or none."""

    text: str
    share: float
    rivals: Sequence[Rival]
    note: str = ""


def strip(
    cells: Sequence[Cell],
    chosen: int,
    *,
    key: str,
    on_pick: Callable[[int], None],
    on_rival: Callable[[int, int], None],
) -> None:
    """The tokens side by side. A press on one calls `on_pick` with its place, from 0, one on a rival `on_rival` with place and token.

    Visitors' text travels as data only.
    """

    def picked() -> None:
        place = st.session_state[key].get("pick")
        if place in range(len(cells)):
            on_pick(place)

    def preferred() -> None:
        given = st.session_state[key].get("rival") or {}
        for place, cell in enumerate(cells):
            for rival in cell.rivals:
                if (place, rival.token) == (given.get("place"), given.get("token")):
                    on_rival(place, rival.token)

    data = {"chosen": chosen, "cells": [_told(place, cell) for place, cell in enumerate(cells)]}
    STRIP(key=key, data=data, on_pick_change=picked, on_rival_change=preferred)


def _told(place: int, cell: Cell) -> dict[str, object]:
    said = ", ".join([cell.text, fine_percent(cell.share), *([cell.note] if cell.note else [])])
    rivals = [[rival.token, rival.text, fine_percent(rival.share)] for rival in cell.rivals]
    return {
        "text": cell.text,
        "number": fine_percent(cell.share),
        "fill": f"{round(45 * cell.share)}%",
        "note": cell.note,
        "rivals": rivals,
        "label": f"Place {place + 1}: {said}",
    }


STRIP = st.components.v2.component(
    "token_strip",
    html="""<div class="strip" role="group" aria-label="The tokens, in order">
</div>""",
    css="""
.strip { display: flex; flex-wrap: wrap; gap: .35rem; padding: 2px; font-family: var(--st-font); color: var(--st-text-color); }
.strip > div { position: relative; }
button { font: inherit; color: inherit; cursor: pointer; border-radius: .45rem; }
.strip > div > button { display: inline-flex; flex-direction: column; align-items: center; padding: .25rem .55rem; min-height: 44px;
  border: 1px solid color-mix(in srgb, currentColor 25%, transparent); }
.strip > div > button:hover { border-color: currentColor; }
button:focus-visible { outline: 3px solid var(--st-primary-color); outline-offset: 1px; }
button[aria-pressed="true"] { box-shadow: inset 0 -4px 0 var(--st-primary-color); border-color: currentColor; }
button b { font-weight: 600; }
button small { font-size: .78rem; }
button[data-note]:not([data-note=""]) { border-style: dashed; border-width: 2px; }
.rivals { display: none; position: absolute; z-index: 9; top: 100%; left: 0; min-width: 9rem; margin: 0; padding: .4rem .6rem;
  list-style: none;
  font-size: .85rem; border-radius: .45rem; background: var(--st-background-color); border: 1px solid var(--st-border-color, gray);
  box-shadow: 0 4px 14px rgba(0, 0, 0, .25); }
.strip > div:is(:hover, :has(> button:focus-visible)) .rivals { display: block; }
.strip:hover > div:not(:hover) .rivals { display: none; }
.strip > div.right .rivals { left: auto; right: 0; }
.rivals button { display: flex; justify-content: space-between; gap: 1rem; white-space: nowrap; width: 100%; min-height: 28px;
  padding: 0 .3rem; border: 0; background: transparent; }
.rivals button:hover { background: color-mix(in srgb, currentColor 15%, transparent); }
""",
    js="""
const made = (tag, text, into) => {
  const element = document.createElement(tag);
  element.textContent = text;
  into.appendChild(element);
  return element;
};
export default function({ data, parentElement, setTriggerValue }) {
  const strip = parentElement.querySelector('.strip'), written = JSON.stringify(data.cells);
  strip.tell = setTriggerValue;
  if (strip.written !== written) write(strip, data.cells);  // else what is hovered or focused stays so
  strip.written = written;
  const buttons = strip.querySelectorAll(':scope > div > button');
  buttons.forEach((button, place) => button.setAttribute('aria-pressed', String(place === data.chosen)));
}
const write = (strip, cells) => {
  const held = [...strip.querySelectorAll(':scope > div > button')].indexOf(strip.getRootNode().activeElement);
  strip.replaceChildren();
  cells.forEach((cell, place) => {
    const box = made('div', '', strip), button = made('button', '', box);
    button.type = 'button';
    button.setAttribute('aria-label', cell.label);
    button.dataset.note = cell.note;
    button.style.background = `color-mix(in srgb, #0072B2 ${cell.fill}, transparent)`;
    made('bdi', '', made('b', '', button)).textContent = cell.text;
    made('small', cell.note ? `${cell.number} · ${cell.note}` : cell.number, button);
    const list = made('ol', '', box);
    list.className = 'rivals';
    list.setAttribute('aria-hidden', 'true');  // the page has these as buttons of its own
    for (const [token, text, number] of cell.rivals) {
      const rival = made('button', '', made('li', '', list));
      rival.type = 'button';
      rival.tabIndex = -1;
      made('bdi', text, rival);
      made('span', number, rival);
      rival.onclick = () => strip.tell('rival', { place, token });
    }
    const turn = () => box.classList.toggle('right', box.offsetLeft > strip.clientWidth / 2);
    box.onpointerenter = box.onfocusin = turn;
    button.onclick = () => strip.tell('pick', place);
    if (place === held) button.focus();
  });
};
""",
)
