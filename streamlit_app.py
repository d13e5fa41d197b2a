"""The dashboard: `streamlit run streamlit_app.py`."""

import runpy
import sys

from s2s.versions import unsupported

if sentence := unsupported():  # what is imported below may not exist there
    print(sentence, file=sys.stderr)
    sys.exit(2)

import streamlit as st
from starlette.middleware import Middleware

from s2s.hosted import Visits
from s2s.library import sharing
from s2s.processes import logs, queue
from s2s.ui.shell import (
    FRAME,
    Bundles,
    Guard,
    Measured,
    identify,
    note_script_error,
    ready_paths,
    routes,
    warm_up,
)
from s2s.ui.streamlit_parts import get_script_run_ctx

identify()
if get_script_run_ctx() is None:
    logs.set_up()
    if sentence := queue.why_not_here() or sharing.why_not_loaded():
        print(sentence, file=sys.stderr)
        sys.exit(2)
    app = st.App(
        FRAME,
        lifespan=warm_up,
        routes=routes(),
        middleware=[
            Middleware(Measured),
            Middleware(Guard),
            Middleware(Bundles),
            Middleware(Visits, without_secret=ready_paths()),
        ],
        on_script_error=note_script_error,
    )
else:  # a test runs this file as a script
    runpy.run_path(str(FRAME), run_name="__main__")
