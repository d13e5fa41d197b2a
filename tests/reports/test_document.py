"""An HTML file that runs nothing but our scripts, whatever is in its texts."""

import base64
import hashlib
import re
from datetime import UTC, datetime

from s2s.reports import document

NASTY = "</style><script>alert(1)</script><img src=x onerror=alert(2)>\x00\ud800"


def test_texts_are_text() -> None:
    body = "".join(
        (
            document.header(NASTY, NASTY, NASTY, f"http://host/{NASTY}"),
            document.section(
                NASTY, document.paragraph(NASTY), document.figure("<svg></svg>", NASTY)
            ),
            document.facts({NASTY: NASTY, "without a value": ""}),
            document.table([NASTY], [[NASTY]], NASTY),
            document.folded(NASTY, document.code(NASTY)),
        )
    )
    page = document.page(NASTY, body)
    page.encode()  # no lone surrogate is left
    assert "<script" not in page
    assert "<img" not in page
    assert page.count("</style>") == 1
    assert "without a value" not in page
    assert "script-src 'none'" in page


def test_the_policy_names_each_script_and_no_address() -> None:
    script = "document.title = 'é';"
    page = document.page("a", "<p>b</p>", scripts=[script])
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'\"" in page
    assert "default-src 'none'" in page
    assert not re.search(r"unsafe-eval|script-src[^;\"]*unsafe", page)
    assert page.count("<script>") == 1


def test_numbers_are_set_apart_from_words() -> None:
    html = document.table(
        ["a"], [["−1.5"], ["12,000"], ["3 words that follow a number here"], ["x"]]
    )
    assert html.count('class="number"') == 2


def test_when_it_was_made_is_in_utc() -> None:
    assert document.made_at(datetime(2026, 3, 1, 12, 5, tzinfo=UTC)).endswith(
        "2026-03-01 at 12:05 UTC"
    )
