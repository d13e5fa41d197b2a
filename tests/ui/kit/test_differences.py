import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from s2s.ui.kit.text import against_reference

WORDS = st.lists(st.sampled_from(["a", "b<", "&c", "dé"]), min_size=2, max_size=12).map(" ".join)


def words(shown: str) -> str:
    """The translation alone, without the missing words."""
    return html.unescape(re.sub("<.*?>", "", re.sub("<del.*?</del>", "", shown))).strip()


def added(text: str) -> str:
    return f'<ins title="only here">{text}</ins>'


def missing(text: str) -> str:
    return f'<del title="not here">{text}</del>'


@pytest.mark.parametrize(
    ("text", "reference", "shown"),
    [
        ("le chat dort", "le chat dort", "le chat dort"),
        ("le chien dort", "le chat dort", f"le {missing('chat')} {added('chien')} dort"),
        ("le dort", "le chat dort", f"le {missing('chat')} dort"),
        ("le le chat", "le chat", f"{added('le')} le chat"),
        ("", "le chat", f"(nothing) {missing('le chat')}"),
        ("", "", "(nothing)"),
        ("<b>x</b> y", "x y", f"{missing('x')} {added('&lt;b&gt;x&lt;/b&gt;')} y"),
        ("我是你", "我爱你", f"我{missing('爱')}{added('是')}你"),
    ],
)
def test_added_words_are_underlined_and_missing_ones_struck_out(
    text: str, reference: str, shown: str
) -> None:
    assert against_reference(text, reference) == shown


@given(text=WORDS, reference=WORDS)
def test_the_marks_leave_every_word_of_the_translation(text: str, reference: str) -> None:
    shown = against_reference(text, reference)
    assert words(shown).split() == text.split()
    assert ("<ins" in shown or "<del" in shown) == (text.split() != reference.split())


def test_a_long_text_that_equals_its_reference_has_no_differences() -> None:
    text = "le chat dort " * 40
    assert "<" not in against_reference(text, text)
    assert words(against_reference(text, text, len(text))) == text.strip()


def test_a_translation_that_never_ends_is_truncated() -> None:
    assert len(words(against_reference("ferme " * 200, "le garçon"))) < 70
