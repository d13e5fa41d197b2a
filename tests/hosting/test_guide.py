"""docs/hosting.md says what is so."""

import dataclasses
import re

import pytest

from s2s import settings
from tests.hosting import guide
from tests.hosting.dockerfile import ROOT, environment
from tests.hosting.test_compose import SERVICES

SOURCES = [
    ROOT / "streamlit_app.py",
    *(ROOT / "s2s").rglob("*.py"),
    *(ROOT / "pages").rglob("*.py"),
]


def read() -> set[str]:
    """Every variable that the program reads; `S2S_MAX_` and a limit's name are put together in settings."""
    found = {
        name
        for path in SOURCES
        for name in re.findall(r"S2S_[A-Z][A-Z0-9_]*[A-Z0-9]", path.read_text())
    }
    limits = {f"S2S_MAX_{field.name.upper()}" for field in dataclasses.fields(settings.Limits)}
    return (found | limits) - {"S2S_MAX"}


def test_the_table_has_each_variable_that_the_program_reads() -> None:
    written = guide.variables()
    assert len(written) == len(set(written))
    missing = sorted(read() - set(written))
    assert not missing, f"add a row to the table of docs/hosting.md for {missing}"
    stale = sorted(set(written) - read())
    assert not stale, f"the program does not read {stale}: remove their rows from docs/hosting.md"


def test_every_variable_that_is_set_for_a_container_is_in_the_table() -> None:
    services = [service.get("environment", {}) for service in SERVICES.values()]
    given = {name for names in (*services, environment()) for name in names if name[:4] == "S2S_"}
    assert given <= set(guide.variables())


def test_compose_hands_on_each_variable_of_the_table() -> None:
    fixed = {"S2S_HOME", "S2S_DEBUG", "S2S_TEST_DATA"}  # the image's, and those of developers
    of_app = {"S2S_SECRET", "S2S_OPERATOR_KEY", "S2S_OPERATOR_CLAIM"}
    for name, others in (("app", fixed), ("worker", fixed | of_app)):
        given = set(SERVICES[name]["environment"])
        missing = set(guide.variables()) - given - others
        assert not missing, f"hand on {sorted(missing)} in x-environment of compose.yaml"
    assert not of_app & set(SERVICES["worker"]["environment"])


def test_the_limits_in_the_table_are_those_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    local = settings.limits()
    monkeypatch.setenv("S2S_HOSTED", "1")
    public = settings.limits()
    for name in (field.name for field in dataclasses.fields(settings.Limits)):
        row = " | ".join(shown(getattr(limits, name)) for limits in (public, local))
        assert f"| `S2S_MAX_{name.upper()}` | {row} |" in guide.TEXT


def shown(limit: int | None) -> str:
    return "none" if limit is None else f"{limit:,}"


def test_the_file_of_secrets_has_what_compose_asks_for() -> None:
    (start, *_) = guide.commands("In containers")
    given = set(re.findall(r"(?m)^([A-Z0-9_]+)=", start))
    compose = (ROOT / "compose.yaml").read_text()
    assert given == set(re.findall(r"\$\{(\w+)", compose))
    assert start.startswith("touch .env && chmod 600 .env\n")


def test_what_the_guide_names_is_there() -> None:
    for path in re.findall(r"`((?:docs/)?[\w.]+\.(?:yaml|py|txt)|docs/\w+)`", guide.TEXT):
        if path != "packages.txt":  # of which the guide says that there is none
            assert (ROOT / path).is_file(), path
    assert not (ROOT / "packages.txt").exists()
