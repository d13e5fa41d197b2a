"""What can be asked of the sizes of models."""

from __future__ import annotations

from s2s.config import PRESETS, Preset, choose
from s2s.data import parse_spec
from s2s.lessons.verdict import Context
from s2s.sizing import BatchSizes, Component, ModelSpec, cost, count_parameters
from s2s.tokenizers import UNK

OTHER_WIDTH = 192  # a d_model that no demo run has, so that no page has the answer
THIS_RUN = "run"  # among the models of Architecture


def parameters(context: Context, name: str) -> int:
    """The number of parameters of the run on the screen, or of a preset."""
    if name == THIS_RUN:
        return context.opened().n_parameters
    row = choose("preset", name, PRESETS)
    return count_parameters(row.recipe.model, row.src_vocab_size, row.tgt_vocab_size)


def times_as_large(context: Context) -> float:
    """The parameters of the second model on Architecture over those of the first."""
    chosen = context.settings
    model, other = chosen.get("model", THIS_RUN), chosen.get("against", THIS_RUN)
    return parameters(context, other) / parameters(context, model)


def decoder_parameters(context: Context) -> int:
    """Counts the preset's decoder, with its tutorial's vocabulary.

    Without its output projection.
    """
    rows = _components(context)
    return cost(row for row in rows if row.name.startswith("decoder.")).parameters - _output(rows)


def output_parameters(context: Context) -> int:
    """Counts the output projection, with the preset's vocabulary."""
    return _output(_components(context))


def logits_of_batch(context: Context) -> int:
    """Sentences times target tokens times target vocabulary."""
    chosen = context.at_start().settings
    return int(chosen["batch"]) * int(chosen["tgt_len"]) * _preset(context).tgt_vocab_size


def tokens_of_one_word(context: Context) -> int:
    """The ids that the preset's encoder reads for one word."""
    return len(_preset(context).recipe.model.ids.source([UNK]))


def tokens_of_half_a_passage(context: Context) -> int:
    """The ids that the preset's encoder reads for half a passage.

    A token per character.
    """
    passage = parse_spec(context.at_start().settings["source"]).options.length
    return len(_preset(context).recipe.model.ids.source([UNK] * (passage // 2)))


def _preset(context: Context) -> Preset:
    chosen = context.at_start().settings
    return choose("preset", chosen.get("preset", chosen.get("model", "")), PRESETS)


def _components(context: Context) -> tuple[Component, ...]:
    row = _preset(context)
    spec = ModelSpec(row.recipe, row.src_vocab_size, row.tgt_vocab_size)
    return spec.components(BatchSizes(1, 1, 1))


def _output(rows: tuple[Component, ...]) -> int:
    return cost(row for row in rows if row.group == "output").parameters


def parameters_of_a_second_embedding(context: Context) -> int:
    """Vocabulary size times d_model.

    What one more embedding matrix costs the model on the screen.
    """
    run = context.opened()
    return run.src_tokenizer.vocab_size * run.recipe.model.d_model


def parameters_of_a_wider_embedding(context: Context) -> int:
    """The size of the source vocabulary times 192.

    A d_model of `OTHER_WIDTH`.
    """
    return context.opened().src_tokenizer.vocab_size * OTHER_WIDTH
