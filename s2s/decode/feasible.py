"""Whether a strategy's settings allow a target at all, whatever the model prefers. Knows nothing of models."""

from __future__ import annotations

from collections.abc import Sequence

from s2s.decode.processors import GenerationConfig, bad_word_forms, split_commas, token_ids
from s2s.decode.stepper import TextCodec


def forbidding_setting(
    config: GenerationConfig,
    target: Sequence[int],
    codec: TextCodec,
    *,
    source: Sequence[int],
    start_id: int,
    first: Sequence[int] = (),
) -> str:
    """The name of a setting under which no output is this target; empty where all allow it.

    `target` ends in `</s>`, and begins with the `first` ids, which the model does not choose; `source` is what the
    encoder reads.
    """
    prefix = (*first, *token_ids(codec, "prefix", config.prefix))
    forms = bad_word_forms(codec, split_commas(config.bad_words))
    limit = config.max_new_tokens
    written = (start_id, *target)
    own = _ngrams(written, config.no_repeat_ngram_size)
    n = config.encoder_no_repeat_ngram_size
    forbidden = {
        "prefix": tuple(target[: len(prefix)]) != prefix,
        "max_new_tokens": limit is not None and len(target) > limit,
        "min_new_tokens": len(target) - 1 < config.min_new_tokens,
        "bad_words": any(form in _ngrams(written, len(form)) for form in forms),
        "no_repeat_ngram_size": len(own) != len({*own}),
        "encoder_no_repeat_ngram_size": bool({*_ngrams(source, n)} & {*_ngrams(written, n)}),
    }
    return next((name for name, is_forbidden in forbidden.items() if is_forbidden), "")


def _ngrams(ids: Sequence[int], n: int) -> list[tuple[int, ...]]:
    """All n-grams; none for 0."""
    return [tuple(ids[at : at + n]) for at in range(len(ids) - n + 1)] if n else []
