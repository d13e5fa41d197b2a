"""compose.yaml and the configuration of its proxy, against what the program and Streamlit know."""

import re
import tomllib
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from streamlit import config

from s2s import settings
from s2s.cli.parser import make_parser
from s2s.processes import worker
from tests.hosting import guide
from tests.hosting.dockerfile import ROOT, environment, only

COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
CADDYFILE = ROOT / "docs" / "Caddyfile"
PROXY = CADDYFILE.read_text()
MEGABYTE = 2**20
SECRET = re.compile(r"\$\{\w+:\?\}")  # from the environment, and refused where it is missing


def test_it_has_an_app_a_worker_a_database_and_a_proxy() -> None:
    assert set(SERVICES) == {"app", "worker", "database", "proxy"}
    published = [name for name, service in SERVICES.items() if "ports" in service]
    assert published == ["proxy"]
    assert SERVICES["app"]["image"] == SERVICES["worker"]["image"]


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_can_change_only_its_volumes_and_takes_only_its_share(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["restart"] == "unless-stopped"
    assert service["mem_limit"]
    assert service["pids_limit"]
    assert service["logging"]["options"]["max-size"]
    assert "privileged" not in service
    volumes = [volume.split(":") for volume in service["volumes"]]
    assert all(volume[0] in COMPOSE["volumes"] or volume[2] == "ro" for volume in volumes)
    assert all(volume[0].startswith("./") or volume[0] in COMPOSE["volumes"] for volume in volumes)


def test_the_program_writes_to_its_volume_and_to_memory() -> None:
    for name in ("app", "worker"):
        assert SERVICES[name]["volumes"] == [f"data:{only('VOLUME')}"]
        assert SERVICES[name]["tmpfs"] == [environment()["HOME"]]


def test_the_worker_is_elsewhere_and_its_command_exists() -> None:
    python, module, name, *arguments = SERVICES["worker"]["command"]
    assert (python, module, name) == ("python", "-m", "s2s")
    make_parser().parse_args(arguments)
    for name in ("app", "worker"):
        assert SERVICES[name]["environment"]["S2S_WORKER"] == "elsewhere"
        assert SERVICES[name]["environment"]["S2S_HOSTED"] == "1"


def test_a_stop_waits_until_trainings_have_saved_what_they_learned() -> None:
    (minutes,) = re.findall(r"(\d+)m$", SERVICES["worker"]["stop_grace_period"])
    assert int(minutes) * 60 > worker.GRACE + settings.lease_seconds() / 4
    assert f"{minutes} minutes" in guide.TEXT


def test_only_the_app_and_the_worker_reach_the_database() -> None:
    assert COMPOSE["networks"]["queue"] == {"internal": True}
    reached = {name for name, service in SERVICES.items() if "queue" in service["networks"]}
    assert reached == {"app", "worker", "database"}
    assert SERVICES["database"]["networks"] == ["queue"]
    assert SERVICES["database"]["user"] == "postgres"
    for name in ("app", "worker"):
        assert SERVICES[name]["depends_on"] == {"database": {"condition": "service_healthy"}}
        given = SERVICES[name]["environment"]["S2S_DATABASE_URL"]
        assert SECRET.sub("x", given) == "postgresql+psycopg://s2s:x@database/s2s"


def test_no_secret_is_written_down() -> None:
    for service in SERVICES.values():
        for name, value in service.get("environment", {}).items():
            if re.search("SECRET|KEY|PASSWORD", name) and value is not None:
                assert SECRET.fullmatch(value), name
    assert ".env" in (ROOT / ".gitignore").read_text().splitlines()


def test_streamlit_knows_every_option_that_is_set() -> None:
    known = {option.env_var for option in config._config_options_template.values()}
    given = {
        name
        for service in (*SERVICES.values(), {"environment": environment()})
        for name in service.get("environment", {})
        if name.startswith("STREAMLIT_")
    }
    assert given
    assert given <= known


def test_streamlit_answers_to_the_host_that_the_proxy_serves() -> None:
    app = SERVICES["app"]["environment"]
    domain = SERVICES["proxy"]["environment"]["DOMAIN"]
    assert app["STREAMLIT_SERVER_ALLOWED_HOSTS"] == domain
    assert app["STREAMLIT_BROWSER_SERVER_ADDRESS"] == domain
    assert f"app:{environment()['STREAMLIT_SERVER_PORT']}" in PROXY
    assert "{$DOMAIN} {" in PROXY


def test_the_app_refuses_an_upload_before_the_proxy_does() -> None:
    most = int(SERVICES["app"]["environment"]["STREAMLIT_SERVER_MAX_UPLOAD_SIZE"]) * MEGABYTE
    (allowed,) = re.findall(r"max_size (\d+)MB", PROXY)
    assert most + MEGABYTE < int(allowed) * 1_000_000 < 2 * most


def test_an_idle_session_outlives_the_app_s_pings() -> None:
    (minutes,) = re.findall(r"idle (\d+)m", PROXY)
    seconds = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["server"][
        "websocketPingInterval"
    ]
    assert seconds * 3 <= 60 <= int(minutes) * 60


def test_the_proxy_adds_what_only_it_knows_and_leaves_the_rest_to_the_app() -> None:
    assert re.search(r'^\t\tStrict-Transport-Security "max-age=31536000"$', PROXY, re.MULTILINE)
    assert not re.search(r"^\s*(Content-Security-Policy|X-Frame-Options)", PROXY, re.MULTILINE)


def test_no_documented_proxy_writes_down_requests() -> None:
    """An address may hold what a visitor typed; that of an upload, and a header, the id of a session."""
    assert re.search(r"log \{\s+exclude http\.log http\.handlers\s+\}", PROXY)
    assert PROXY.count("log {") == 1
    (nginx,) = re.findall(r"(?ms)^```nginx\n(.*?)^```", guide.TEXT)
    logs = re.findall(r"(access_log|error_log) (.+?);", nginx)
    assert dict(logs) == {"access_log": "off", "error_log": "/dev/null"}
