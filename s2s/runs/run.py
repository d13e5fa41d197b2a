"""A trained run: translate, score, inspect attention and states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from s2s.analysis import KINDS, Attention, States, Weights, capture, capture_grams, recorded_states
from s2s.config import Recipe, UserError, override, shortened
from s2s.decode import (
    NEG_INF,
    ExactResult,
    ForcedPrefix,
    GenerationConfig,
    Hypothesis,
    SearchResult,
    SearchTree,
    Stepper,
    Strategy,
    TextCodec,
    build_tree,
    check_limit,
    configure,
    exact_search,
    path_records,
    starting_settings,
    token_ids,
)
from s2s.model import Transformer, can_round, inference, stepper_for
from s2s.runs.decoded import Decoded, ForcedTarget, decoded
from s2s.runs.store import RunFolder
from s2s.runs.texts import Texts, as_pairs, as_texts, require_one
from s2s.runs.watched import EndingStepper, WatchedStepper
from s2s.tokenizers import Languages, Tokenizer, in_languages, languages_of, surrounded

ROWS = 64  # sentences per batch
MOST_LOGITS = 2**26  # of a batch under teacher forcing: 268 MB
MOST_PREFIXES = 8_000  # kept by a search whose tree can be built
MOST_ROWS = 1024  # hypotheses (beams or samples) per batch, whose logits are in memory together


# A text, or the ids that a model wrote, which its text may not encode to.
Target = str | tuple[int, ...]


class RunKey(NamedTuple):
    """What tells one opened run from another."""

    folder: str
    step: int
    languages: Languages


@dataclass(frozen=True)
class Run:
    """The model of one checkpoint with its tokenizers and recipe."""

    folder: RunFolder
    recipe: Recipe
    model: Transformer
    src_tokenizer: Tokenizer
    tgt_tokenizer: Tokenizer
    step: int
    # sentences for the screen: why another checkpoint than expected was opened
    notes: tuple[str, ...] = ()
    # settings of decoding that a published model came with
    starting_settings: Mapping[str, Any] = field(default_factory=dict, compare=False)
    # called before each step of a search; what it raises ends the search
    on_step: Callable[[], None] | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        """The run in a line or two: which it is, and how large its model is."""
        model = self.recipe.model
        return (
            f"Run({shortened(repr(self.folder.id), 80)}, step {self.step:,}: {self.n_parameters:,} parameters,"
            f" {model.encoder.n_layers} encoder and {model.decoder.n_layers} decoder layers, d_model {model.d_model},"
            f" vocabularies {self.src_tokenizer.vocab_size:,} and {self.tgt_tokenizer.vocab_size:,})"
        )

    @cached_property
    def n_parameters(self) -> int:
        """The number of weights of the model."""
        return sum(weights.numel() for weights in self.model.parameters())

    @cached_property
    def has_one_vocabulary(self) -> bool:
        """Whether an id means the same token in the source and in the target."""
        src, tgt = self.src_tokenizer, self.tgt_tokenizer
        if src is tgt or src.vocab_size != tgt.vocab_size:
            return src is tgt
        ids = [*range(src.vocab_size)]
        return src.tokens(ids) == tgt.tokens(ids)

    @property
    def key(self) -> RunKey:
        """What identifies this run: those with equal keys give equal results."""
        languages = languages_of((self.src_tokenizer, self.tgt_tokenizer))
        return RunKey(str(self.folder.path), self.step, languages)

    def in_languages(self, src: str = "", tgt: str = "") -> Run:
        """This run with another source or target language of its multilingual model, by its tokenizer's codes.

        An empty code leaves its side as it is. Raises UserError for a language that the model lacks.
        """
        before = (self.src_tokenizer, self.tgt_tokenizer)
        pair = in_languages(before, Languages(src, tgt))
        if languages_of(pair) == languages_of(before):
            return self
        model = replace(self.recipe.model, ids=surrounded(self.recipe.model.ids, pair))
        recipe = replace(self.recipe, model=model)
        return replace(self, recipe=recipe, src_tokenizer=pair[0], tgt_tokenizer=pair[1])

    def translate(self, sources: Texts, strategy: str = "beam", **settings: Any) -> list[Decoded]:
        """One Decoded per source, in order; a string is one source. `settings` are the strategy's: `num_beams=5`."""
        search, config = self.configured(strategy, settings)
        sources = as_texts(sources, "source")
        ids = self._source_ids(sources)
        results = [Decoded(source) for source in sources]
        by_length = sorted(
            (i for i, source in enumerate(sources) if source.strip()), key=lambda i: len(ids[i])
        )
        batch_size = max(1, min(ROWS, MOST_ROWS // config.width))
        for start in range(0, len(by_length), batch_size):
            rows = by_length[start : start + batch_size]
            found = self._search(search, config, [ids[i] for i in rows], self.tgt_tokenizer)
            for i, one in zip(rows, found, strict=True):
                results[i] = decoded(sources[i], one, self.tgt_tokenizer, self.unknown(sources[i]))
        return results

    def complete(
        self, source: str, ids: Sequence[int], strategy: str = "beam", **settings: Any
    ) -> Decoded:
        """Decode with a strategy when every target begins with these ids, in place of the setting `prefix`.

        If the ids end in `</s>` or reach `max_new_tokens`, they are the result, and the score is their log-probability.
        """
        search, config = self.configured(strategy, settings)
        require_one(source, "source")
        self._check_forced(ids, config)
        if ids and (ids[-1] == self.recipe.model.ids.eos or len(ids) == config.max_new_tokens):
            found = self._forced(source, ids)
        else:
            (found,) = self._search(
                search,
                config,
                self._source_ids([source]),
                ForcedPrefix(self.tgt_tokenizer, tuple(ids)),
            )
        return decoded(source, found, self.tgt_tokenizer, self.unknown(source))

    def next_tokens(self, source: str, ids: Sequence[int]) -> Tensor:
        """Log-probabilities, in nats, of the token after the first 0, 1, ... of these target ids: (len(ids) + 1,
        vocab), on the CPU.

        One pass under teacher forcing. A first token that the model does not choose has all of the probability.
        """
        special = self.recipe.model.ids
        (src,) = self._source_ids([require_one(source, "source")])
        (tgt,) = self._fitting([[special.start, *ids, special.eos]], "target")
        with inference(self.model):
            logits = self.model(self._batch([src]), self._batch([tgt])[:, :-1])[0]
            log_probs: Tensor = logits.float().log_softmax(-1)
        rows = log_probs.cpu().clone()  # a copy made outside inference mode is an ordinary tensor
        if ids[:1] and ids[0] == special.forced_first:
            rows[0] = NEG_INF
            rows[0, ids[0]] = 0.0
        return rows

    def _forced(self, source: str, ids: Sequence[int]) -> SearchResult:
        rows = self.next_tokens(source, ids[:-1])
        values = rows.gather(1, torch.tensor(ids)[:, None])[:, 0].tolist()
        if ids[0] == self.recipe.model.ids.forced_first:
            values[0] = 0.0  # which the model does not choose
        steps = path_records(ids, values, eos_id=self.recipe.model.ids.eos)
        return SearchResult((Hypothesis(tuple(ids), tuple(values), sum(values)),), steps)

    def _check_forced(self, ids: Sequence[int], config: GenerationConfig) -> None:
        special = self.recipe.model.ids
        size = self.tgt_tokenizer.vocab_size
        if strange := [token for token in ids if not 0 <= token < size or token == special.pad]:
            allowed = f"give ids from 0 to {size - 1}, but not {special.pad}"
            raise UserError(f"A target cannot begin with token id {strange[0]}; {allowed}.")
        if special.eos in ids[:-1]:
            raise UserError(
                "Nothing can follow `</s>` in a forced prefix; end it there, or leave that token out."
            )
        if config.max_new_tokens is not None and len(ids) > config.max_new_tokens:
            given = f"The forced prefix has {len(ids)} tokens and at most {config.max_new_tokens} are allowed"
            raise UserError(f"{given}; shorten it or raise `max_new_tokens`.")

    def _search(
        self, search: Strategy, config: GenerationConfig, src_ids: list[list[int]], codec: TextCodec
    ) -> list[SearchResult]:
        with inference(self.model):
            return search(self._stepper(src_ids, config), config, codec)

    def _stepper(self, src_ids: list[list[int]], config: GenerationConfig) -> Stepper:
        ids = self.recipe.model.ids
        batch = self._batch(src_ids)
        stepper: Stepper = stepper_for(self.model, batch, config.precision, ids)
        if ids.forces_end and config.max_new_tokens:
            stepper = EndingStepper(stepper, config.max_new_tokens)
        return WatchedStepper(stepper, self.on_step) if self.on_step else stepper

    def more_probable(
        self, sources: Texts, floors: Sequence[float], strategy: str, **settings: Any
    ) -> list[ExactResult]:
        """For each source the most probable target above a log-probability, in nats, by exact search.

        Targets obey what the settings of a strategy forbid or force.
        """
        _, config = self.configured(strategy, settings)
        with inference(self.model):
            stepper = self._stepper(self._source_ids(as_texts(sources, "source")), config)
            return exact_search(stepper, config, floors, self.tgt_tokenizer)

    def tree(
        self, found: Decoded, strategy: str = "beam", *, begun: Sequence[int] = (), **settings: Any
    ) -> SearchTree:
        """The search tree of a translation with the same settings: kept, pruned and finished hypotheses, and why.

        `begun`: the ids that `complete` was given.
        Raises UserError for a search that kept more than MOST_PREFIXES.
        """
        if (n := sum(map(len, found.steps))) > MOST_PREFIXES:
            raise UserError(
                f"This search kept {n:,} prefixes, and a tree shows at most {MOST_PREFIXES:,}; lower `num_beams`,"
                " `num_samples` or `max_new_tokens`."
            )
        _, config = self.configured(strategy, settings)
        returned = [(one.ids, one.score) for one in found.hypotheses]
        with inference(self.model):
            stepper = self._stepper(self._source_ids([found.source]), config)
            codec = ForcedPrefix(self.tgt_tokenizer, tuple(begun)) if begun else self.tgt_tokenizer
            return build_tree(stepper, config, found.steps, returned, codec=codec)

    def configured(
        self, strategy: str, settings: Mapping[str, Any]
    ) -> tuple[Strategy, GenerationConfig]:
        """A strategy and its complete settings for this model. Raises UserError that names the wrong setting."""
        own = starting_settings(strategy, self.starting_settings)
        search, config = configure(strategy, {**own, **settings})
        if config.max_new_tokens is None:
            config = override(
                config, {"max_new_tokens": max(self.recipe.data.max_length, config.min_new_tokens)}
            )
        check_limit(config.max_new_tokens, self.recipe.model.positions.longest)
        if config.encoder_no_repeat_ngram_size and not self.has_one_vocabulary:
            raise UserError(
                "`encoder_no_repeat_ngram_size` compares tokens, and the source and the target of this model have"
                " vocabularies of their own; use 0."
            )
        if config.precision == "fast" and not can_round(self.model.device):
            raise UserError(
                "`precision` fast needs a processor for which torch has oneDNN; use exact."
            )
        for name, words in config.texts().items():
            for word in words:
                token_ids(self.tgt_tokenizer, name, word)
        return search, config

    def starting(self, strategy: str) -> GenerationConfig:
        """A strategy's settings as this model came with them; the defaults for a model that was trained here."""
        return configure(strategy, starting_settings(strategy, self.starting_settings))[1]

    def check_lengths(self, sources: Texts) -> None:
        """Raises UserError that names the first line longer than the model's positions."""
        self._source_ids(as_texts(sources, "source"))

    def score(self, sources: Texts, targets: Texts) -> list[float]:
        """log p(target | source) of each pair in nats, `</s>` included; two strings are one pair."""
        return [forced.log_prob for forced in self.force(sources, targets)]

    def force(self, sources: Texts, targets: Texts) -> list[ForcedTarget]:
        """Each target under teacher forcing; two strings are one pair. Raises UserError if the counts differ."""
        sources, targets = as_pairs(sources, targets)
        src_ids = self._source_ids(sources)
        tgt_ids = self._target_ids(targets)
        found: dict[int, ForcedTarget] = {}
        by_length = sorted(range(len(sources)), key=lambda i: (len(src_ids[i]), len(tgt_ids[i])))
        while by_length:
            longest = max(len(tgt_ids[i]) for i in by_length[:ROWS])
            n_rows = max(1, MOST_LOGITS // (longest * self.tgt_tokenizer.vocab_size))
            rows = by_length[: min(ROWS, n_rows)]
            by_length = by_length[len(rows) :]
            src = self._batch([src_ids[i] for i in rows])
            tgt = self._batch([tgt_ids[i] for i in rows])
            with inference(self.model):
                log_probs = self.model(src, tgt[:, :-1]).float().log_softmax(-1)
            labels = tgt[:, 1:]
            is_real = labels.ne(self.recipe.model.ids.pad)
            if self.recipe.model.ids.forced_first is not None:
                is_real[:, 0] = False  # it is given to the model
            of_labels = log_probs.gather(-1, labels[..., None]).squeeze(-1) * is_real
            nats = of_labels.double().sum(1)
            right = (log_probs.argmax(-1).eq(labels) & is_real).sum(1)
            for row, i in enumerate(rows):
                n_tokens = int(is_real[row].sum())
                found[i] = ForcedTarget(float(nats[row]), n_tokens, int(right[row]))
        return [found[i] for i in range(len(sources))]

    def attention(self, source: str, target: Target) -> Attention:
        """Every head's attention weights for `source`, with `target` under teacher forcing."""
        src, tgt = self._pair(source, target)
        with capture(self.model) as trace, capture_grams(self.model) as grams:
            self.model(self._batch([src]), self._batch([tgt])[:, :-1])
            weights, gram = (
                {kind: _stacked(getattr(kept, kind)) for kind in KINDS} for kept in (trace, grams)
            )
        names = self.tgt_tokenizer.tokens(tgt)
        return Attention(
            tuple(self.src_tokenizer.tokens(src)),
            tuple(names[:-1]),
            tuple(names[1:]),
            **weights,
            grams=gram,
        )

    def states(self, source: str, target: Target) -> States:
        """The hidden states after each layer for `source`, with `target` under teacher forcing."""
        src, tgt = self._pair(source, target)
        with recorded_states(self.model) as streams:
            self.model(self._batch([src]), self._batch([tgt])[:, :-1])
            encoder = _stacked(streams.encoder)
            decoder = _stacked(streams.decoder)
        names = self.tgt_tokenizer.tokens(tgt)
        return States(
            tuple(self.src_tokenizer.tokens(src)),
            tuple(names[:-1]),
            tuple(names[1:]),
            encoder,
            decoder,
        )

    def unknown(self, source: str) -> tuple[str, ...]:
        """The words of a source that are not in the vocabulary (they become `<unk>`)."""
        return tuple(self.src_tokenizer.unknown(source))

    def _source_ids(self, sources: Sequence[str]) -> list[list[int]]:
        return self._fitting(
            [self.recipe.model.ids.source(ids) for ids in self.src_tokenizer.encode_many(sources)],
            "source",
        )

    def _target_ids(self, targets: Sequence[str]) -> list[list[int]]:
        special = self.recipe.model.ids
        rows = self.tgt_tokenizer.encode_many(targets)
        return self._fitting([[special.start, *special.target(row)] for row in rows], "target")

    def target_ids(self, target: Target) -> tuple[int, ...]:
        """The ids that the decoder writes for a target; `</s>` follows a truncated one, where it has a position."""
        special = self.recipe.model.ids
        if not isinstance(target, tuple) or any(isinstance(each, str) for each in target):
            return tuple(special.target(self.tgt_tokenizer.encode(require_one(target, "target"))))
        is_full = len(target) == self.recipe.model.positions.longest
        return target if is_full or target[-1:] == (special.eos,) else (*target, special.eos)

    def _pair(self, source: str, target: Target) -> tuple[list[int], list[int]]:
        tgt = [self.recipe.model.ids.start, *self.target_ids(target)]
        src = self._source_ids([require_one(source, "source")])[0]
        return src, self._fitting([tgt], "target")[0]

    def _fitting(self, rows: list[list[int]], side: str) -> list[list[int]]:
        longest = self.recipe.model.positions.longest
        if longest:
            for number, row in enumerate(rows, 1):
                length = len(row) - (side == "target")
                if length > longest:
                    raise UserError(
                        f"Line {number} of the {side} has {length} tokens and this model has {longest} positions;"
                        f" shorten it to at most {longest - 1} tokens."
                    )
        return rows

    def _batch(self, rows: list[list[int]]) -> Tensor:
        """The rows as one tensor of ids, (rows, longest), padded at the end."""
        longest = max(map(len, rows))
        pad_id = self.recipe.model.ids.pad
        return torch.tensor(
            [row + [pad_id] * (longest - len(row)) for row in rows], device=self.model.device
        )


def _stacked(layers: Sequence[Tensor]) -> Weights:
    """The layers of the only sentence in a batch: (layers, ...), float32."""
    return np.stack([layer[0].float().cpu().numpy() for layer in layers])
