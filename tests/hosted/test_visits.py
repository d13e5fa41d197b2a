"""The middleware alone, around a small app."""

import re

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit.web.server.starlette import starlette_routes

from s2s.hosted import keys, visits

MIDDLEWARE = Middleware(visits.Visits, without_secret=("/ready",))
BROWSER = {"accept": "text/html,*/*;q=0.8", "sec-fetch-dest": "document"}


async def document(request: Request) -> Response:
    return HTMLResponse("<p>app</p>", headers={"cache-control": "no-cache"})


async def script(request: Request) -> Response:
    return Response("1", media_type="text/javascript")


async def unchanged(request: Request) -> Response:
    return Response(status_code=304)


async def health(request: Request) -> Response:
    answer = Response("ok")
    starlette_routes._ensure_xsrf_cookie(request, answer)
    return answer


async def ready(request: Request) -> Response:
    return JSONResponse({"ready": False}, 503)


async def stream(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text("hello")
    await socket.close()


def client(base_url: str = "http://testserver") -> TestClient:
    routes = [
        Route("/", document, methods=["GET", "POST"]),
        Route("/script.js", script),
        Route("/unchanged", unchanged),
        Route("/health", health),
        Route("/ready", ready),
        WebSocketRoute("/stream", stream),
    ]
    return TestClient(Starlette(routes=routes, middleware=[MIDDLEWARE]), base_url)


def test_the_first_document_brings_a_key_and_the_next_ones_leave_it() -> None:
    visitor = client()
    first = visitor.get("/", headers=BROWSER)
    (header,) = first.headers.get_list("set-cookie")
    assert re.fullmatch(
        r"s2s_workspace=1[\w-]{43}\.[\w-]{43}; Max-Age=34560000; Path=/; HttpOnly; SameSite=Lax",
        header,
    )
    assert first.headers["cache-control"] == "no-store"
    assert keys.key_of(dict(visitor.cookies))
    again = visitor.get("/", headers=BROWSER)
    assert "set-cookie" not in again.headers
    assert again.headers["cache-control"] == "no-cache"


def test_two_visitors_have_two_workspaces() -> None:
    found = set()
    for _ in range(2):
        visitor = client()
        visitor.get("/", headers=BROWSER)
        key = keys.key_of(dict(visitor.cookies))
        assert key
        found.add(key.digest)
    assert len(found) == 2


@pytest.mark.parametrize(
    ("address", "headers"),
    [("https://testserver", {}), ("http://testserver", {"x-forwarded-proto": "https, http"})],
)
def test_by_https_the_cookie_is_bound_to_host_and_https(address: str, headers: dict) -> None:
    (header,) = client(address).get("/", headers=BROWSER | headers).headers.get_list("set-cookie")
    assert header.startswith("__Host-s2s_workspace=1")
    assert header.endswith("; Path=/; HttpOnly; SameSite=Lax; Secure")


def test_a_cached_page_of_a_browser_without_a_key_still_brings_one() -> None:
    assert "set-cookie" in client().get("/unchanged", headers=BROWSER).headers


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/script.js", BROWSER),
        ("/", {"accept": "*/*"}),
        ("/", BROWSER | {"sec-fetch-dest": "image"}),
        ("/", BROWSER | {"sec-fetch-dest": "iframe", "sec-fetch-site": "cross-site"}),
    ],
)
def test_what_is_no_visit_brings_no_key(path: str, headers: dict) -> None:
    assert "set-cookie" not in client().get(path, headers=headers).headers


def test_a_post_brings_no_key() -> None:
    assert "set-cookie" not in client().post("/", headers=BROWSER).headers


def made_up() -> str:
    return "1" + "A" * 43 + "." + "A" * 43


@pytest.mark.parametrize("value", ["tampered", "local", made_up()])
def test_a_key_of_somebody_elses_making_is_replaced_and_the_page_can_say_so_once(
    value: str,
) -> None:
    visitor = client()
    visitor.cookies.set(keys.COOKIE, value)
    new, notice = visitor.get("/", headers=BROWSER).headers.get_list("set-cookie")
    assert value not in new
    assert notice.startswith(f"{visits.REPLACED}=1; Max-Age=60; ")
    visitor.cookies.set(keys.COOKIE, new.partition("=")[2].partition(";")[0])
    visitor.cookies.set(visits.REPLACED, "1")
    (gone,) = visitor.get("/", headers=BROWSER).headers.get_list("set-cookie")
    assert gone.startswith(f"{visits.REPLACED}=; Max-Age=0; ")


def test_a_key_that_another_program_of_this_host_could_set_does_not_count_by_https() -> None:
    visitor = client("https://testserver")
    planted = keys.new_key()
    visitor.cookies.set(keys.COOKIE, planted.signed)
    new = visitor.get("/", headers=BROWSER).headers.get_list("set-cookie")[0]
    assert new.startswith(keys.SECURE_COOKIE)
    assert planted.secret not in new


@pytest.mark.parametrize("secret", ["", "too short"])
def test_without_a_secret_nothing_works_and_every_page_says_why(
    secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2S_SECRET", secret)
    for path in ("/", "/script.js", "/_stcore/health"):
        answer = client().get(path, headers=BROWSER)
        assert answer.status_code == 503
        assert "its operator must set `S2S_SECRET`" in answer.text
        assert "set-cookie" not in answer.headers
    assert client().get("/ready").json() == {"ready": False}
    with pytest.raises(WebSocketDisconnect), client().websocket_connect("/stream"):
        pass


def test_a_local_server_tells_browsers_apart_by_an_id_and_gives_no_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("S2S_HOSTED")
    monkeypatch.delenv("S2S_SECRET")
    found = []
    for _ in range(2):
        visitor = client()
        assert "set-cookie" not in visitor.get("/script.js", headers=BROWSER).headers
        visitor.get("/", headers=BROWSER)
        assert [*visitor.cookies] == [keys.BROWSER]
        found.append(keys.browser_of(dict(visitor.cookies)))
        assert "set-cookie" not in visitor.get("/", headers=BROWSER).headers
    assert all(found)
    assert found[0] != found[1]
    assert keys.browser_of({keys.BROWSER: "x" * 22 + "\n"}) == ""
    with client().websocket_connect("/stream") as socket:
        assert socket.receive_text() == "hello"


FRAMED = BROWSER | {"sec-fetch-dest": "iframe", "sec-fetch-site": "cross-site"}
IN_FRAME = r"Path=/; HttpOnly; SameSite=None; Secure; Partitioned"


@pytest.fixture
def sites(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server may stand in a frame of another site."""
    monkeypatch.setenv("S2S_FRAME_ANCESTORS", "'self' https://school.example")


def given(client: TestClient, headers: dict[str, str], path: str = "/") -> list[str]:
    """The cookies that an answer brings."""
    return client.get(path, headers=headers).headers.get_list("set-cookie")


@pytest.mark.usefixtures("sites")
@pytest.mark.parametrize("element", ["iframe", "frame", "embed", "object"])
@pytest.mark.parametrize(("scheme", "prefix"), [("https", "__Host-"), ("http", "")])
def test_a_frame_of_another_site_has_a_key_of_its_own(
    element: str, scheme: str, prefix: str
) -> None:
    headers = FRAMED | {"sec-fetch-dest": element}
    (cookie,) = given(client(f"{scheme}://testserver"), headers)
    key = r"1[\w-]{43}\.[\w-]{43}; Max-Age=34560000; "
    assert re.fullmatch(f"{prefix}s2s_framed={key}{IN_FRAME}", cookie)


@pytest.mark.parametrize("ancestors", ["", "'self'", "'none'"])
def test_where_no_other_site_may_frame_the_server_its_cookie_counts_for_nothing(
    ancestors: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2S_FRAME_ANCESTORS", ancestors)
    planted = {keys.FRAMED: keys.new_key().signed, keys.SECURE_FRAMED: keys.new_key().signed}
    assert keys.key_of(planted) is None
    visitor = client()
    visitor.cookies.update(planted)
    assert given(visitor, FRAMED) == []
    assert "SameSite=Lax" in given(visitor, {}, "/health")[0]


@pytest.mark.usefixtures("sites")
def test_a_key_in_a_frame_stays_and_one_of_somebody_elses_making_does_not() -> None:
    visitor = client()
    mine = keys.new_key().signed
    inside = FRAMED | {"sec-fetch-site": "same-origin"}  # a link of the page led there
    for headers in (FRAMED, inside):
        assert given(visitor, headers | {"cookie": f"{keys.FRAMED}={mine}"}) == []
    new, notice = given(visitor, FRAMED | {"cookie": f"{keys.FRAMED}={made_up()}"})
    assert new.startswith(f"{keys.FRAMED}=1")
    assert re.fullmatch(f"{visits.REPLACED}=1; Max-Age=60; {IN_FRAME}", notice)


@pytest.mark.usefixtures("sites")
def test_a_frame_that_only_the_browser_can_place_gets_both_keys_and_they_differ() -> None:
    own, framed = given(client(), FRAMED | {"sec-fetch-site": "same-origin"})
    assert own.startswith(f"{keys.COOKIE}=1")
    assert framed.startswith(f"{keys.FRAMED}=1")
    assert own.split("=")[1].split(";")[0] != framed.split("=")[1].split(";")[0]


@pytest.mark.usefixtures("sites")
def test_a_tab_has_its_own_key_where_a_browser_does_not_keep_frames_apart() -> None:
    headers = {"cookie": f"{keys.FRAMED}={keys.new_key().signed}"}
    (own,) = given(client(), BROWSER | headers)
    assert own.startswith(f"{keys.COOKIE}=1")
    assert own.endswith("; SameSite=Lax")


@pytest.mark.usefixtures("sites")
def test_streamlits_cookie_against_forged_uploads_is_kept_in_a_frame_and_as_before_in_a_tab() -> (
    None
):
    (framed,) = given(client(), {"cookie": f"{keys.FRAMED}={keys.new_key().signed}"}, "/health")
    assert re.fullmatch(
        r"_streamlit_xsrf=2\|[^;]+; Path=/; SameSite=None; Secure; Partitioned", framed
    )
    (tab,) = given(client(), {"cookie": f"{keys.COOKIE}={keys.new_key().signed}"}, "/health")
    assert re.fullmatch(r"_streamlit_xsrf=2\|[^;]+; Path=/; SameSite=Lax", tab)


def test_a_browser_can_ask_whether_a_server_without_its_secret_is_ready(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("S2S_SECRET", "")
    assert client().get("/ready", headers=BROWSER).status_code == 503
