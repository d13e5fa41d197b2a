"""Which other libraries will be able to load the model, said before it is trained."""

from __future__ import annotations

from s2s.config import Recipe
from s2s.pretrained import export


def sentence(recipe: Recipe) -> str:
    """`This recipe can be exported to ...`, with the setting that is in the way of the rest."""
    tokenizer = recipe.tokenizer
    found = export.verdicts(recipe.model, tokenizer.kind, is_shared=tokenizer.shared).values()
    possible = " and ".join(verdict.label for verdict in found if verdict.is_possible)
    reasons = " ".join(
        f"Not to {verdict.label}: {verdict.reason}" for verdict in found if verdict.reason
    )
    can = f"can be exported to {possible}." if possible else "cannot be exported."
    return f"This recipe {can} {reasons}".strip()
