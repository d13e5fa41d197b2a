"""A page's view state, declared once: kept in the session, in the link's `set`, and in the widgets.

    @dataclass(frozen=True)
    class StatesView:
        view: str = field("map", one_of("map", "lens"))
        word: str = field("", scope="sentence")
        last_word: str = field("", link="to")  # its name in links

    STATE = ViewState("states", StatesView)

`STATE.from_url()` reads a link that has just been opened, `STATE.now` holds the values, `STATE.remember` changes them,
`STATE.belongs_to("sentence", run, text)` drops what meant something in another sentence only, and `STATE.choice`,
`STATE.choices`, `STATE.number`, `STATE.text` and `STATE.toggle` draw widgets whose values are part of the state.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

import streamlit as st

from s2s.links import share
from s2s.questions import Question, options
from s2s.ui.kit import address, pickers

View = TypeVar("View")
Asked = TypeVar("Asked", bound=Question[Any])
Value = str | int | bool
Check = Callable[[Any], bool]
# Without "Select all", the first option of the list: Enter, pressed once, would choose everything.
ONE_BY_ONE = partial(st.multiselect, select_all=False)
PAGE = "page"  # the scope of what outlives a change of run and sentence


def field(
    default: Value,
    check: Check | None = None,
    *,
    scope: str = PAGE,
    link: str = "",
    is_alone: bool = False,
    is_part: bool = False,
) -> Any:
    """Declares one value of a view. `link` is its name in links where that differs from the field's own. While a field
    that `is_alone` has a value, links say nothing else but how it is shown: the fields that are `is_part` of it.

    What arrives and fails `check`, or is no value of the default's type, gives way to the default; the page says so.
    """
    metadata = {
        "check": check or (lambda value: True),
        "scope": scope,
        "link": link,
        "is_alone": is_alone,
        "is_part": is_part,
    }
    return dataclasses.field(default=default, metadata=metadata)


def one_of(*options: Value) -> Check:
    """A check whether a value is one of these."""
    return options.__contains__


def between(low: int, high: int) -> Check:
    """A check whether a number is in this range, both ends included."""
    return lambda number: low <= number <= high


class Declared(NamedTuple):
    """The declaration of one field."""

    name: str
    default: Value
    check: Check
    scope: str
    link: str  # its name in links
    is_alone: bool  # links with it say nothing else but its parts
    is_part: bool


class ViewState(Generic[View]):
    """The state of one page: the fields that `declaration`, a frozen dataclass made of `field`s, declares, and those of
    its `questions` that links have in `set`.
    """

    def __init__(self, page: str, declaration: type[View], *questions: type[Question[Any]]) -> None:
        self.page = page
        self.declaration = declaration
        self._own = dataclasses.fields(declaration)  # type: ignore[arg-type]
        asked = [row for each in questions for row in each.declared() if row.metadata["in_set"]]
        self._rows = {row.name: row for row in (*self._own, *asked)}
        for row in (*self._own, *asked):
            if row.default != self._rows[row.name].default:
                raise ValueError(
                    f"`{row.name}` of `{page}` has two defaults: {row.default!r} and"
                    f" {self._rows[row.name].default!r}; call one of the fields otherwise"
                )
        self.fields = {name: _declared(row) for name, row in self._rows.items()}

    @property
    def now(self) -> View:
        """The values that the page declares itself, defaults included."""
        changed = self._changed()
        own = {row.name: changed[row.name] for row in self._own if row.name in changed}
        return self.declaration(**own)

    def value(self, name: str) -> Any:
        """The value of any field, by name."""
        return self._changed().get(name, self._field(name).default)

    def shown(self, name: str) -> Any:
        return st.session_state.get(self.key(name), self.value(name))

    def question(self, asked: type[Asked], /, **given: Any) -> Asked:
        """The page's question, from its widgets; `given` are its subjects and the fields outside `set`."""
        names = {row.name for row in asked.declared() if row.metadata["in_set"]}
        kept = {name: value for name, value in self._changed().items() if name in names}
        return asked(**(kept | given))

    def label(self, name: str) -> str:
        """The label that a question gives its field."""
        return str(self._rows[name].metadata["label"])

    def draw(self, name: str, given: Mapping[str, str] | None = None, **look: Any) -> Any:
        """Draw the widget of a question's field; `given` are its choices where the page decides them."""
        said = self._rows[name].metadata
        look = {"help": said["help"] or None} | look
        if choices := given or (said["choices"] and options(said["choices"])):
            return self.choice(name, said["label"], choices, **look)
        if isinstance(self._field(name).default, bool):
            return self.toggle(name, said["label"], **look)
        if isinstance(self._field(name).default, int):
            return self.number(name, said["label"], **look)
        return self.text(name, said["label"], **look)

    def key(self, name: str) -> str:
        """The key of the widget that shows a field."""
        return f"{self.page} {self._field(name).name}"

    def from_url(self) -> dict[str, str] | None:
        """Take over what a new link says, if there is one. Returns what it says beyond the declared fields; None for no
        new link.

        Widgets are filled from it when they are next drawn.
        """
        given = address.read("set")
        if given is None:
            return None
        said = share.unpack(given)
        values = {name: text for name, text in said.items() if name not in address.LANGUAGES}
        read = {
            name: self._read(row, values.pop(row.link, "")) for name, row in self.fields.items()
        }
        self._keep(read)
        for name, row in self.fields.items():
            st.session_state.pop(self.key(name), None)
            st.session_state.pop(self._mark(row.scope), None)
        return values

    def remember(self, **values: Value) -> None:
        """Change values, in the session and in the link. Callbacks may call it, too.

        The widget that shows a field writes its value here; a value changed from elsewhere reaches the widget by
        `show`. Raises ValueError for a field that the page does not declare.
        """
        for name in values:
            self._field(name)
        self._keep(self._changed() | values)
        self.write_to_url()

    def show(self, **values: Value) -> None:
        """Set values that widgets show when they are next drawn: for buttons and callbacks."""
        self.remember(**values)
        for name in values:
            st.session_state.pop(self.key(name), None)

    def write_to_url(
        self, more: Mapping[str, str] | None = None, default: Mapping[str, str] | None = None
    ) -> None:
        """Write the state into the address.

        `more` travels with the state (a strategy's settings, say), and is `default` in a bare link.
        """
        if more is not None:
            st.session_state[f"{self.page} more"] = (dict(more), dict(default or {}))
        more, default = st.session_state.get(f"{self.page} more", ({}, {}))
        changed = self._changed()
        if any(self.fields[name].is_alone for name in changed):
            address.write("set", share.pack(self._alone(changed)))
            return
        offered = self._offered()
        rows = {name: row for name, row in self.fields.items() if not row.is_part}
        usual = {row.link: _text(row.default) for row in rows.values()}
        usual |= {
            row.link: offered[name]
            for name, row in rows.items()
            if name in offered and name in changed
        }
        now = {row.link: _text(changed[name]) for name, row in rows.items() if name in changed}
        address.write("set", _packed(more, usual | now), _packed(default, usual))

    def _alone(self, changed: Mapping[str, Value]) -> dict[str, str]:
        offered = self._offered()
        return {
            row.link: _text(changed[name])
            for name, row in self.fields.items()
            if name in changed
            and (row.is_alone or (row.is_part and _text(changed[name]) != offered.get(name)))
        }

    def belongs_to(self, scope: str, *owner: object) -> None:
        """Reset the fields of a scope when what they belong to (run, checkpoint, sentence ...) is another than before.

        A shorter `owner` leaves the rest as it was: a view without a second sentence does not forget it.
        """
        mark = self._mark(scope)
        before = st.session_state.get(mark, owner)
        if any(old != new for old, new in zip(before, owner, strict=False)):
            names = [name for name, row in self.fields.items() if row.scope == scope]
            self.show(**{name: self.fields[name].default for name in names})
        st.session_state[mark] = (*owner, *before[len(owner) :])

    def choice(
        self,
        name: str,
        label: str,
        options: Mapping[str, str],
        *,
        default: str = "",
        widget: Callable[..., Any] = st.selectbox,
        way: pickers.Way | None = None,
        **look: Any,
    ) -> str:
        """Draw a widget for one of some values and their labels; `default` stands in for the declared one, in links
        too.

        A value that is not there (any more) gives way to the default, and the page says so, with a `way` if there is
        one.
        """
        key = self.key(name)
        usual = default or str(self._field(name).default)
        current = str(st.session_state.setdefault(key, str(self.value(name) or usual)))
        if current not in options:
            self._say(label, current, options[usual], way)
            st.session_state[key] = usual
        look |= {"format_func": options.__getitem__, "key": key, "persist_state": "session"}
        chosen = str(widget(label, list(options), **look) or usual)
        self._offered()[name] = usual
        self.remember(**{name: type(self._field(name).default)(chosen)})
        return chosen

    def choices(
        self,
        name: str,
        label: str,
        options: Mapping[str, str],
        *,
        default: str = "",
        widget: Callable[..., Any] = ONE_BY_ONE,
        **look: Any,
    ) -> list[str]:
        """Draw a widget for any number of some values; the state holds them with spaces between, and is empty for
        `default`.

        A value that is not there (any more) is left out, and the page says so.
        """
        key = self.key(name)
        current = st.session_state.setdefault(key, (self.value(name) or default).split())
        if lost := [value for value in current if value not in options]:
            pickers.notify(f"{label}: there is no {lost[0][:40]} here (any more); it is left out.")
            left = [value for value in current if value in options]
            st.session_state[key] = left or default.split()
        look |= {"format_func": options.__getitem__, "key": key, "persist_state": "session"}
        chosen = list(widget(label, list(options), **look))
        packed = " ".join(chosen)
        self.remember(**{name: "" if packed == default else packed})
        return chosen

    def segments(self, name: str, label: str, options: Mapping[str, str], **look: Any) -> str:
        """Draw a `choice` as buttons side by side; returns the chosen value."""
        return self.choice(name, label, options, widget=st.segmented_control, required=True, **look)

    def number(
        self,
        name: str,
        label: str,
        low: int,
        high: int,
        *,
        widget: Callable[..., Any] = st.number_input,
        **look: Any,
    ) -> int:
        """Draw a widget for a whole number in a range; what a link says outside of it gives way to the default, and the
        page says so.
        """
        key = self.key(name)
        current = int(st.session_state.setdefault(key, self.value(name)))
        if not low <= current <= high:
            usual = min(max(low, int(self._field(name).default)), high)
            self._say(label, str(current), f"{usual}, between {low} and {high},")
            st.session_state[key] = usual
        elif st.session_state.get(f"{key} range", (low, high)) != (low, high):
            st.session_state[key] = current  # with another range it is another widget
        st.session_state[f"{key} range"] = (low, high)
        chosen = int(widget(label, low, high, key=key, persist_state="session", **look))
        self.remember(**{name: chosen})
        return chosen

    def slider(self, name: str, label: str, low: int, high: int, **look: Any) -> int:
        """Draw a `number` as a slider; returns the whole number."""
        return self.number(name, label, low, high, widget=st.slider, **look)

    def text(self, name: str, label: str, *, default: str = "", **look: Any) -> str:
        """Draw a line of text; returns it, unchecked."""
        key = self.key(name)
        st.session_state.setdefault(key, self.value(name) or default)
        typed = str(st.text_input(label, key=key, persist_state="session", **look) or "")
        self.remember(**{name: typed})
        return typed

    def toggle(self, name: str, label: str, **look: Any) -> bool:
        """Draw a switch; returns whether it is on."""
        key = self.key(name)
        st.session_state.setdefault(key, self.value(name))
        is_on = bool(st.toggle(label, key=key, persist_state="session", **look))
        self.remember(**{name: is_on})
        return is_on

    def _field(self, name: str) -> Declared:
        if name not in self.fields:
            raise ValueError(
                f"the page `{self.page}` declares no `{name}`; add it to {self.declaration.__name__}"
            )
        return self.fields[name]

    def _changed(self) -> dict[str, Value]:
        changed: dict[str, Value] = st.session_state.get(f"{self.page} state", {})
        return changed

    def _offered(self) -> dict[str, str]:
        offered: dict[str, str] = st.session_state.setdefault(f"{self.page} defaults", {})
        return offered

    def _keep(self, values: Mapping[str, Value]) -> None:
        changed = {
            name: value for name, value in values.items() if value != self.fields[name].default
        }
        st.session_state[f"{self.page} state"] = changed

    def _read(self, row: Declared, text: str) -> Value:
        value = _value(text, type(row.default))
        if value is not None and row.check(value):
            return value
        if text:
            self._say(row.link, text, str(row.default or "the default"))
        return row.default

    def _mark(self, scope: str) -> str:
        return f"{self.page} {scope} of"

    def _say(self, label: str, given: str, shown: str, way: pickers.Way | None = None) -> None:
        pickers.notify(f"{label}: there is no {given[:40]} here; {shown} is shown instead.", way)


def _declared(row: dataclasses.Field[Any]) -> Declared:
    default: Any = row.default
    link = row.metadata["link"] or row.name
    metadata = row.metadata
    return Declared(
        row.name,
        default,
        metadata["check"],
        metadata["scope"],
        link,
        metadata["is_alone"],
        metadata["is_part"],
    )


def _text(value: Value) -> str:
    return ("1" if value else "") if isinstance(value, bool) else str(value)


def _value(text: str, kind: type) -> Value | None:
    if not text:
        return None
    if kind is bool:
        return text == "1" or None
    if kind is int:
        return int(text) if text.isdecimal() and len(text) < 10 else None
    return text


def _packed(more: Mapping[str, str], values: Mapping[str, str]) -> str:
    return share.pack({**more, **{name: text for name, text in values.items() if text}})
