import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from s2s.ui.shell import Bundles, bundles
from s2s.ui.streamlit_parts import STATIC

INDEX = next(STATIC.glob("static/js/index.*.js"))
ADDRESS = f"/static/js/{INDEX.name}"


@pytest.fixture
def client() -> TestClient:
    """Of a server that answers "Streamlit" wherever it is asked."""
    own = Route(
        "/{path:path}", lambda _: PlainTextResponse("Streamlit"), methods=["GET", "HEAD", "POST"]
    )
    return TestClient(Starlette(routes=[own], middleware=[Middleware(Bundles)]))


def test_scripts_and_styles_are_compressed_and_kept_for_ever(client: TestClient) -> None:
    answer = client.get(ADDRESS, headers={"accept-encoding": "br, gzip"})
    assert answer.content == INDEX.read_bytes()  # as the client unpacks it
    assert answer.headers["content-encoding"] == "gzip"
    assert int(answer.headers["content-length"]) < INDEX.stat().st_size / 2
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-type"].startswith("text/javascript")


def test_below_a_base_path(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "base_path", lambda: "/lab")
    assert client.get(f"/lab{ADDRESS}").headers["content-encoding"] == "gzip"


@pytest.mark.parametrize(
    ("method", "address", "encoding"),
    [
        ("GET", ADDRESS, "identity"),
        ("HEAD", ADDRESS, "gzip"),
        ("POST", ADDRESS, "gzip"),
        ("GET", "/static/js/none.js", "gzip"),
        ("GET", "/static/js/../index.html", "gzip"),
        ("GET", "/static/media/x.woff2", "gzip"),
        ("GET", "/", "gzip"),
    ],
)
def test_everything_else_is_streamlits(
    client: TestClient, method: str, address: str, encoding: str
) -> None:
    answer = client.request(method, address, headers={"accept-encoding": encoding})
    assert answer.headers["content-type"].startswith("text/plain")


def test_a_class_that_comes_at_once_compresses_a_file_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compressed: list[int] = []

    def compress(content: bytes) -> bytes:
        time.sleep(0.02)
        compressed.append(len(content))
        return content

    monkeypatch.setattr(bundles.gzip, "compress", compress)
    bundles._kept.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(bundles._compressed, [INDEX] * 8))
    bundles._kept.cache_clear()
    assert len(compressed) == 1
