import html
import random
import re

import pytest

from s2s.ui.kit.reference_diff import MISSING, marked


def words(shown: str) -> str:
    return html.unescape(re.sub("<.*?>", "", shown.replace(MISSING, ""))).strip()


@pytest.mark.parametrize(
    ("text", "reference", "shown"),
    [
        ("le chat dort", "le chat dort", "le chat dort"),
        ("le chien dort", "le chat dort", "le <u>chien</u> dort"),
        ("le dort", "le chat dort", f"le {MISSING} dort"),
        ("le le chat", "le chat", "<u>le</u> le chat"),
        ("", "le chat", f"(nothing) {MISSING}"),
        ("<b>x</b>", "le chat", "<u>&lt;b&gt;x&lt;/b&gt;</u>"),
        ("我是你", "我爱你", "我<u>是</u>你"),
    ],
)
def test_what_differs_is_underlined_and_what_is_missing_has_a_sign(
    text: str, reference: str, shown: str
) -> None:
    assert marked(text, reference) == shown


@pytest.mark.parametrize("seed", range(50))
def test_every_word_of_the_translation_is_there_and_only_it(seed: int) -> None:
    draw = random.Random(seed)
    text, reference = (
        " ".join(draw.choices(["a", "b<", "&c", "dé"], k=draw.randint(1, 12))) for _ in range(2)
    )
    shown = marked(text, reference)
    assert words(shown).split() == text.split()
    assert ("<u>" in shown or MISSING in shown) == (text.split() != reference.split())


def test_a_translation_that_never_ends_is_cut() -> None:
    assert len(words(marked("ferme " * 200, "le garçon"))) < 70
