"""The target that a page forces."""

import unicodedata

from tests.screen import opened, page_text


def test_a_typed_target_that_is_the_own_translation_in_another_form_is_no_forced_one() -> None:
    own = "le soldat a joué du piano"
    typed = unicodedata.normalize("NFD", own)
    assert typed != own
    screen = opened("states", run="demo-en-fr", src="the soldier played the piano", tgt=typed)
    assert not screen.exception
    assert "Forced target" not in page_text(screen)
    assert "tgt" not in screen.query_params
