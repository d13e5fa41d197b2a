"""What a program sends that speaks the browser's protocol, and is no browser."""

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.state.session_state import SessionState

from s2s.ui.shell import operator


def test_nobody_becomes_the_operator_by_naming_what_the_session_remembers() -> None:
    """A message may hold values of widgets that no page has drawn, by any name."""
    sent = WidgetStates()
    for name in (operator.IDENTIFIED, f"$$ID-0-{operator.IDENTIFIED}"):
        widget = sent.widgets.add()
        widget.id = name
        widget.bool_value = True
    session = SessionState()
    for _ in range(3):
        session.on_script_will_rerun(sent)
        assert operator.IDENTIFIED not in session
        with pytest.raises(KeyError):
            session[operator.IDENTIFIED]
        session.on_script_finished(set())
        assert operator.IDENTIFIED not in session
    session[operator.IDENTIFIED] = True  # as the page does
    assert session[operator.IDENTIFIED]
