import io
import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from s2s.processes import logs

ROOT = Path(__file__).parents[2]
SECRET = "what a visitor typed"
HOSTILE = """
import logging, sys, threading, traceback, warnings
from streamlit.error_util import handle_uncaught_app_exception
from streamlit.logger import get_logger
from s2s.processes import logs
logs.set_up()
secret = "what a visitor typed"
logging.getLogger("uvicorn.error").error("%s", secret)
get_logger("streamlit.later").warning(f"said {secret}")
logging.getLogger("some.library").error("wrong %d", secret)
warnings.warn(secret)
try:
    try:
        {secret: 1}[secret + "!"]
    except KeyError as error:
        raise ValueError(secret) from error
except ValueError as error:
    logs.write_error("script_error", error, workspace="0a1b")
    handle_uncaught_app_exception(error)
    traceback.print_exc()
thread = threading.Thread(target=lambda: int(secret))
thread.start()
thread.join()
logs.write("slow_run", page="train", seconds=1.5)
raise RuntimeError(secret)
"""


@pytest.mark.system
def test_every_line_of_a_hosted_log_is_json_without_a_visitors_text() -> None:
    environment = {**os.environ, "S2S_HOSTED": "1"}
    done = subprocess.run(
        [sys.executable, "-c", HOSTILE],
        capture_output=True,
        text=True,
        env=environment,
        cwd=ROOT,  # with the settings of the app; rich, where it is installed, is not used
        check=False,
    )
    assert SECRET not in done.stderr + done.stdout
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert all({"time", "level", "event", "where"} <= line.keys() for line in lines)
    (error,) = (line for line in lines if line["event"] == "script_error")
    assert (error["exception"], error["workspace"]) == (["ValueError", "KeyError"], "0a1b")
    assert [line["event"] for line in lines].count("uncaught_exception") == 2
    assert {line["where"].partition(":")[0] for line in lines} >= {
        "uvicorn.error",
        "streamlit.later",
        "streamlit.error_util",
        "some.library",
        "py.warnings",
        "s2s.<string>",
    }
    (slow,) = (line for line in lines if line["event"] == "slow_run")
    assert (slow["page"], slow["seconds"], slow["level"]) == ("train", 1.5, "info")


def test_frames_name_files_of_the_program_without_the_place_where_it_is_installed() -> None:
    try:
        json.loads("{")
    except ValueError as error:
        found = logs.described(error)
    assert found["exception"] == ["JSONDecodeError"]
    assert found["frames"][0].startswith("tests/processes/test_logs.py:")
    assert found["frames"][-1].endswith("raw_decode")
    assert not any(frame.startswith("/") for frame in found["frames"])


def test_locally_logs_are_as_they_were() -> None:
    before = logging.Handler.format
    logs.set_up()
    assert logging.Handler.format is before
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.emit(logging.LogRecord("x", logging.ERROR, "p", 1, "said %s", ("this",), None))
    assert stream.getvalue() == "said this\n"
