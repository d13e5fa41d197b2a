"""The keys and values of tokens written so far, for rows that share a source. Knows nothing of models.

Rows stand in families: those of one source, side by side. A family's rows share one row of slots; which slots a row descends
from is a mask. So a beam that forks copies nothing, and one that dies leaves slots that the next compaction frees.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from s2s.model.attention import KeysValues

ROOM = 16  # tokens a row that there is room for at first
HIDDEN = float("-inf")


class Shape(NamedTuple):
    """Of the keys and values of one token."""

    layers: int
    heads: int
    d_head: int


class Cache:
    """`families` times `width` rows, each of `length` tokens; `used` slots a family are filled."""

    def __init__(self, families: int, shape: Shape, *, like: Tensor, keeps_times: bool) -> None:
        self.families = families
        self.width = 1
        self.used = 0
        self.length = 0
        size = (2, families, shape.heads, ROOM, shape.d_head)  # keys, values
        self.buffers = [like.new_empty(size) for _ in range(shape.layers)]
        self._views: list[KeysValues] = []  # of the buffers, as attention wants them
        self.looks: Tensor | None = (
            None  # (families, width, used): 0, or -inf where a row does not descend from a slot; None = all 0
        )
        # (families or 1, used): when a slot was filled, where somebody asks
        self.times = (
            torch.empty(1, 0, dtype=torch.long, device=like.device) if keeps_times else None
        )

    @property
    def rows(self) -> int:
        """How many there are."""
        return self.families * self.width

    def open(self) -> Tensor | None:
        """Slots for one more token a row; the mask (families, width, slots) to look through, or None where all may look at all."""
        if self.used + self.width > self.buffers[0].shape[3]:
            self._make_room()
        if not self._views:
            self._views = [KeysValues(*buffer.unbind()) for buffer in self.buffers]
        if self.times is not None:
            now = self.times.new_full((len(self.times), self.width), self.length)
            self.times = torch.cat([self.times, now], 1)
        if self.width == 1 and self.looks is None:
            return None
        before = (
            self.buffers[0].new_zeros(self.families, self.width, self.used)
            if self.looks is None
            else self.looks
        )
        own = before.new_full((self.width, self.width), HIDDEN).fill_diagonal_(0.0)
        self.looks = torch.cat([before, own.expand(self.families, -1, -1)], 2)
        return self.looks

    def extend(self, layer: int, new: Tensor) -> KeysValues:
        """Put keys and values (2, families, heads, width, d_head) into the opened slots -> all of the layer's."""
        self.buffers[layer].narrow(3, self.used, self.width).copy_(new)
        keys, values = self._views[layer]
        end = self.used + self.width
        return KeysValues(keys.narrow(2, 0, end), values.narrow(2, 0, end))

    def close(self) -> None:
        """The opened slots are filled in every layer."""
        self.used += self.width
        self.length += 1

    def reorder(self, rows: Tensor) -> Tensor | None:
        """Row i becomes what row `rows[i]` was. The family that each new family was, or None where they are the same ones."""
        kept: Tensor
        kept, sizes = torch.unique_consecutive(rows // self.width, return_counts=True)
        width = len(rows) // len(kept)
        if not bool(sizes.eq(width).all()):
            return self._part(rows)
        if self.looks is not None:
            self.looks = self.looks.flatten(0, 1)[rows].view(len(kept), width, self.used)
        self.width = width
        if len(kept) == self.families and torch.equal(
            kept, torch.arange(self.families, device=kept.device)
        ):
            return None
        self.families = len(kept)
        self.buffers = [buffer.index_select(1, kept) for buffer in self.buffers]
        self._views = []
        if self.times is not None and len(self.times) > 1:
            self.times = self.times[kept]
        return kept

    def _part(self, rows: Tensor) -> Tensor:
        """Families of several sizes: from now on each row is one of its own."""
        family = rows // self.width
        slots = torch.arange(self.used, device=rows.device).expand(len(rows), -1)
        if self.looks is not None:
            chosen = self.looks.flatten(0, 1)[rows].eq(0.0).nonzero()[:, 1]
            slots = chosen.view(len(rows), self.length)  # every row descends from one slot a token
        self.families = len(rows)
        self.width = 1
        self.looks = None
        self._take(family, slots)
        if self.times is not None:
            self.times = torch.arange(self.length, device=rows.device)[None]
        return family

    def _take(self, family: Tensor, slots: Tensor) -> None:
        """New row i of slots holds the slots `slots[i]` of family `family[i]`."""
        room = slots.shape[1] + self.width * ROOM
        heads = torch.arange(self.buffers[0].shape[2], device=slots.device)
        where = (family[:, None, None], heads[:, None], slots[:, None])
        for layer, old in enumerate(self.buffers):
            new = old.new_empty(2, len(slots), len(heads), room, old.shape[4])
            for before, after in zip(old, new, strict=True):
                after[:, :, : slots.shape[1]] = before[where]
            self.buffers[layer] = new
        self.used = slots.shape[1]
        self._views = []

    def _make_room(self) -> None:
        """Drop the slots that nobody descends from any more, if that frees a quarter; else take a quarter more."""
        if self.looks is not None:
            alive = self.looks.eq(0.0).any(1)  # (families, used)
            most = int(alive.sum(1).max())
            if most <= 0.75 * self.used:
                slots = alive.to(torch.uint8).argsort(dim=1, descending=True, stable=True)[:, :most]
                if self.times is not None:
                    self.times = self.times.expand(self.families, -1).gather(1, slots)
                self.looks = self.looks.gather(2, slots[:, None].expand(-1, self.width, -1))
                self._take(torch.arange(self.families, device=slots.device), slots)
                return
        self._views = []
        room = self.used + self.width * max(ROOM, self.length // 4)
        for layer, old in enumerate(self.buffers):
            new = old.new_empty(*old.shape[:3], room, old.shape[4])
            new[..., : self.used, :] = old[..., : self.used, :]
            self.buffers[layer] = new
