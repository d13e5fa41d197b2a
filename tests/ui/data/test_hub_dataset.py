"""The panel of the hub: from a name to a spec, with a guess to correct and a sentence for each refusal."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from s2s import hub
from s2s.data import hub_datasets, load, splits
from s2s.data.formats.columns import Column
from s2s.data.repository import choice
from s2s.ui.data import hub_dataset
from s2s.ui.kit.text import JOINER
from tests.hub.standin import Fault, Hub, Repo, commit

ROWS = b"".join(
    json.dumps({"id": n, "en": f"*red* {n}", "fr": f":rouge: {n}", "a,b": "x"}).encode() + b"\n"
    for n in range(30)
)
TEAM = Repo({"train.jsonl": ROWS, "dev.jsonl": ROWS, "test.jsonl": ROWS})
LANGUAGES = Repo({"de-en/train.jsonl": ROWS, "fr-en/train.jsonl": ROWS, "fr-en/test.jsonl": ROWS})


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    repos = {
        "team/pairs": TEAM,
        "team/languages": LANGUAGES,
        "team/private": Repo(TEAM.files, private=True),
        "team/failing": Repo(TEAM.files, fault=Fault(status=503, times=1)),
        "team/numbers": Repo({"train.jsonl": b'{"a": 1, "b": 2}\n'}),
        "team/text": Repo({"train.txt": b"one\ntwo\n"}),
        "Helsinki-NLP/opus_books": Repo({"de-en/train.jsonl": ROWS, "ca-de/train.jsonl": ROWS}),
    }
    with Hub(repos) as standin:
        monkeypatch.setenv("HF_ENDPOINT", standin.url)
        monkeypatch.setattr(
            "s2s.ui.data.hub_dataset.sample_hub_dataset", hub_datasets.sample
        )  # in this process: quicker
        yield standin


def panel() -> None:
    """What the script of the test screen is."""
    import streamlit as st

    from s2s.ui.data import hub_dataset

    asked = hub_dataset.choose()
    st.session_state["asked"] = asked


def typed(name: str, token: str = "") -> AppTest:
    screen = AppTest.from_function(panel, default_timeout=20).run()
    if token:
        screen.text_input(key="hub token").set_value(token)
    return screen.text_input(key="hub name").set_value(name).run()


def spec(screen: AppTest) -> str:
    assert not screen.exception
    asked = screen.session_state["asked"]
    return str(asked.spec) if asked else ""


def page_text(screen: AppTest) -> str:
    texts = [
        element.value
        for kind in (screen.caption, screen.error, screen.markdown)
        for element in kind
    ]
    return " ".join(texts).replace("\\", "").replace(JOINER, "").replace("`", "")


def test_an_empty_panel_asks_for_a_name_and_nobody_else(served: Hub) -> None:
    assert spec(typed("")) == ""
    assert served.log == []


def test_a_name_becomes_a_spec_that_loads(served: Hub) -> None:
    screen = typed(f"{served.url}/datasets/team/pairs")
    pinned = commit(TEAM.files)
    assert spec(screen) == f"hub:team/pairs#src=en,tgt=fr,rows=20000,sample=0,revision={pinned}"
    assert len(served.log) == 2, "one request for the list, one for the sample"
    screen.number_input(key="hub rows").set_value(7).run()
    assert len(served.log) == 2, "what was answered is remembered"
    drawn = load(spec(screen))
    assert len(drawn) == 7
    assert "7 of 30 rows, drawn at random with seed 0." in drawn.notes
    screen.segmented_control(key="hub which rows").set_value("first").run()
    assert "sample" not in spec(screen)
    assert [pair.src for pair in load(spec(screen)).pairs] == [f"*red* {n}" for n in range(7)]
    assert splits(spec(screen)) == ("train", "valid", "test")
    assert "columns named after languages" in page_text(screen)
    shown = screen.dataframe[0].value
    assert list(shown.columns) == ["en", "fr", "a,b"]
    assert len(shown) == 5
    assert screen.session_state["asked"].name == "team/pairs"


def test_columns_can_be_corrected(served: Hub) -> None:
    screen = typed("team/pairs")
    screen.selectbox(key="hub Source column team/pairs default").set_value("3").run()
    assert ",src=a,b" not in spec(screen)
    assert "#src=4,tgt=fr" in spec(screen)
    assert load(spec(screen)).pairs[0].src == "x"
    assert "Chosen by you" in page_text(screen)


def test_configuration_and_split_are_offered(served: Hub) -> None:
    screen = typed("team/languages")
    assert spec(screen).startswith("hub:team/languages:de-en#split=train,")
    screen.selectbox(key="hub config team/languages").set_value("fr-en").run()
    screen.selectbox(key="hub split team/languages fr-en").set_value("test").run()
    assert spec(screen).startswith("hub:team/languages:fr-en#split=test,src=fr,tgt=en")
    assert len(load(spec(screen))) == 30


def test_the_gallery_fills_the_name_and_says_what_it_is(served: Hub) -> None:
    screen = typed("")
    screen.selectbox(key="hub known").set_value("Helsinki-NLP/opus_books").run()
    assert screen.text_input(key="hub name").value == "Helsinki-NLP/opus_books"
    assert "Public-domain books" in page_text(screen)
    assert "license: unknown" in page_text(screen)
    assert spec(screen).startswith("hub:Helsinki-NLP/opus_books:de-en#"), (
        "the configuration that the gallery knows"
    )


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("/etc/passwd", "write it as owner/name"),
        ("team/nowhere", "There is no dataset team/nowhere"),
        ("team/private", "or it is private"),
        ("team/numbers", "has no text column here, only a (numbers), b (numbers)"),
    ],
)
def test_what_is_wrong_is_said(served: Hub, name: str, sentence: str) -> None:
    screen = typed(name)
    assert spec(screen) == ""
    assert sentence in page_text(screen)


def test_a_failed_hub_request_is_repeated_on_request(served: Hub) -> None:
    screen = typed("team/failing")
    assert "Hub failed (503)" in page_text(screen)
    screen.run()
    assert len(served.log) == 1, "not with every click"
    screen.button(key="hub again").click().run()
    assert spec(screen).startswith("hub:team/failing#")


def test_a_token_opens_a_private_dataset_and_is_shown_nowhere(served: Hub) -> None:
    screen = typed("team/private", "hf_granted")
    assert spec(screen).startswith("hub:team/private#")
    asked = screen.session_state["asked"]
    assert asked.token == "hf_granted"
    assert "hf_granted" not in repr(asked) + spec(screen) + page_text(screen)
    with hub.using(asked.token):
        assert len(load(asked.spec)) == 30


def test_plain_text_is_the_same_column_twice(served: Hub) -> None:
    screen = typed("team/text")
    assert "src=text,tgt=text" in spec(screen)
    assert "plain text" in page_text(screen)
    assert load(spec(screen)).is_plain


def test_columns_that_are_called_by_numbers_stay_those() -> None:
    columns = [Column("0", "text"), Column("1", "text"), Column("a,b", "text")]
    options = [hub_dataset._option(columns, at) for at in range(3)]
    assert options == ["0", "1", "3"]
    assert [choice._column_index("x", columns, each) for each in options] == [0, 1, 2]
