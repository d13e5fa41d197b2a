"""Markdown of our pages as HTML; a visitor's text in it stays text."""

import pytest

from s2s.ui.kit import as_markdown, plain
from s2s.ui.snapshot import markdown

NASTY = (
    "<script>a</script> *b* [c](javascript:d) :material/home: `e` $f$ \ue0000\ue000 javascript:x"
)


def test_a_visitors_text_is_shown_as_it_was_written() -> None:
    html = markdown.to_html(plain("<b>*x*</b> [a](http://b) :red[c] $d$"))
    assert html == "<p>&lt;b&gt;*x*&lt;/b&gt; [a](http://b) :red[c] $d$</p>"
    assert "<script" not in markdown.to_html(as_markdown(NASTY))


@pytest.mark.parametrize(
    "text", [NASTY, f"- {NASTY}\n- b", f"# {NASTY}", f"```\n{NASTY}\n```", f"a|b\n-|-\n{NASTY}|d"]
)
def test_markup_never_becomes_an_element(text: str) -> None:
    html = markdown.to_html(text)
    assert "<script" not in html
    assert 'href="javascript' not in html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**a** and *b*", "<p><strong>a</strong> and <em>b</em></p>"),
        ("one  \ntwo", "<p>one<br>two</p>"),
        ("one\ntwo", "<p>one two</p>"),
        ("- a\n- b", "<ul><li>a</li><li>b</li></ul>"),
        ("1. a\n2. b", "<ol><li>a</li><li>b</li></ol>"),
        ("`a*b*`", "<p><code>a*b*</code></p>"),
        (":material/info: a", "<p>a</p>"),
        (":gray-badge[:material/sell: a]", '<p><span class="badge">a</span></p>'),
        ("[a](https://b.c)", '<p><a href="https://b.c" rel="noreferrer">a</a></p>'),
        ("[a](/attention?run=b)", "<p>a</p>"),
        ("$x^2$", "<p><code>x^2</code></p>"),
        (
            "a|b\n-|-\nc|d",
            "<table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr></table>",
        ),
    ],
)
def test_what_the_pages_write(text: str, html: str) -> None:
    assert markdown.to_html(text) == html
