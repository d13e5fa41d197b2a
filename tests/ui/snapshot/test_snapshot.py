"""A page as one file: what was drawn, in order, and nothing in it that runs but our script."""

import re
from html import escape
from html.parser import HTMLParser

import pandas as pd
import pytest
from streamlit.proto.Block_pb2 import Block
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from s2s.config import UserError
from s2s.reports import charts, pictures
from s2s.ui.kit.pictures import SHOWN
from s2s.ui.snapshot import button, file
from s2s.ui.snapshot.elements import to_html
from s2s.ui.snapshot.record import KEY, Node, PageRecord, key_of, values_of
from tests.screen import link, opened
from tests.ui.snapshot.tree import NASTY, chart, element, folded, nasty_page, table


class Tags(HTMLParser):
    """The elements of a page, with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_markup_in_tokens_is_text() -> None:
    html = file.snapshot(NASTY, nasty_page(), {"src": NASTY}, link=f"http://a/?b={NASTY}")
    tags = Tags(html).found
    scripts = [attributes.get("type") for tag, attributes in tags if tag == "script"]
    assert scripts == ["application/json", "application/octet-stream", None]
    assert not {tag for tag, _ in tags} & {"img", "iframe", "form", "object", "embed", "base"}
    assert not [name for _, attributes in tags for name in attributes if name.startswith("on")]
    assert "document.title=&#x27;ran&#x27;" in html
    policy = next(each["content"] for tag, each in tags if tag == "meta" and "http-equiv" in each)
    assert policy
    assert "script-src 'sha256-" in policy
    assert "unsafe-inline'; img" in policy  # of styles alone
    assert policy.count("unsafe") == 1


def test_a_page_keeps_its_order_controls_and_folds() -> None:
    nodes = [
        element("text_input", id="$$ID-0-src", label="Source"),
        element("slider", id="$$ID-0-beams", label="Beams"),
        folded("More", element("text", body="inside")),
        Node(
            block=Block(popover=Block.Popover(label="Share")),
            children=[element("text", body="hidden")],
        ),
        element("text", body="last"),
    ]
    html = to_html(nodes, {"$$ID-0-src": "the red house", "$$ID-0-beams": 5})
    words = re.sub("<.*?>", " ", html).split()
    assert words == ["Source", "the", "red", "house", "Beams", "5", "More", "inside", "last"]


def test_tables_keep_their_formats() -> None:
    frame = pd.DataFrame(
        {"token": ["le"], "p": [92.0249], "n": [1086976], "id": [7], "none": [None]}
    )
    config = {
        "_index": {"hidden": True},
        "p": {"type_config": {"format": "%.2f %%"}, "label": "probability"},
        "id": {"hidden": True},
    }
    html = to_html([table(frame, config)], {})
    assert re.findall('<th scope="col">(.*?)</th>', html) == ["token", "probability", "n", "none"]
    assert re.findall("<bdi>(.*?)</bdi>", html) == ["le", "92.02 %", "1,086,976", ""]


def test_a_long_table_says_what_is_left_out() -> None:
    html = to_html([table(pd.DataFrame({"a": range(600)}), {})], {})
    assert html.count("<tr>") == 501
    assert "100 more rows are not in this file." in html


def test_without_figures_there_is_no_library() -> None:
    html = file.snapshot("a", [element("text", body="b")], {})
    assert len(html) < 50_000
    assert "script-src 'none'" in html


def test_a_page_that_is_too_large_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(file.snapshot("a", [chart("b")], {}).encode()) < 2_500_000
    monkeypatch.setattr(charts, "MOST_BYTES", 1_000_000)
    with pytest.raises(UserError, match="more than 1 MB; show less"):
        file.snapshot("a", [chart("b")], {})


def test_a_record_has_the_newest_element_of_each_path() -> None:
    record = PageRecord()
    for path, body in (([0, 0], "a"), ([0, 1], "b"), ([0, 0], "c"), ([1, 0], "sidebar")):
        message = ForwardMsg()
        message.metadata.delta_path.extend(path)
        message.delta.new_element.text.body = body
        record.add(message)
    assert [node.element and node.element.text.body for node in record.tree()] == ["c", "b"]


@pytest.mark.parametrize(
    ("id", "key"),
    [("$$ID-0af-src", "src"), ("$$ID-0af-a-b", "a-b"), ("$$ID-0af-None", ""), ("", "")],
)
def test_a_key_is_the_end_of_an_id(id: str, key: str) -> None:
    assert key_of(id) == key


def test_a_chosen_option_is_said_by_its_label(monkeypatch: pytest.MonkeyPatch) -> None:
    values: dict[str, object] = {}
    monkeypatch.setattr(button, "values_of", lambda nodes: values.update(values_of(nodes)) or {})
    screen = opened("runs")
    shown = {key_of(id): value for id, value in values.items()}
    assert screen.selectbox
    for each in screen.selectbox:
        labels = shown[each.key]
        labels = [labels] if isinstance(labels, str) else labels
        assert labels == [each.options[each.index or 0]]


def test_attention_as_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    files = written(monkeypatch)
    opened("attention", run="demo-en-fr", src="the cat sits on the mat")
    assert "<h1>Attention</h1>" in files[-1]
    assert files[-1].count("<image ") == 8  # every head of two layers
    assert "cross-attention" in files[-1]
    assert len(files[-1]) < 200_000  # without Plotly


def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that downloads would have, as soon as their button is drawn."""
    files: list[str] = []
    monkeypatch.setattr(button.asker, "for_this_visitor", lambda work: files.append(work()) or work)
    return files


def test_a_page_of_pictures_is_not_recorded_and_its_snapshot_is_their_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = written(monkeypatch)
    screen = opened("states", src="the bank is by the river", set="view:same")
    assert KEY not in screen.session_state
    assert "snapshot" in {each.key for each in screen.get("download_button")}
    (picture,) = screen.session_state[SHOWN].values()
    assert files[-1].startswith("<!doctype html>")
    assert "<h1>States</h1><p>the bank is by the river</p>" in files[-1]
    assert pictures.fragment(picture) in files[-1]
    assert f'<a href="{escape(link(screen))}">' in files[-1]


def test_a_link_that_opens_pictures_is_not_recorded_and_one_without_pictures_has_no_snapshot() -> (
    None
):
    screen = opened("states", src=" ", set="view:same")
    assert KEY not in screen.session_state
    assert "snapshot" not in {each.key for each in screen.get("download_button")}
