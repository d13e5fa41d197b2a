"""Where the answers of questions come from: each row is computed from what is on the screen. One module per topic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from inspect import cleandoc
from types import MappingProxyType
from typing import Any, TypeVar

from s2s.lessons.answers import (
    attention,
    decoding,
    inside,
    own_runs,
    sizes,
    training,
    translation,
)
from s2s.lessons.verdict import Answer, Condition, Context
from s2s.runs.properties import PROPERTIES

Row = TypeVar("Row")


def _rows(
    make: Callable[[Callable[[Context], Any], str], Row], *functions: Callable[[Context], Any]
) -> dict[str, Row]:
    return {
        function.__name__: make(function, cleandoc(function.__doc__ or "").partition("\n")[0])
        for function in functions
    }


ANSWERS: Mapping[str, Answer] = MappingProxyType(
    _rows(
        Answer,
        translation.first_changed_position,
        translation.output_tokens,
        attention.attended_by_adjective,
        attention.article_attends_to_noun,
        decoding.greedy_and_beam,
        inside.source_tokens,
        inside.swap_without_positions,
        inside.weight_of_next,
        inside.heads_from_first_to_third,
        inside.heads_from_last_to_second,
        inside.other_tokens_percent,
        inside.largest_token_loss,
        inside.weight_after_update,
        decoding.written_log_prob,
        decoding.times_as_probable_as_greedy,
        decoding.tokens_without_length_penalty,
        decoding.tail_percent,
        decoding.kept_when_cold,
        decoding.mbr_prefers_the_most_probable,
        decoding.blame,
        training.first_good_step,
        training.highest_rate_step,
        training.first_differing_position,
        training.smoothed_target_percent,
        training.bleu_peaks_where_loss_is_lowest,
        attention.least_monotonic_head,
        attention.most_important_cross_head,
        attention.aligning_head,
        attention.next_aligning_head,
        attention.last_row_first_weight,
        attention.share_changed_by_uniform_weights,
        sizes.times_as_large,
        sizes.decoder_parameters,
        sizes.output_parameters,
        sizes.logits_of_batch,
        sizes.tokens_of_one_word,
        sizes.tokens_of_half_a_passage,
        sizes.parameters_of_a_second_embedding,
        sizes.parameters_of_a_wider_embedding,
    )
)
CONDITIONS: Mapping[str, Condition] = MappingProxyType(
    {
        **_rows(
            Condition,
            translation.one_word_changed,
            inside.repeated_token,
            decoding.strategies_differ,
            attention.ablation_changes_translation,
            translation.another_prefix,
        ),
        **{
            name: Condition(partial(decoding.judge, name), row.summary)
            for name, row in PROPERTIES.items()
            if name != "strategies_differ"  # above: always of greedy and beam search
        },
    }
)
RUN_CONDITIONS: Mapping[str, Condition] = MappingProxyType(
    _rows(
        Condition,
        own_runs.reverse_direction_run,
        own_runs.several_tasks_run,
        own_runs.span_corruption_run,
        own_runs.shared_and_separate_runs,
        own_runs.beam_beats_greedy,
        training.overfitted_run,
        training.fine_tuned_run,
    )
)
