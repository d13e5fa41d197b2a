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
from s2s.decode.beam import Beams, Candidates, Running, most_probable, search
from s2s.decode.prefixes import best
from s2s.decode.rules import NEVER, Rulebook, pieces, several
from s2s.decode.stepper import IDS, Found, Stepper, Words

Phrase = tuple[int, ...]
HOPELESS = -1e30  # a total that keeps no search going, and yet is one


@dataclass(frozen=True)
class Constrained(Beams):
    """Settings of lexically constrained beam search."""

    force_words: str = setting(
        "",
        label="Forced words",
        help="Words or phrases that must be written, with commas between; twice for twice.",
    )

    def texts(self) -> dict[str, list[str]]:
        """Those of all strategies, and the words that must appear."""
        return super().texts() | {"force_words": several(self.force_words)}


@torch.inference_mode()
def constrained(stepper: Stepper, config: Constrained, words: Words = IDS) -> list[Found]:
    """Beam search with dynamic beam allocation: the beam is shared out among prefixes that have met 0, 1, 2, ... tokens.

    A phrase's tokens must stand in a row, in any place, be it as the beginning of a longer word; two phrases may share tokens,
    two occurrences of one may not. Where the limit comes too early, the hypotheses that have met the most stand in. With
    `early_stopping` False only prefixes that may end keep the search going. Raises UserError for words that no target can have.
    """
    book = Rulebook(config, stepper, words)
    given = [pieces(words, "force_words", text) for text in several(config.force_words)]
    phrases = _Phrases([phrase for phrase in given if phrase])
    if not phrases.needed:
        return search(
            stepper,
            config,
            book,
            lambda logits, norms, running, n: most_probable(book, logits, norms, running, n),
        )
    _check(phrases, book, words)
    banks = _Banks(phrases, book, config.num_beams)
    return search(
        stepper,
        config,
        book,
        banks.offer,
        leading=banks.leading if config.early_stopping is False else None,
    )


def _check(phrases: _Phrases, book: Rulebook, words: Words) -> None:
    """Raises UserError where the phrases cannot all be written."""
    missing = phrases.needed - int(phrases.met(phrases.after(book.prefix)))
    room = book.limit - len(book.prefix)
    if missing > room:
        given = f"`force_words` takes {missing} tokens and at most {room} may be written"
        raise UserError(f"{given}; leave some out or raise `max_new_tokens`.")
    for phrase in phrases.distinct:
        if book.eos_id in phrase:
            raise UserError(
                f"`force_words`: `{words.decode(phrase)}` holds `</s>`, which comes last in every target; leave it out."
            )
        for bad in book.bad:
            if any(phrase[at : at + len(bad)] == bad for at in range(len(phrase))):
                raise UserError(
                    f"`force_words`: `{words.decode(phrase)}` is forbidden by `bad_words`; leave it out of one of them."
                )


class Progress(NamedTuple):
    """Of each prefix, for each distinct phrase: (..., phrases) each."""

    begun: Tensor  # how many of its tokens the prefix ends in
    left: Tensor  # how often it must still be written


class _Phrases:
    """What must be written; follows all phrases of all prefixes at once, each as Knuth, Morris & Pratt 1977 look for one."""

    def __init__(self, given: Sequence[Phrase]) -> None:
        counts = Counter(given)
        self.distinct = list(counts)
        self.wanted = torch.tensor(list(counts.values()))
        self.lengths = torch.tensor([len(phrase) for phrase in self.distinct])
        self.needed = sum(map(len, given))
        self.tokens = torch.tensor(sorted({token for phrase in given for token in phrase}))
        longest = max(map(len, given), default=0)
        self.written = torch.tensor(
            [[*phrase, *[-1] * (longest - len(phrase))] for phrase in self.distinct]
        )  # (phrases, longest)
        self.moves = torch.tensor(
            [_moves(phrase, self.tokens.tolist(), longest) for phrase in self.distinct]
        )

    def after(self, ids: Sequence[int]) -> Progress:
        """Of one prefix, (phrases,) each."""
        progress = Progress(torch.zeros_like(self.wanted), self.wanted)
        for token in ids:
            progress = self.advance(progress, torch.tensor(token))
        return progress

    def advance(self, progress: Progress, tokens: Tensor) -> Progress:
        """After one more token each (...)."""
        places = torch.searchsorted(self.tokens, tokens.contiguous()).clamp(
            max=len(self.tokens) - 1
        )
        places = torch.where(
            self.tokens[places].eq(tokens), places, len(self.tokens)
        )  # the last column is every other token
        begun = self.moves[torch.arange(len(self.distinct)), progress.begun, places[..., None]]
        is_whole = begun.eq(self.lengths)
        return Progress(
            begun.masked_fill(is_whole, 0), (progress.left - is_whole.long()).clamp(min=0)
        )

    def met(self, progress: Progress) -> Tensor:
        """Tokens of whole phrases and of the one that has got furthest (...): some next token always adds one at least."""
        whole = ((self.wanted - progress.left) * self.lengths).sum(-1)
        return whole + (progress.begun * progress.left.gt(0)).amax(-1)

    def wanted_next(self, progress: Progress) -> tuple[Tensor, Tensor]:
        """The token that each phrase wants now, and whether it is wanted and no phrase before wants the same: (rows, phrases)."""
        tokens = self.written[torch.arange(len(self.distinct)), progress.begun]
        same = tokens[:, :, None].eq(tokens[:, None]) & progress.left[:, None].gt(
            0
        )  # (rows, phrases, phrases)
        return tokens, progress.left.gt(0) & ~same.tril(-1).any(2)


def _moves(phrase: Phrase, tokens: Sequence[int], longest: int) -> list[list[int]]:
    """Begun so far and the next token -> begun then, the phrase's length where that makes it whole: (longest, tokens + 1)."""

    def after(held: Phrase) -> int:
        return next(n for n in range(len(held), -1, -1) if phrase[:n] == held[len(held) - n :])

    rows = [
        [*(after((*phrase[:begun], token)) for token in tokens), 0] for begun in range(len(phrase))
    ]
    return rows + [[0] * (len(tokens) + 1)] * (longest - len(phrase))


class _Banks:
    """Offers the beam's places to prefixes by how many tokens they have met; remembers how far each row has got."""

    def __init__(self, phrases: _Phrases, book: Rulebook, width: int) -> None:
        self.phrases = phrases
        self.book = book
        self.width = width
        self.progress: Progress | None = None
        self.has_ended = torch.zeros(len(book.sources), dtype=torch.bool)
        self.may_end = torch.empty(0, 0)

    def offer(self, logits: Tensor, norms: Tensor, running: Running, n: int) -> Candidates:
        """First what ends, then what goes on; where nothing can, what has met the most ends."""
        progress = self.progress = self._progress(running)
        every = self._candidates(logits - norms, running, progress, n)
        rows = every.parents + torch.arange(len(every.totals))[:, None] * running.totals.shape[1]
        met = self.phrases.met(
            self.phrases.advance(Progress(*(part[rows] for part in progress)), every.tokens)
        )
        met = met.masked_fill(every.totals.eq(NEVER), -1)
        numbers = torch.tensor(running.sources)
        ends = every.tokens.eq(self.book.eos_id)
        going = met.masked_fill(ends, -1)
        is_last = going.amax(1).lt(0) | (
            running.prefixes.length + 1 == self.book.limit
        )  # of each source
        least = torch.where(
            self.has_ended[numbers] | ~is_last, self.phrases.needed, met.amax(1).clamp(min=0)
        )
        ending = met.ge(least[:, None]) & (ends | is_last[:, None])
        ending &= _ranks(every.totals.masked_fill(met.lt(least[:, None]), NEVER)).lt(self.width)
        self.has_ended[numbers] |= ending.any(1)
        going = going.masked_fill(is_last[:, None], -1)
        return self._laid(
            every, met, [ending, allocated(every.totals, going, self.phrases.needed, self.width)]
        )

    def leading(self, totals: Tensor) -> Tensor:
        """Prefixes that may not end yet keep no search going that has found enough."""
        return torch.where(self.may_end | totals.eq(NEVER), totals, HOPELESS)

    def _progress(self, running: Running) -> Progress:
        if self.progress is None:
            first = self.phrases.after(self.book.prefix)
            return Progress(*(part.expand(len(running.rows), -1) for part in first))
        return self.phrases.advance(
            Progress(*(part[running.rows] for part in self.progress)), running.prefixes.last
        )

    def _candidates(
        self, log_probs: Tensor, running: Running, progress: Progress, n: int
    ) -> Candidates:
        """The n best of each row, and what advances it: (sources, width * (n + phrases)).

        No end while words are missing, but where the rules allow nothing else.
        """
        end = log_probs[:, self.book.eos_id].clone()
        scores = self.book.apply(log_probs, running.prefixes.ids, running.source_of_rows)
        scores[progress.left.any(1), self.book.eos_id] = NEVER
        values, tokens = best(scores, n)
        is_stuck = values[:, :1].eq(NEVER) & (torch.arange(values.shape[1]) == 0)
        values = torch.where(is_stuck, end[:, None], values)
        tokens = tokens.masked_fill(is_stuck, self.book.eos_id)
        advancing, is_new = self.phrases.wanted_next(progress)
        is_new &= ~advancing[:, :, None].eq(tokens[:, None]).any(2)
        values = torch.cat([values, scores.gather(1, advancing).masked_fill(~is_new, NEVER)], 1)
        tokens = torch.cat([tokens, advancing], 1)
        totals = (values.view(*running.totals.shape, -1) + running.totals[..., None]).flatten(1)
        parents = (
            torch.arange(running.totals.shape[1])
            .repeat_interleave(tokens.shape[1])
            .expand_as(totals)
        )
        return Candidates(totals, parents, tokens.view(totals.shape))

    def _laid(self, every: Candidates, met: Tensor, kinds: Sequence[Tensor]) -> Candidates:
        """The best num_beams of each kind, kind after kind."""
        width = min(self.width, every.totals.shape[1])
        tops = [every.totals.masked_fill(~kind, NEVER).topk(width, 1) for kind in kinds]
        missing = (0, self.width - width)
        totals = torch.cat([pad(top.values, missing, value=NEVER) for top in tops], 1)
        places = torch.cat([pad(top.indices, missing) for top in tops], 1)
        self.may_end = met.gather(1, places).eq(self.phrases.needed)
        return Candidates(totals, every.parents.gather(1, places), every.tokens.gather(1, places))


def _ranks(totals: Tensor) -> Tensor:
    """0 for the highest of each source."""
    return totals.argsort(dim=1, descending=True, stable=True).argsort(dim=1)


def allocated(totals: Tensor, banks: Tensor, highest: int, width: int) -> Tensor:
    """Which candidates (sources, n) get one of `width` places; those of bank -1 get none.

    Each bank from 0 to `highest` gets as many, the highest the rest too; places that a bank cannot fill go to the next below,
    and from the lowest to whoever can, the highest first (Post & Vilar 2018, section 3.3, as in their Sockeye).
    """
    counts = torch.zeros(len(banks), highest + 2, dtype=torch.long).scatter_add_(
        1, highest - banks, torch.ones_like(banks)
    )
    counts = counts[:, :-1]  # the highest bank first, without -1
    shares = torch.full((highest + 1,), width // (highest + 1))
    shares[0] += width % (highest + 1)
    sums = (shares - counts).cumsum(1)
    carried = sums - sums.cummin(1).values.clamp(max=0)  # past each bank
    places = shares + pad(carried[:, :-1], (1, 0)) - carried
    room = counts - places
    places += (carried[:, -1:] - (room.cumsum(1) - room)).clamp(min=0).minimum(room)
    order = totals.argsort(dim=1, descending=True, stable=True)
    order = order.gather(
        1, banks.gather(1, order).argsort(dim=1, descending=True, stable=True)
    )  # by bank, then by total
    in_order = highest - banks.gather(1, order)  # 0 for the highest bank
    starts = pad(counts.cumsum(1), (1, 0))
    ranks = torch.arange(banks.shape[1]) - starts.gather(1, in_order)
    gets = ranks < pad(places, (0, 1)).gather(1, in_order)
    return torch.zeros_like(gets).scatter(1, order, gets)
