"""The rows of Compare: how many there are, their texts in session and address, and how to add, copy and remove one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import streamlit as st

from s2s.config import UserError
from s2s.decode import STRATEGIES
from s2s.demo import BEAM_DIFFERS
from s2s.links.share import Column
from s2s.questions import MOST_ROWS, source_as_it_is
from s2s.runs import Run, RunKey
from s2s.runs.decoder import DecodeRequest, request_seconds
from s2s.runs.properties import PropertySettings, findings
from s2s.ui.compare import row
from s2s.ui.compare.view_state import STATE
from s2s.ui.kit import RunVocabulary, address, cached, vocabulary

KEYS = tuple(f"c{number}" for number in range(1, MOST_ROWS + 1))
COUNT = "rows of compare"
LAST_RUN = "run of the rows"  # the page's run when the rows were last drawn
ALONE = "One row"
OPENING = "Greedy, beam and top-p"
FULL = f"At most {MOST_ROWS} rows."
# What "Add a row" offers first, one setting each; then the other strategies.
KINDS: Mapping[str, tuple[str, Mapping[str, str]]] = MappingProxyType(
    {
        "greedy": ("greedy", {}),
        "beam": ("beam", {}),
        "top-p 0.9": ("sample", {"top_p": "0.9"}),
        "top-k 5": ("sample", {"top_k": "5"}),
        "temperature 0.7": ("sample", {"temperature": "0.7"}),
    }
)
CANDIDATES = 12  # sentences beside the examples, among which one with a difference is looked for
BATCH = 4
HEAVY = 0.5  # estimated seconds of a batch, from which on nothing is looked for


def read_from_url(run_id: str) -> Sequence[str]:
    """Take over what a new address says; returns the keys of the rows to show. Where the menu leads here for the first
    time, they are those of the first comparison, of a sentence that shows a difference.
    """
    linked = {key: address.read(key) for key in KEYS}
    if any(text is not None for text in linked.values()):
        _take_over(linked, run_id)
    elif LAST_RUN not in st.session_state and address.is_bare():
        start(OPENING, run_id)
        _show_a_difference(run_id)
    elif (before := st.session_state.get(LAST_RUN)) not in (None, run_id):
        _keep(
            [
                row.of_run(text, run_id) if _is_of(text, key, before) else text
                for key, text in texts().items()
            ]
        )
    st.session_state[LAST_RUN] = run_id
    if KEYS[0] not in st.session_state:
        _keep([row.default(run_id)])
    return shown()


def _is_of(text: str, key: str, run_id: str) -> bool:
    return key == row.FIRST_KEY or Column.read(text).run == run_id


def shown() -> Sequence[str]:
    """The keys of the current rows."""
    return KEYS[: st.session_state.get(COUNT, 1)]


def texts() -> dict[str, str]:
    """The rows as in the address, by key."""
    return {key: str(st.session_state[key]) for key in shown()}


def _keep(found: Sequence[str]) -> None:
    for key, text in zip(KEYS, found, strict=False):
        st.session_state[key] = text
    st.session_state[COUNT] = len(found)


def change(key: str, text: str) -> None:
    """Give a row another text when the page is next drawn."""
    st.session_state[key] = text


def _take_over(linked: Mapping[str, str | None], run_id: str) -> None:
    found: list[str] = []
    for key, text in linked.items():
        kept = str(st.session_state.get(key, "")) if key in st.query_params else ""
        given = kept if text is None else text
        if given or key == row.FIRST_KEY:
            is_known = text is None and bool(given) and key == KEYS[len(found)]
            found.append(given if is_known else row.from_link(given, KEYS[len(found)], run_id))
    _keep(found)


def _show_a_difference(run_id: str) -> None:
    try:
        run = cached.open_run(run_id)
    except UserError:
        return
    known = vocabulary.of(run)
    if st.session_state.get("src", "") not in ("", *known.examples):
        return
    if sentence := _differing(run.key, run, known):
        st.session_state["src"] = sentence


@cached.shared(max_entries=8, show_spinner=False)
def _differing(key: RunKey, _run: Run, _known: RunVocabulary) -> str:
    own = BEAM_DIFFERS.get(source_as_it_is(_run))
    sentences = (*([own] if own else _known.examples), *_known.sentences[:CANDIDATES])
    settings = PropertySettings()
    for first in range(0, len(sentences), BATCH):
        batch = sentences[first : first + BATCH]
        folder, step, languages = key
        request = DecodeRequest("decoded", folder, step, batch, "beam", languages=languages)
        if request_seconds(_run, request) > HEAVY:
            return ""
        judged = findings(_run, "strategies_differ", batch, settings)
        if differing := [one for one, found in zip(batch, judged, strict=True) if found.holds]:
            return str(differing[0])
    return ""


def write_to_url(run_id: str) -> None:
    """Write every row to the address, as one entry of the browser's history; a default first row is left out, unless
    the address would have neither a row nor a sentence.
    """
    written = texts()
    is_needed = len(written) == 1 and "src" not in st.query_params
    values = dict.fromkeys(KEYS, "") | written
    defaults = dict.fromkeys(KEYS, "")
    if not is_needed:
        defaults[row.FIRST_KEY] = row.default(run_id)
    changed: dict[str, str | list[str]] = {}
    for key, value in values.items():
        in_url = "" if value == defaults[key] else value
        if in_url != st.query_params.get(key, ""):
            changed[key] = in_url or []
    if changed:
        st.query_params.update(changed)
    for key, value in values.items():
        address.write(key, value, defaults[key])


def kinds() -> list[str]:
    """The kinds of rows that can be added."""
    simple = {strategy for strategy, _ in KINDS.values()}
    return [*KINDS, *(name for name in STRATEGIES if name not in simple)]


def add(kind: str) -> None:
    """Add a row: the last row's run and checkpoint, decoded as `kind` says."""
    strategy, settings = KINDS.get(kind, (kind, {}))
    last = Column.read(texts()[shown()[-1]])
    _append(row.from_link(str(Column(last.run, last.step, strategy, settings)), KEYS[1], last.run))


def clone(key: str) -> None:
    """Add a copy of this row at the end, and open it."""
    _append(texts()[key])
    STATE.show(row=str(len(shown())))


def _append(text: str) -> None:
    if len(shown()) < len(KEYS):
        _keep([*texts().values(), text])


def remove(key: str) -> None:
    """Remove this row; the rows after it move up. The first row's run is the page's."""
    left = [text for other, text in texts().items() if other != key]
    if not left or key not in shown():
        return
    _keep(left)
    if key == row.FIRST_KEY:
        st.session_state["run"] = Column.read(left[0]).run
    # The others keep their runs, whichever run the page has now.
    st.session_state[LAST_RUN] = st.session_state["run"]
    position = KEYS.index(key)
    against = str(STATE.value("against"))
    if against.isdecimal() and int(against) > position:
        moved = int(against) - 1
        STATE.remember(against=str(moved) if moved > position else "")
    STATE.show(row="")


def draw_again() -> None:
    """Use other random numbers in every row that samples."""
    for key, text in texts().items():
        if is_drawn(text):
            seed = row.read(text).settings.get("seed", 1)
            change(key, row.with_settings(text, seed=seed + 1))


def is_drawn(text: str) -> bool:
    """Whether a row depends on random numbers."""
    return "temperature" in Column.read(text).settings


def start(name: str, run_id: str) -> None:
    """Start a ready-made comparison, by its name, in place of the rows."""
    found = STARTS[name](run_id)
    _keep([row.from_link(str(one), key, run_id) for key, one in zip(KEYS, found, strict=False)])
    STATE.show(against="", row="")


def starts(run_id: str) -> list[str]:
    """The ready-made comparisons that this run has enough checkpoints for."""
    return [name for name, make in STARTS.items() if name != ALONE and len(make(run_id)) > 1]


def _kinds(*names: str) -> Callable[[str], list[Column]]:
    return lambda run_id: [Column(run_id, "", *KINDS.get(name, (name, {}))) for name in names]


def _checkpoints(run_id: str) -> list[Column]:
    run = cached.open_run(run_id)
    first = min(run.folder.steps_by_choice())
    return [Column(run_id, str(step)) for step in dict.fromkeys((run.step, first))]


def _first(run_id: str) -> list[Column]:
    return [Column.read(st.session_state[row.FIRST_KEY])]


STARTS: Mapping[str, Callable[[str], list[Column]]] = MappingProxyType(
    {
        ALONE: _first,
        OPENING: _kinds("greedy", "beam", "top-p 0.9"),
        "Five strategies": _kinds("greedy", "beam", "diverse_beam", "sample", "mbr"),
        "Best and first checkpoint": _checkpoints,
    }
)
