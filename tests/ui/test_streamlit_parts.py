"""What s2s uses of Streamlit's inside is there, was checked with this version, and stands in one module."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest
import streamlit as st
import yaml  # type: ignore[import-untyped]
from packaging.specifiers import SpecifierSet
from packaging.version import Version
from streamlit import config
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.session_manager import SessionClient
from streamlit.runtime.state.query_params import QueryParams
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.web.server.starlette import starlette_routes, starlette_server_config

from s2s.hosted import routes, visits
from s2s.ui import streamlit_parts
from s2s.ui.shell import measured, sessions

ROOT = Path(__file__).parents[2]
OURS = ROOT / "s2s" / "ui" / "streamlit_parts.py"
PUBLIC_MODULES = {"column_config", "components"}  # of `st`
# By where it is looked for, which attributes s2s reads or patches.
ATTRIBUTES = {
    streamlit_parts.runtime: ("exists", "get_instance"),
    streamlit_parts.runtime.Runtime: (
        "get_client",
        "is_active_session",
        "media_file_mgr",
        "uploaded_file_mgr",
    ),
    SessionClient: ("client_context",),
    streamlit_parts.ScriptRunner: ("_run_script",),
    streamlit_parts.SessionState: ("on_script_will_rerun", "register_widget"),
    SafeSessionState: ("get_widget_states", "query_params"),
    QueryParams: ("set_corrected_value", "set_initial_query_params"),
}
FIELDS = {
    ScriptRunContext: (
        "is_history_navigation",
        "query_string",
        "session_id",
        "session_state",
        "user_info",
    ),
    streamlit_parts.SessionState: ("_new_widget_state",),
    streamlit_parts.RerunData: ("fragment_id", "fragment_id_queue", "page_script_hash"),
}


def test_the_installed_version_is_the_one_that_was_checked() -> None:
    given = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (line,) = (one for one in given["optional-dependencies"]["app"] if one.startswith("streamlit"))
    major, minor = map(int, streamlit_parts.CHECKED.split("."))
    checked = SpecifierSet(f">={major}.{minor},<{major}.{minor + 1}")
    assert SpecifierSet(line.removeprefix("streamlit")) == checked
    assert Version(metadata.version("streamlit")) in checked


@pytest.mark.parametrize("owner", ATTRIBUTES)
def test_attributes_are_there(owner: object) -> None:
    assert {name for name in ATTRIBUTES[owner] if not hasattr(owner, name)} == set()


@pytest.mark.parametrize("owner", FIELDS)
def test_fields_are_there(owner: type) -> None:
    assert set(FIELDS[owner]) <= {field.name for field in fields(owner)}


def test_attributes_of_managers_are_there() -> None:
    files = MediaFileManager(MemoryMediaFileStorage("/media"))
    used = {"add_deferred", "execute_deferred", "_deferred_callables", "_lock"}
    assert used | {"_files_by_session_and_coord"} <= set(dir(files))
    assert "file_storage" in dir(MemoryUploadedFileManager("/"))


def test_what_a_browser_asks_is_known() -> None:
    asked = streamlit_parts.BackMsg.DESCRIPTOR.oneofs_by_name["type"].fields
    names = {field.name for field in asked}
    assert names >= sessions.REQUESTS
    assert "clear_cache" in names - sessions.REQUESTS


def test_modules_that_are_named_by_text_are_there() -> None:
    for name, said in streamlit_parts.BEFORE_THE_SERVER.items():
        spec = find_spec(name)
        assert spec is not None
        assert said.partition(":")[2].strip() in Path(str(spec.origin)).read_text()
    assert find_spec(streamlit_parts.CHARTS)


def _python() -> Iterator[Path]:
    yield from (ROOT / "s2s").rglob("*.py")
    yield from (ROOT / "pages").rglob("*.py")
    yield ROOT / "streamlit_app.py"


IMPORTED = re.compile(r"^ *(?:from|import) (streamlit\b.*)", re.MULTILINE)
NAMED = re.compile(r"(?<![\w.])st\.([A-Za-z_]\w*)")
IN_TEXT = re.compile(r"[\"'](streamlit\.[a-z]\w*)")  # a module by its name


def _private(text: str) -> set[str]:
    """What a file takes from inside Streamlit."""
    inside = {f"st.{name}" for name in NAMED.findall(text) if _is_inside(name)}
    imported = {*IMPORTED.findall(text)} - {"streamlit as st"}
    return imported | inside | {*IN_TEXT.findall(text)}


@cache
def _is_inside(name: str) -> bool:
    is_module = isinstance(getattr(st, name, None), ModuleType)
    return name.startswith("_") or (is_module and name not in PUBLIC_MODULES)


def test_private_parts_are_found() -> None:
    private = (
        ("import streamlit.web.cli", "streamlit.web.cli"),
        ("if x:\n    from streamlit import config", "streamlit import config"),
        ("import streamlit as st, os", "streamlit as st, os"),
        ("x = st.runtime.exists()", "st.runtime"),
        ("st._main.write()", "st._main"),
        ("find('streamlit.elements.x')", "streamlit.elements"),
    )
    for written, found in private:
        assert _private(written) == {found}
    assert not _private(
        "import streamlit as st\nst.column_config.Column(st.button('x'), best.runtime)"
    )


def test_they_are_imported_in_one_module() -> None:
    found = {path: _private(path.read_text()) for path in _python() if path != OURS}
    assert {path: parts for path, parts in found.items() if parts} == {}


def test_each_is_used() -> None:
    helpers = {"CHECKED", "Path", "streamlit"}
    own = {name for name in vars(streamlit_parts) if not name.startswith("_")} - helpers
    taken = re.compile(r"from s2s\.ui\.streamlit_parts import (\([^)]*\)|.*)")
    lines = {names for path in _python() for names in taken.findall(path.read_text())}
    found = {name for names in lines for name in re.findall(r"\w+", names)}
    assert own == found


def _size(path: Path) -> int:
    return path.stat().st_size


@cache
def _texts() -> list[str]:
    files = [path for kind in ("py", "js", "css") for path in (ROOT / "s2s").rglob(f"*.{kind}")]
    return [path.read_text() for path in files]


def _written(pattern: str) -> set[str]:
    """What s2s writes in its styles, scripts and modules."""
    return {name for text in _texts() for name in re.findall(pattern, text)}


def test_parts_of_the_document_are_there() -> None:
    kinds = re.findall(r"'(st[A-Z]\w+)'", (ROOT / "s2s/ui/canvas/terms.js").read_text())
    ids = _written(r"data-testid\^?=\"([\w-]+)\"") | set(kinds)
    classes = _written(r"(?m)^\W*\.(st[A-Z]\w+)|[ (]\.(st[A-Z]\w+)")
    names = ids | {one for pair in classes for one in pair if one} | {"data-test-script-state"}
    assert {"stLinkButton", "InputInstructions", "stIconMaterial", "stMarkdownBadge"} <= names
    for path in sorted(streamlit_parts.STATIC.rglob("*.js"), key=_size, reverse=True):
        text = path.read_text() if names else ""
        names = {name for name in names if name not in text}
    assert names == set()


def test_addresses_cookies_and_files_are_there() -> None:
    given = starlette_routes
    assert _written(r"_stcore/\w+") == {"_stcore/stream", given.BASE_ROUTE_UPLOAD_FILE}
    assert f"/{given.BASE_ROUTE_UPLOAD_FILE}/" == measured.UPLOADS
    assert f"{given.BASE_ROUTE_CORE}/stream" == measured.STREAM.lstrip("/")
    assert given.BASE_ROUTE_MEDIA == "media"
    assert visits.UPLOADS == starlette_server_config.XSRF_COOKIE_NAME
    assert routes.SIGNED_IN == starlette_server_config.USER_COOKIE_NAME
    assert "<title>" in (streamlit_parts.STATIC / "index.html").read_text()


def test_options_are_there_and_the_hidden_ones_are_named() -> None:
    given = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    rows = [
        (f"{section}.{name}", given[section][name]) for section in given for name in given[section]
    ]
    known = config.get_config_options()
    for name in (name for name, value in rows if not isinstance(value, dict)):
        is_named = f"`{name}`" in str(streamlit_parts.__doc__)
        assert is_named == (known[name].visibility == "hidden"), name


def test_newer_versions_are_tried_where_that_may_fail() -> None:
    (job,) = yaml.safe_load((ROOT / ".github/workflows/newest.yml").read_text())["jobs"].values()
    commands = [step["run"] for step in job["steps"] if "run" in step]
    assert job["continue-on-error"] is True
    assert commands.index("pip install --upgrade streamlit torch") < len(commands) - 1
    assert f"::{test_the_installed_version_is_the_one_that_was_checked.__name__}" in commands[-1]
    assert "--upgrade" not in (ROOT / ".ci" / "run").read_text()
