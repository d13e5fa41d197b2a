"""What Streamlit says before the server has started is no news; what else it says is."""

import logging

import pytest

from s2s.ui import BEFORE_THE_SERVER


@pytest.mark.parametrize("name", BEFORE_THE_SERVER)
def test_a_start_is_quiet_and_everything_else_is_logged(name: str) -> None:
    logger = logging.getLogger(name)

    def is_logged(text: str) -> bool:
        return bool(logger.filter(logger.makeRecord(name, logging.WARNING, "", 0, text, (), None)))

    assert not is_logged(f"{BEFORE_THE_SERVER[name]}, said at the start")
    assert is_logged("Thread 'page 7': missing ScriptRunContext")
    assert is_logged("something new")
