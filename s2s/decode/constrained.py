"""Lexically constrained beam search: words that must appear (Post & Vilar 2018; Hokamp & Liu 2017)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from s2s.config import UserError, setting
from s2s.decode.beam import BeamConfig, Candidates, LiveBeams, most_probable, search
from s2s.decode.numerics import NEG_INF, flat_rows, topk
from s2s.decode.processors import LogitsProcessors, split_commas, token_ids
from s2s.decode.results import SearchResult
from s2s.decode.stepper import ID_CODEC, Stepper, TextCodec

Phrase = tuple[int, ...]
HOPELESS = -1e30  # a total that keeps no search running, and yet is one


@dataclass(frozen=True)
class Constrained(BeamConfig):
    """Settings of lexically constrained beam search."""

    force_words: str = setting(
        "",
        label="Forced words",
        help="Words or phrases that must appear, separated by commas; repeat one to have it twice.",
    )

    def texts(self) -> dict[str, list[str]]:
        """The settings that are words of the target, by name: those of all strategies, and the words to force."""
        return super().texts() | {"force_words": split_commas(self.force_words)}


@torch.inference_mode()
def constrained(
    stepper: Stepper, config: Constrained, codec: TextCodec = ID_CODEC
) -> list[SearchResult]:
    """Beam search with dynamic beam allocation: the beam is divided among prefixes that have met 0, 1, 2, ... tokens.

    A phrase's tokens must be adjacent, at any position, also as the beginning of a longer word; two phrases may share
    tokens, two occurrences of one may not. Where the limit comes too early, the hypotheses that have met the most are
    returned. With `early_stopping` False only prefixes that may finish keep the search running. Raises UserError for
    words that no target can have.
    """
    processors = LogitsProcessors(config, stepper, codec)
    given = [_forced(codec, text) for text in split_commas(config.force_words)]
    phrases = _Phrases([phrase for phrase in given if phrase])
    if not phrases.needed:
        return search(stepper, config, processors, most_probable(processors))
    _check(phrases, processors, codec)
    banks = _Banks(phrases, processors, config.num_beams)
    leading = banks.leading if config.early_stopping is False else None
    return search(stepper, config, processors, banks.propose, leading=leading)


def _forced(codec: TextCodec, text: str) -> Phrase:
    """The ids of a phrase inside a sentence. Byte-level tokenizers write a word after a space otherwise than at the
    beginning; where only a token for the space is added, the phrase stands without it.
    """
    first = token_ids(codec, "force_words", text)
    inside = tuple(codec.encode(f" {text}"))
    is_same = not first or inside[-len(first) :] == first
    return first if is_same else inside


def _check(phrases: _Phrases, processors: LogitsProcessors, codec: TextCodec) -> None:
    """Raises UserError where the phrases cannot all be written."""
    missing = phrases.at_least(phrases.after(processors.prefix))
    room = processors.limit - len(processors.prefix) - processors.forces_end
    if missing > room:
        given = f"`force_words` takes at least {missing} tokens and at most {room} may be written"
        raise UserError(f"{given}; leave some out or raise `max_new_tokens`.")
    for phrase in phrases.distinct:
        given = f"`force_words`: `{codec.decode(phrase)}`"
        if processors.eos_id in phrase:
            raise UserError(f"{given} contains `</s>`, which ends every target; leave it out.")
        if any(_contains(phrase, word) for word in processors.bad_words):
            raise UserError(f"{given} is forbidden by `bad_words`; leave it out of one of them.")


def _contains(phrase: Phrase, word: Phrase) -> bool:
    n = len(word)
    return any(phrase[at : at + n] == word for at in range(len(phrase)))


class PhraseProgress(NamedTuple):
    """How far each prefix has got with each distinct phrase: (..., phrases) each."""

    matched: Tensor  # how many tokens of the phrase the prefix ends in
    left: Tensor  # how often the phrase must still be written


class _Phrases:
    """The phrases that must be written; matches all of them in all prefixes at once, each by the automaton of Knuth,
    Morris & Pratt 1977.
    """

    def __init__(self, given: Sequence[Phrase]) -> None:
        counts = Counter(given)
        self.distinct = list(counts)
        self.wanted = torch.tensor(list(counts.values()))  # (phrases,), how often
        self.lengths = torch.tensor([len(phrase) for phrase in self.distinct])  # (phrases,)
        self.needed = sum(map(len, given))  # tokens, of all occurrences
        tokens = sorted({token for phrase in given for token in phrase})
        self.tokens = torch.tensor(tokens)
        longest = max(map(len, given), default=0)
        padded = [[*phrase, *[-1] * (longest - len(phrase))] for phrase in self.distinct]
        self.written = torch.tensor(padded)  # (phrases, longest)
        moves = [_transitions(phrase, tokens, longest) for phrase in self.distinct]
        self.transitions = torch.tensor(moves)  # (phrases, longest, tokens + 1)

    def after(self, ids: Sequence[int]) -> PhraseProgress:
        """The progress of one prefix with these ids, (phrases,) each."""
        progress = PhraseProgress(torch.zeros_like(self.wanted), self.wanted)
        for token in ids:
            progress = self.advance(progress, torch.tensor(token))
        return progress

    def advance(self, progress: PhraseProgress, tokens: Tensor) -> PhraseProgress:
        """The progress after one more token per prefix (...)."""
        other = len(self.tokens)  # the last column stands for every other token
        nearest = torch.searchsorted(self.tokens, tokens.contiguous())
        nearest = nearest.clamp(max=other - 1)
        columns = torch.where(self.tokens[nearest].eq(tokens), nearest, other)  # (...)
        phrases = torch.arange(len(self.distinct))
        matched = self.transitions[phrases, progress.matched, columns[..., None]]  # (..., phrases)
        is_whole = matched.eq(self.lengths)
        matched = matched.masked_fill(is_whole, 0)
        left = (progress.left - is_whole.long()).clamp(min=0)
        return PhraseProgress(matched, left)

    def at_least(self, progress: PhraseProgress) -> int:
        """A lower bound of the tokens that one prefix still lacks: phrases may share tokens."""
        lacking: Counter[int] = Counter()  # by token, as often as the phrase that needs most of it
        for number, phrase in enumerate(self.distinct):
            left = int(progress.left[number])
            matched = int(progress.matched[number])
            lacking |= Counter(phrase * left) - Counter(phrase[:matched])
        return lacking.total()

    def met(self, progress: PhraseProgress) -> Tensor:
        """How many tokens each prefix (...) has met: those of whole phrases and of the phrase that has got furthest, so
        that some next token always adds at least one.
        """
        n_completed = self.wanted - progress.left  # (..., phrases)
        completed = (n_completed * self.lengths).sum(-1)
        begun = progress.matched * progress.left.gt(0)  # (..., phrases)
        return completed + begun.amax(-1)

    def wanted_next(self, progress: PhraseProgress) -> tuple[Tensor, Tensor]:
        """The token that each phrase needs now, and whether it is needed and no earlier phrase needs the same:

        (rows, phrases) both.
        """
        phrases = torch.arange(len(self.distinct))
        tokens = self.written[phrases, progress.matched]  # (rows, phrases)
        is_needed = progress.left.gt(0)
        is_equal = tokens[:, :, None].eq(tokens[:, None])  # (rows, phrases, phrases)
        is_same_need = is_equal & is_needed[:, None]
        has_earlier = is_same_need.tril(-1).any(2)  # (rows, phrases)
        return tokens, is_needed & ~has_earlier


def _transitions(phrase: Phrase, tokens: Sequence[int], longest: int) -> list[list[int]]:
    """The automaton: tokens matched so far and the next token -> tokens matched then, all of the phrase where it is
    whole:

    (longest, tokens + 1).
    """

    def after(ids: Phrase) -> int:
        """The longest beginning of the phrase that ends these ids."""
        lengths = range(len(ids), -1, -1)
        return next(n for n in lengths if phrase[:n] == ids[len(ids) - n :])

    rows = []
    for matched in range(len(phrase)):
        so_far = phrase[:matched]
        moves = [after((*so_far, token)) for token in tokens]
        rows.append([*moves, 0])  # every other token
    unused = [0] * (len(tokens) + 1)
    return rows + [unused] * (longest - len(phrase))


class _Banks:
    """Divides the beam among prefixes by how many tokens they have met; remembers how far each row has got."""

    def __init__(self, phrases: _Phrases, processors: LogitsProcessors, beam: int) -> None:
        self.phrases = phrases
        self.processors = processors
        self.beam = beam
        self.progress: PhraseProgress | None = None
        self.has_finished = torch.zeros(len(processors.sources), dtype=torch.bool)
        self.may_finish = torch.empty(0, 0)

    def propose(self, logits: Tensor, log_sums: Tensor, live: LiveBeams, n: int) -> Candidates:
        """The candidates that finish, then those that continue; where none can continue, those that have met the most
        finish.
        """
        progress = self._progress(live)  # (rows, phrases) each
        self.progress = progress
        every = self._candidates(logits - log_sums, live, progress, n)  # (sources, m) each
        rows = flat_rows(every.parents, live.totals.shape[1])  # (sources, m)
        before = PhraseProgress(
            progress.matched[rows], progress.left[rows]
        )  # (sources, m, phrases) each
        after = self.phrases.advance(before, every.tokens)
        met = self.phrases.met(after).masked_fill(every.totals.eq(NEG_INF), -1)  # (sources, m)

        is_eos = every.tokens.eq(self.processors.eos_id)
        continuing = met.masked_fill(is_eos, -1)
        is_last = continuing.amax(1).lt(0)  # (sources,)
        is_last |= live.prefixes.length + 1 == self.processors.limit
        finishing = self._finishing(every, met, is_eos, is_last, torch.tensor(live.sources))
        continuing = continuing.masked_fill(is_last[:, None], -1)
        in_beam = allocated(every.totals, continuing, self.phrases.needed, self.beam)
        return self._best(every, met, [finishing, in_beam])

    def _finishing(
        self, every: Candidates, met: Tensor, is_eos: Tensor, is_last: Tensor, sources: Tensor
    ) -> Tensor:
        """Which candidates finish, (sources, m): those that have met everything; at the end, of a source without any,
        the most.
        """
        must_be_whole = self.has_finished[sources] | ~is_last  # (sources,)
        most = met.amax(1).clamp(min=0)  # (sources,)
        least = torch.where(must_be_whole, self.phrases.needed, most)
        is_enough = met.ge(least[:, None])  # (sources, m)
        is_among_best = _ranks(every.totals.masked_fill(~is_enough, NEG_INF)).lt(self.beam)
        finishing = is_enough & (is_eos | is_last[:, None]) & is_among_best
        self.has_finished[sources] |= finishing.any(1)
        return finishing

    def leading(self, totals: Tensor) -> Tensor:
        """The totals, lowered for prefixes that may not finish yet: they keep no search running that has found
        enough.
        """
        return torch.where(self.may_finish | totals.eq(NEG_INF), totals, HOPELESS)

    def _progress(self, live: LiveBeams) -> PhraseProgress:
        """The progress of the live prefixes, (rows, phrases) each."""
        if self.progress is None:
            matched, left = self.phrases.after(self.processors.prefix)  # (phrases,) each
            n_rows = len(live.rows)
            return PhraseProgress(matched.expand(n_rows, -1), left.expand(n_rows, -1))
        matched, left = self.progress
        before = PhraseProgress(matched[live.rows], left[live.rows])
        return self.phrases.advance(before, live.prefixes.last)

    def _candidates(
        self, log_probs: Tensor, live: LiveBeams, progress: PhraseProgress, n: int
    ) -> Candidates:
        """The n best of each row, and the tokens that its phrases need: (sources, beam * (n + phrases)).

        No `</s>` while words are missing, except where the processors allow nothing else.
        """
        eos_id = self.processors.eos_id
        eos_log_probs = log_probs[:, eos_id].clone()  # (rows,)
        scores = self.processors.apply(log_probs, live.prefixes.ids, live.source_of_rows)
        scores[progress.left.any(1), eos_id] = NEG_INF
        values, tokens = topk(scores, n)  # (rows, n) both

        is_first = torch.arange(values.shape[1]) == 0  # (n,)
        is_stuck = values[:, :1].eq(NEG_INF) & is_first  # (rows, n)
        values = torch.where(is_stuck, eos_log_probs[:, None], values)
        tokens = tokens.masked_fill(is_stuck, eos_id)

        needed, is_new = self.phrases.wanted_next(progress)  # (rows, phrases) both
        is_proposed = needed[:, :, None].eq(tokens[:, None]).any(2)  # (rows, phrases)
        is_new &= ~is_proposed
        needed_scores = scores.gather(1, needed).masked_fill(~is_new, NEG_INF)
        values = torch.cat([values, needed_scores], 1)  # (rows, n + phrases)
        tokens = torch.cat([tokens, needed], 1)

        n_sources, beam = live.totals.shape
        totals = values.view(n_sources, beam, -1) + live.totals[..., None]
        # (sources, beam, n + phrases) -> (sources, beam * (n + phrases))
        totals = totals.flatten(1)
        parents = torch.arange(beam).repeat_interleave(tokens.shape[1]).expand_as(totals)
        return Candidates(totals, parents, tokens.view(totals.shape))

    def _best(self, every: Candidates, met: Tensor, kinds: Sequence[Tensor]) -> Candidates:
        """The best num_beams of each kind, kind after kind: (sources, kinds * beam)."""
        width = min(self.beam, every.totals.shape[1])
        missing = (0, self.beam - width)
        every_top = []
        every_index = []
        for kind in kinds:
            top, index = every.totals.masked_fill(~kind, NEG_INF).topk(width, 1)
            every_top.append(pad(top, missing, value=NEG_INF))  # (sources, beam)
            every_index.append(pad(index, missing))
        totals = torch.cat(every_top, 1)  # (sources, kinds * beam)
        indices = torch.cat(every_index, 1)
        parents = every.parents.gather(1, indices)
        tokens = every.tokens.gather(1, indices)
        self.may_finish = met.gather(1, indices).eq(self.phrases.needed)
        return Candidates(totals, parents, tokens)


def _ranks(totals: Tensor) -> Tensor:
    """The rank of each total within its source; 0 is the highest."""
    return totals.argsort(dim=1, descending=True, stable=True).argsort(dim=1)


def allocated(totals: Tensor, banks: Tensor, highest: int, beam: int) -> Tensor:
    """Which candidates (sources, n) get one of `beam` slots; those of bank -1 get none.

    Each bank from 0 to `highest` gets the same number, the highest the remainder too; slots that a bank cannot fill go
    to the next lower one, and from the lowest to any that can fill them, the highest first (Post & Vilar 2018, section
    3.3, as in their Sockeye).
    """
    n_banks = highest + 1
    counts = torch.zeros(len(banks), n_banks + 1, dtype=torch.long)
    counts.scatter_add_(1, highest - banks, torch.ones_like(banks))
    counts = counts[:, :-1]  # (sources, banks), the highest bank first, without -1
    shares = torch.full((n_banks,), beam // n_banks)  # (banks,)
    shares[0] += beam % n_banks

    # What a bank cannot fill is carried to the next lower one.
    sums = (shares - counts).cumsum(1)  # (sources, banks)
    carried_out = sums - sums.cummin(1).values.clamp(max=0)
    carried_in = pad(carried_out[:, :-1], (1, 0))
    slots = shares + carried_in - carried_out

    # What the lowest bank cannot fill goes to the highest with room.
    room = counts - slots
    room_above = room.cumsum(1) - room
    left = carried_out[:, -1:] - room_above
    slots += left.clamp(min=0).minimum(room)

    # A candidate gets a slot if its rank within its bank is below the bank's slots.
    by_total = totals.argsort(dim=1, descending=True, stable=True)
    by_bank = banks.gather(1, by_total).argsort(dim=1, descending=True, stable=True)
    order = by_total.gather(1, by_bank)  # (sources, n), by bank, then by total
    bank_of = highest - banks.gather(1, order)  # 0 for the highest bank
    starts = pad(counts.cumsum(1), (1, 0))  # (sources, banks + 1), of each bank in the order
    ranks = torch.arange(banks.shape[1]) - starts.gather(1, bank_of)
    slots = pad(slots, (0, 1))  # none for bank -1
    is_in = ranks < slots.gather(1, bank_of)
    return torch.zeros_like(is_in).scatter(1, order, is_in)
