"""Keys and values of earlier tokens, for rows that share a source. Knows nothing of models.

The rows of one source (its beam) share one row of slots, and a mask says which slots each of them descends from. So a
beam that forks copies nothing, and a hypothesis that is dropped leaves slots that the next compaction frees.
"""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

import torch
from torch import Tensor

from s2s.model.attention import KeysValues

ROOM = 16  # tokens per row that there is room for at first
HIDDEN = float("-inf")


class Shape(NamedTuple):
    """How many keys and values one token has."""

    layers: int
    heads: int
    d_head: int


class Cache:
    """Keys and values of `sources` times `beam` rows, each of `length` tokens; of every source's slots the first `used`
    are filled.

    `descends` (sources, beam, used) is 0, or -inf where a row does not descend from a slot; None where it is all 0.
    `times` (sources or 1, used) says which position each slot holds, where `keeps_times` asks for it.
    """

    def __init__(self, sources: int, shape: Shape, *, like: Tensor, keeps_times: bool) -> None:
        self.sources = sources
        self.beam = 1
        self.used = 0
        self.length = 0
        size = (2, sources, shape.heads, ROOM, shape.d_head)  # keys, values
        self.buffers = [like.new_empty(size) for _ in range(shape.layers)]
        self._views: list[KeysValues] = []  # of the buffers
        self.descends: Tensor | None = None
        self._own = like.new_empty(0, 0)  # (beam, beam), `descends` of the opened slots
        self.times: Tensor | None = None
        if keeps_times:
            self.times = torch.empty(1, 0, dtype=torch.long, device=like.device)

    @property
    def rows(self) -> int:
        """How many rows there are: sources times beam."""
        return self.sources * self.beam

    def open(self) -> Tensor | None:
        """Open a slot per row for its next token. Returns `descends` with them, (sources, beam, slots)."""
        if self.used + self.beam > self.buffers[0].shape[3]:
            self._make_room()
        if not self._views:
            self._views = [KeysValues(*buffer.unbind()) for buffer in self.buffers]
        if self.times is not None:
            now = self.times.new_full((len(self.times), self.beam), self.length)
            self.times = torch.cat([self.times, now], 1)  # (sources or 1, used + beam)
        if self.beam == 1 and self.descends is None:
            return None
        earlier = self.descends
        if earlier is None:
            earlier = self.buffers[0].new_zeros(self.sources, self.beam, self.used)
        if self._own.size(0) != self.beam:
            hidden = earlier.new_full((self.beam, self.beam), HIDDEN)
            self._own = hidden.fill_diagonal_(0.0)
        own = self._own.expand(self.sources, -1, -1)  # (sources, beam, beam)
        self.descends = torch.cat([earlier, own], 2)  # (sources, beam, used + beam)
        return self.descends

    def extend(self, layer: int, new: Tensor) -> KeysValues:
        """Put keys and values (2, sources, heads, beam, d_head) into the opened slots; returns all of the layer's."""
        opened = self.buffers[layer].narrow(3, self.used, self.beam)
        opened.copy_(new)
        keys, values = self._views[layer]
        end = self.used + self.beam
        return KeysValues(keys.narrow(2, 0, end), values.narrow(2, 0, end))

    def close(self) -> None:
        """Count the opened slots as filled, in every layer."""
        self.used += self.beam
        self.length += 1

    def reorder(self, rows: Tensor) -> Tensor | None:
        """Row i becomes what row `rows[i]` was. Returns which source each source was; None where none moved."""
        source_of_rows = (rows // self.beam).tolist()
        rows = rows.to(self.buffers[0].device)
        runs = [(source, len(list(run))) for source, run in groupby(source_of_rows)]
        sources = [source for source, _ in runs]
        sizes = {size for _, size in runs}
        if len(sizes) > 1:
            return self._separate(rows)
        (beam,) = sizes
        if self.descends is not None:
            by_row = self.descends.flatten(0, 1)  # (sources * beam, used)
            moved = by_row.index_select(0, rows)  # (len(rows), used)
            self.descends = moved.view(len(sources), beam, self.used)
        self.beam = beam
        if sources == list(range(self.sources)):
            return None
        kept = torch.tensor(sources, device=rows.device)
        self.sources = len(sources)
        self.buffers = [buffer.index_select(1, kept) for buffer in self.buffers]
        self._views = []
        if self.times is not None and len(self.times) > 1:
            self.times = self.times[kept]
        return kept

    def _separate(self, rows: Tensor) -> Tensor:
        """Where beams differ in size: each row becomes a source of its own."""
        source = rows // self.beam
        if self.descends is None:
            slots = torch.arange(self.used, device=rows.device).expand(len(rows), -1)
        else:
            by_row = self.descends.flatten(0, 1)  # (sources * beam, used)
            descends = by_row[rows].eq(0.0)  # (len(rows), used)
            # A row descends from one slot per token.
            slots = descends.nonzero()[:, 1].view(len(rows), self.length)
        self.sources = len(rows)
        self.beam = 1
        self.descends = None
        self._gather(source, slots)
        if self.times is not None:
            self.times = torch.arange(self.length, device=rows.device)[None]
        return source

    def _gather(self, source: Tensor, slots: Tensor) -> None:
        """The new source i holds the slots `slots[i]` of the old source `source[i]`."""
        n_sources, used = slots.shape
        room = used + self.beam * ROOM
        _, _, n_heads, _, d_head = self.buffers[0].shape
        heads = torch.arange(n_heads, device=slots.device)
        # Together (sources, heads, used).
        where = (source[:, None, None], heads[:, None], slots[:, None])
        for layer, old in enumerate(self.buffers):
            new = old.new_empty(2, n_sources, n_heads, room, d_head)
            for before, after in zip(old, new, strict=True):
                after[:, :, :used] = before[where]
            self.buffers[layer] = new
        self.used = used
        self._views = []

    def _make_room(self) -> None:
        """Drop the slots that no row descends from, if that frees a quarter; else take a quarter more."""
        if self.descends is not None:
            alive = self.descends.eq(0.0).any(1)  # (sources, used)
            counts = alive.sum(1)  # (sources,)
            most = int(counts.max())
            if most <= 0.75 * self.used:
                self._compact(alive, most)
                return
        self._views = []
        room = self.used + self.beam * max(ROOM, self.length // 4)
        for layer, old in enumerate(self.buffers):
            new = old.new_empty(*old.shape[:3], room, old.shape[4])
            new[..., : self.used, :] = old[..., : self.used, :]
            self.buffers[layer] = new

    def _compact(self, alive: Tensor, most: int) -> None:
        """Keep `most` slots per source, the living ones (sources, used) first, in their order."""
        order = alive.to(torch.uint8).argsort(dim=1, descending=True, stable=True)
        slots = order[:, :most]  # (sources, most)
        if self.times is not None:
            self.times = self.times.expand(self.sources, -1).gather(1, slots)
        if self.descends is not None:
            of_beams = slots[:, None].expand(-1, self.beam, -1)  # (sources, beam, most)
            self.descends = self.descends.gather(2, of_beams)
        every_source = torch.arange(self.sources, device=slots.device)
        self._gather(every_source, slots)
