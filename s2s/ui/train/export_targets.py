"""Which other libraries will be able to load the model, said before it is trained."""

from __future__ import annotations

import streamlit as st

from s2s.config import Recipe
from s2s.pretrained import export
from s2s.ui.kit import as_markdown
from s2s.ui.train.initialization import has_published_tokenizer
from s2s.ui.train.recipe_form import RunRequest


def caption(request: RunRequest) -> None:
    """Draw which libraries could load the trained model."""
    if not request.wrong:
        keeps_tokenizer = bool(request.init_from) and has_published_tokenizer(request.init_from)
        st.caption(as_markdown(sentence(request.recipe, keeps_tokenizer=keeps_tokenizer)))


def sentence(recipe: Recipe, *, keeps_tokenizer: bool = False) -> str:
    """Which libraries can load the model: `This recipe can be exported to ...`, with the setting that is in the way of
    the rest.

    `keeps_tokenizer`: that of a published model, whose own files are exported.
    """
    tokenizer = recipe.tokenizer
    kind = export.OPENED if keeps_tokenizer else tokenizer.kind
    found = export.verdicts(recipe.model, kind, is_shared=tokenizer.shared).values()
    possible = " and ".join(verdict.label for verdict in found if verdict.is_possible)
    reasons = " ".join(
        f"Not to {verdict.label}: {verdict.reason}" for verdict in found if verdict.reason
    )
    can = f"can be exported to {possible}." if possible else "cannot be exported."
    return f"This recipe {can} {reasons}".strip()
