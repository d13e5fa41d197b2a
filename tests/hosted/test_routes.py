"""The page of a recovery link, in front of the middleware."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from s2s.hosted import ROUTES, Visits, keys, rows
from tests.hosted import acting
from tests.storing import store_run

HOST = "http://testserver"
OURS = {"origin": HOST, "sec-fetch-site": "same-origin"}
BROWSER = {"accept": "text/html", "sec-fetch-dest": "document"}


def client(address: str = HOST) -> TestClient:
    app = Starlette(routes=[*ROUTES], middleware=[Middleware(Visits)])
    return TestClient(app, address, follow_redirects=False)


def workspace(visitor: TestClient) -> str:
    key = keys.key_of(dict(visitor.cookies))
    return rows.workspace_of(key) if key else ""


def test_a_link_is_opened_by_the_button_alone() -> None:
    token = acting.make_link("ann")
    visitor = client()
    for _ in range(2):
        asked = visitor.get("/recover", headers=BROWSER)
        assert "Open this workspace here?" in asked.text
    assert visitor.head("/recover").status_code == 200
    assert workspace(visitor) != "ann"
    done = visitor.post("/recover", data={"token": token}, headers=OURS)
    assert (done.status_code, done.headers["location"]) == (303, "./")
    assert workspace(visitor) == "ann"
    assert token not in done.text + str(done.headers)


def test_the_question_says_what_stays_behind() -> None:
    visitor = client()
    assert "is not moved" not in visitor.get("/recover", headers=BROWSER).text
    store_run("r1", workspace(visitor))
    text = visitor.get("/recover", headers=BROWSER).text
    assert "Its present workspace has 1 run: they are not moved" in text


def test_wrong_old_and_used_links_say_the_same() -> None:
    used = acting.make_link("ann")
    rows.open_link(used)
    said = set()
    for token in ("", "x", used, acting.make_link("ann", now=0.0), "y" * 2000):
        answer = client().post("/recover", data={"token": token}, headers=OURS)
        assert answer.status_code == 400
        assert "set-cookie" not in answer.headers
        said.add(answer.text)
    (sentence,) = said
    assert "opens nothing" in sentence


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://evil.example"},
        {"origin": HOST, "sec-fetch-site": "cross-site"},
        {"origin": "null"},
    ],
)
def test_another_site_cannot_press_the_button(headers: dict[str, str]) -> None:
    token = acting.make_link("ann")
    visitor = client()
    answer = visitor.post("/recover", data={"token": token}, headers=headers)
    assert answer.status_code == 403
    assert workspace(visitor) == ""
    assert rows.open_link(token)  # still there


def test_the_page_cannot_be_framed_and_is_not_kept() -> None:
    headers = client().get("/recover", headers=BROWSER).headers
    assert headers["x-frame-options"] == "DENY"
    assert headers["cache-control"] == "no-store"


def test_a_computer_whose_workspace_was_deleted_gets_a_new_one_with_the_next_page() -> None:
    visitor = client()
    visitor.post("/recover", data={"token": acting.make_link("ann")}, headers=OURS)
    assert workspace(visitor) == "ann"
    rows.delete("ann")
    assert workspace(visitor) == ""
    visitor.get("/recover", headers=BROWSER)
    assert workspace(visitor) not in ("", "ann")


def test_while_the_database_is_away_a_key_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    visitor = client()
    visitor.post("/recover", data={"token": acting.make_link("ann")}, headers=OURS)
    rows._linked.cache_clear()
    token = acting.make_link("ann")
    with monkeypatch.context() as patch:
        patch.setenv("S2S_DATABASE_URL", "postgresql+psycopg://@/none?host=/nowhere")
        answer = visitor.get("/recover", headers=BROWSER)
        assert "set-cookie" not in answer.headers
        assert visitor.post("/recover", data={"token": token}, headers=OURS).status_code == 503
    assert workspace(visitor) == "ann"


def test_a_local_server_has_no_recovery(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("S2S_HOSTED")
    assert client().get("/recover", headers=BROWSER).status_code == 404
