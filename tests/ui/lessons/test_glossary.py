"""The list of all terms: search, groups, one term by link, downloads."""

import html
import json
import re
from io import StringIO

import pandas as pd

from s2s.ui.lessons import glossary
from s2s.ui.lessons.view_state import STATE
from s2s.words import GLOSSARY, TOPICS
from tests.screen import AppTest, lost, opened, page_text


def list_of(screen: AppTest) -> str:
    """The list's HTML."""
    bodies = (str(each.proto.body) for each in screen.get("html"))
    return next((body for body in bodies if 'class="glossary"' in body), "")


def terms_of(body: str) -> list[str]:
    return [
        html.unescape(term)
        for term in re.findall(r'<dt><a class="in-app" href="[^"]*">(.*?)</a>', body)
    ]


def test_a_link_opens_one_term_and_the_search_finds_others() -> None:
    screen = opened("lessons", set="view:glossary,term:beam search,by:topic")
    assert not screen.exception
    assert "promising beginnings" in page_text(screen)
    body = list_of(screen)
    assert sorted(terms_of(body)) == sorted(row.term for row in GLOSSARY)
    assert re.findall(r'<h3 id="glossary-\d+">(.*?)</h3>', body) == list(TOPICS)
    assert 'href="lessons?set=view%3Aglossary%2Cterm%3Abeam+search"' in body
    screen.button(key="glossary close").click().run()
    assert "promising beginnings" not in page_text(screen)
    box = screen.text_input(key=STATE.key("find"))
    box.set_value("NUM_BEAMS").run()
    body = list_of(screen)
    assert terms_of(body)[0] == "beam width"
    assert re.findall(r"<h3.*?>(.*?)</h3>", body) == ["Found", "Mentioned in"]
    box.set_value("logit").run()
    assert terms_of(list_of(screen))[0] == "logits"
    box.set_value("<b>attenshun").run()
    assert list_of(screen) == ""
    assert "No term or sentence has “<b>attenshun”" in page_text(screen)
    assert "attention" in page_text(screen)
    assert not screen.exception


def test_a_link_to_a_term_that_is_gone_says_so() -> None:
    screen = opened("lessons", set="view:glossary,term:gone,find:softmax")
    assert "there is no gone here" in " ".join(lost(screen))
    assert "softmax" in terms_of(list_of(screen))
    assert len(terms_of(list_of(screen))) < len(GLOSSARY)


def test_both_downloads_have_every_term() -> None:
    table = pd.read_csv(StringIO(glossary.table_csv()), keep_default_na=False)
    rows = json.loads(glossary.table_json())
    assert [*table["term"]] == [row["term"] for row in rows] == [row.term for row in GLOSSARY]
    assert [*table["plain"]] == [row["plain"] for row in rows]
