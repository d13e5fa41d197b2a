"""What can be asked of the sizes of models."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from s2s.config import PRESETS, Recipe, choose, override
from s2s.lessons.verdict import Answer, Context
from s2s.sizing import count_parameters

OTHER_WIDTH = 192  # a d_model that no demo run has, so that no page has the answer
THIS_RUN = "run"  # among the models of Architecture


def parameters(context: Context, name: str) -> int:
    """Of the run on the screen, or of a preset."""
    if name == THIS_RUN:
        return context.opened().n_parameters
    row = choose("preset", name, PRESETS)
    return count_parameters(row.recipe.model, row.src_vocab_size, row.tgt_vocab_size)


def times_as_large(context: Context) -> float:
    """The parameters of the model that the page compares with, over those of the model that it shows."""
    chosen = context.settings
    model, other = chosen.get("model", THIS_RUN), chosen.get("against", THIS_RUN)
    return parameters(context, other) / parameters(context, model)


def parameters_of_a_second_embedding(context: Context) -> int:
    """What one more embedding matrix costs the model on the screen: vocabulary size times d_model."""
    run = context.opened()
    return run.src_tokenizer.vocab_size * run.recipe.model.d_model


def parameters_of_a_wider_embedding(context: Context) -> int:
    """What the source embedding on the screen would have with a d_model of `OTHER_WIDTH`."""
    return context.opened().src_tokenizer.vocab_size * OTHER_WIDTH


def saved_by_sharing(recipe: Recipe, vocab_size: int) -> int:
    """How many parameters shared embeddings save where both sides have the same vocabulary."""
    sizes = (vocab_size, vocab_size)
    separate = override(recipe, {"model.embeddings.shared": False}).model
    shared = override(recipe, {"model.embeddings.shared": True}).model
    return count_parameters(separate, *sizes) - count_parameters(shared, *sizes)


ANSWERS: Mapping[str, Answer] = MappingProxyType(
    {
        "times_as_large": Answer(
            times_as_large,
            "The parameters of the second model on Architecture over those of the first.",
        ),
        "parameters_of_a_second_embedding": Answer(
            parameters_of_a_second_embedding, "Vocabulary size times d_model."
        ),
        "parameters_of_a_wider_embedding": Answer(
            parameters_of_a_wider_embedding,
            f"The size of the source vocabulary times {OTHER_WIDTH}.",
        ),
    }
)
