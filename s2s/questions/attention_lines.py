"""Attention of several heads side by side, as lines."""

from __future__ import annotations

from dataclasses import dataclass

from s2s.analysis import AttentionMap, Cell, HeadSelection, strongest_cells
from s2s.config import UserError
from s2s.questions.attention_of import KIND_NAMES, MEAN, AttentionOf, ForcedAttention
from s2s.questions.question import view
from s2s.questions.row_finding import row_finding
from s2s.questions.table import Table

SHARE_STEP = 0.05


def is_share(text: str) -> bool:
    """Whether a link's text is a share of the weight that the slider can show."""
    try:
        return SHARE_STEP <= float(text) <= 1
    except ValueError:
        return False


@dataclass(frozen=True)
class AttentionLines(AttentionOf):
    """The strongest weights of each row, until they cover a share of it, as lines between two columns of tokens.

    `heads` are drawn side by side: `1.2 2.4`, layer.head from 1; without any, the layer and head of a heatmap.
    """

    heads: str = view("", label="Heads, side by side")
    share: str = view("0.75", is_share, label="Share of the weight drawn")

    def maps(self, answer: ForcedAttention) -> dict[HeadSelection, AttentionMap]:
        """Of the heads, or of the selection. Raises UserError for a head that there is not."""
        chosen = [self._head(name, answer) for name in self.heads.split()] or [self.which(answer)]
        return {which: self.simplified(answer, which).picture for which in chosen}

    def cells(self, answer: ForcedAttention) -> dict[str, list[Cell]]:
        """The weights that are drawn, by layer.head."""
        share = float(self.share)
        return {
            layer_head(which): strongest_cells(picture.weights, share)
            for which, picture in self.maps(answer).items()
        }

    def table(self, answer: ForcedAttention) -> Table:
        maps = self.maps(answer)
        one = next(iter(maps.values()))
        rows = [
            [layer_head(which), token, *row.tolist()]
            for which, picture in maps.items()
            for token, row in zip(picture.rows, picture.weights, strict=True)
        ]
        return Table(["head", one.verb, *one.keys], rows)

    def finding(self, answer: ForcedAttention) -> str:
        maps = [*self.maps(answer).values()]
        return row_finding(maps[0], is_part=self.drop) if len(maps) == 1 else ""

    def _head(self, name: str, answer: ForcedAttention) -> HeadSelection:
        n_layers, n_heads = answer.attention.view(self.kind).weights.shape[:2]
        if (found := head_at(name, n_layers, n_heads)) is None:
            raise UserError(
                f"There is no head {name[:20]} of {KIND_NAMES[self.kind]} in this model, which has {n_layers} layers"
                f" of {n_heads} heads; give layer.head from 1, such as 1.1."
            )
        return HeadSelection(self.kind, *found)


def head_at(name: str, n_layers: int, n_heads: int) -> tuple[int, int] | None:
    """`2.3` as layer and head, 0-based; None for one that there is not."""
    layer, _, head = name.partition(".")
    is_there = layer.isdecimal() and head.isdecimal()
    if not (is_there and 1 <= int(layer) <= n_layers and 1 <= int(head) <= n_heads):
        return None
    return int(layer) - 1, int(head) - 1


def layer_head(which: HeadSelection) -> str:
    """`2.3`, the third head of layer 2."""
    indices = (which.layer, which.head)
    return ".".join(MEAN if index is None else str(index + 1) for index in indices)
