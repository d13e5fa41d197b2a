"""Every private part of Streamlit that the screens use: whatever its documentation does not promise.

Any version may change them, so pyproject.toml allows none but the one with which they were checked. The test of this
module looks for each of them, and nothing else in s2s imports anything of Streamlit but `import streamlit as st`.

What no Python imports is private, too; the test reads it where it stands:

- `data-testid`, `data-test-script-state` and classes `st…` of the document, in shell/style.css, shell/lesson_panel.py
  and canvas/*.js: to style and find parts of widgets, where the public `st-key-…` names containers only;
- addresses `/_stcore/stream`, `/_stcore/upload_file/` and `/media/`, in shell/measured.py and shell/guard.py: Streamlit
  calls nobody when a session opens or a file is sent or fetched;
- the header `sec-websocket-protocol`, in shell/sessions.py: it names the session that a browser resumes;
- cookies `_streamlit_xsrf` and `_streamlit_user`, in s2s/hosted: no option sets them for a frame, and outside a run
  of a page there is no `st.user`;
- the hidden options `runner.postScriptGC` and `logger.enableRich`, in .streamlit/config.toml: nothing public does it.
"""

from pathlib import Path

# Its own files: the document, in which a page's title stands before its script runs, and its font.
import streamlit

# The server: whose a download is, what a browser has uploaded, whether a tab is still open. `st.download_button` and
# `st.file_uploader` serve whoever knows the address.
from streamlit import runtime

# What `st.container` and others return; no public name is its type.
from streamlit.delta_generator import DeltaGenerator

# What the browser asks and is told, which a hosted server reads first: no option refuses `clear_cache` or another's
# session.
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates

# Every run of a page, which is timed: `st.App` tells of errors only.
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner

# The run that is going on: its session, its visitor (`st.user` looks for secrets each time), whether Back was pressed
# and with which address (`st.query_params` does not say).
from streamlit.runtime.scriptrunner_utils.script_run_context import get_script_run_ctx

# The values of widgets that a browser sends, before a page reads them: a widget checks no more than its type.
from streamlit.runtime.state.common import WidgetMetadata, unpack_widget_state_value
from streamlit.runtime.state.session_state import Serialized, SessionState

# The hash by which a run names its page; `st.Page` has the address only.
from streamlit.runtime.uploaded_file_manager import UploadedFile
from streamlit.util import calc_hash

STATIC = Path(streamlit.__file__).parent / "static"
CHECKED = "1.67"  # the version; another one is allowed once the tests hold with it
# Imported before the first visitor; publicly, the first chart does it.
CHARTS = "streamlit.elements.plotly_chart"
# What Streamlit says where its cache is used before the server has started, as warming up does: nothing is wrong then.
# By the logger that says it; publicly, `logger.level` silences all.
BEFORE_THE_SERVER = {
    "streamlit.runtime.caching.cache_data_api": "No runtime found",
    "streamlit.runtime.scriptrunner_utils.script_run_context": "Thread 'MainThread': missing ScriptRunContext",
}
