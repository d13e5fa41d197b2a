"""A model laid out for decoding: the numbers its modules give, in a fraction of the calls and the time. Knows nothing of search."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from s2s.model.attention import KeysValues
from s2s.model.fast.cache import Cache
from s2s.model.fast.one_source import run_layers
from s2s.model.fast.products import NoProduct, Product, Turn, added, affine, rounded
from s2s.model.layers import FeedForward
from s2s.model.positions import Absolute, Position, Rotary
from s2s.model.transformer import DecoderLayer, Encoder, EncoderLayer, Transformer

HANDFUL = 8  # rows of one source up to which a step takes the time of its operations rather than of its products
SHORT = 16  # keys that fill a register; over fewer of them attention takes longer than over as many
COPIED = (
    2**25
)  # numbers of an output matrix that is still copied into the orders in which it is multiplied fastest


class View(NamedTuple):
    """What every layer of a step is told."""

    cache: Cache
    mask: (
        Tensor | None
    )  # (families or 1, heads or 1, width or 1, slots), added to the scores of looking back
    src_mask: (
        Tensor | None
    )  # (families, 1, 1, src_len), added to the scores of looking at the source


class Folded(NamedTuple):
    """One layer's memory of a single source with the weights around it multiplied in: looking at it takes two products, not four."""

    keys: Tensor  # (d_model, heads * src_len), states to scores
    bias: Tensor | None  # (heads * src_len,)
    values: Tensor  # (heads * src_len, d_model), weights to what is added
    added: Tensor | None  # (d_model,), to every row


Memory = KeysValues | Folded


class FlatModel:
    """A `Transformer` for as long as no weight of it changes: what is laid out is made when it is first needed."""

    def __init__(self, model: Transformer) -> None:
        self.embed = model.decoder.embed
        self.position = model.decoder.embed.position
        self.weights = tuple(model.parameters())
        self.encoder_hooks = _hooks(model.encoder)
        self.decoder_hooks = _hooks(model.decoder)
        self.state = self._state()
        self.encode = FlatEncoder(model.encoder)
        self.layers = [
            FlatLayer(cast(DecoderLayer, layer), self.position) for layer in model.decoder.layers
        ]
        crosses = [cast(DecoderLayer, layer).cross_attention for layer in model.decoder.layers]
        self.heads = (crosses[0].n_heads, crosses[0].d_head)
        self._remember = affine([part for cross in crosses for part in (cross.key, cross.value)])
        self.places = torch.empty(0)
        self.has_bias = self.position.bias(1, 1, model.device) is not None
        self.table = self.embed.tokens.weight
        self.scale = self.embed.tokens.scale
        self.pad_id = self.embed.pad_id
        self.is_absolute = isinstance(self.position, Absolute)
        self.skips_padding = self.position.settings.skip_padding
        self.first_norm = _norm(self.embed.norm)
        self.last_norm = _norm(model.decoder.final_norm)
        self.projection = matrix, bias, scale = model.projection
        self.project = (
            Product(matrix if scale == 1.0 else matrix * scale, bias)
            if matrix.numel() <= COPIED
            else model.project
        )
        norm = model.config.norm
        activation = model.config.feed_forward.activation
        self.settings = {
            "n_heads": self.heads[0],
            "eps": norm.eps,
            "is_pre": norm.place == "pre",
            "activation": activation,
        }
        self.has_all_parts = _has_all_parts(model)

    @functools.cached_property
    def project_fast(self) -> Turn:
        """`project` with matrix and states rounded to 8 bits, each word's row and each state on a scale of its own."""
        matrix, bias, scale = self.projection
        return rounded(
            matrix.detach().float() * scale, None if bias is None else bias.detach().float()
        )

    def is_stale(self) -> bool:
        """Whether a weight has changed since."""
        return self._state() != self.state

    def _state(self) -> list[tuple[int, int]]:
        return [(weight.data_ptr(), weight._version) for weight in self.weights]

    def read(self, memory: Tensor) -> list[KeysValues]:
        """`Decoder.read` in one product: each layer's keys and values of the memory (batch, src_len, d_model).

        Those of several sources have at least `SHORT` slots.
        """
        batch, src_len, _ = memory.shape
        layers = self._remember(memory.flatten(0, 1)).view(
            batch, src_len, len(self.layers), 2, *self.heads
        )
        by_layer = layers.permute(2, 3, 0, 4, 1, 5)  # (layers, 2, batch, heads, src_len, d_head)
        slots = by_layer.contiguous() if batch == 1 else lengthened(by_layer)
        return [KeysValues(keys, values) for keys, values in slots]

    def fold(self, memories: Sequence[KeysValues]) -> Sequence[Memory]:
        """The memories of a single source without padding, folded where that is less to multiply."""
        _, heads, src_len, _ = memories[0].keys.shape
        can_fold = (
            isinstance(self.layers[0].cross_out, Product)
            and heads * src_len <= 2 * self.embed.tokens.embedding_dim
        )
        return (
            [layer.fold(memory) for layer, memory in zip(self.layers, memories, strict=True)]
            if can_fold
            else memories
        )

    @functools.cached_property
    def parts(self) -> list[list[Tensor | None]]:
        """What `one_source.run_layers` is given of each layer."""
        return [layer.parts() for layer in self.layers]

    def step(
        self, tokens: Tensor, cache: Cache, memories: Sequence[Memory], src_mask: Tensor | None
    ) -> Tensor:
        """(rows,) -> (rows, d_model); the cache grows by one token a row."""
        x = self._vectors(tokens, cache.length)
        mask = self._mask(cache)
        if self.has_all_parts and cache.width <= HANDFUL and isinstance(memories[0], Folded):
            folded = [list(memory) for memory in memories]
            x = run_layers()(
                x,
                mask,
                cache.used,
                buffers=cache.buffers,
                weights=self.parts,
                memories=folded,
                **self.settings,
            )
        else:
            view = View(cache, mask, src_mask)
            for number, (layer, memory) in enumerate(zip(self.layers, memories, strict=True)):
                x = layer(x, number, memory, view)
        cache.close()
        return self.last_norm(x)

    def _vectors(self, tokens: Tensor, start: int) -> Tensor:
        """(rows,) -> (rows, d_model), the norm of embeddings included."""
        x = torch.embedding(self.table, tokens)
        if self.is_absolute:
            place = self._places(start)
            x = torch.add(
                place * tokens.ne(self.pad_id)[:, None] if self.skips_padding else place,
                x,
                alpha=self.scale,
            )
        elif self.scale != 1.0:
            x = x * self.scale
        return self.first_norm(x)

    def _places(self, start: int) -> Tensor:
        """(d_model,), the vector of a position; read from the module some at a time."""
        if start >= len(self.places):
            position = cast(Absolute, self.position)
            first = position.settings.offset
            most = position.settings.max_length if position.settings.kind == "learned" else 2**31
            end = first + min(most, 2 * start + 32)
            self.places = position.rows(torch.arange(first, end, device=self.table.device), end)
        return self.places.select(0, start)

    def _mask(self, cache: Cache) -> Tensor | None:
        looks = cache.open()
        mask = None if looks is None else looks[:, None]  # (families, 1, width, slots)
        if cache.times is None:
            return mask
        bias = self.position.bias(1, cache.length + 1, cache.times.device)  # (1, heads, 1, length)
        if bias is None:
            return mask
        by_slot = bias[0, :, 0][:, cache.times].transpose(0, 1)[
            :, :, None
        ]  # -> (families or 1, heads, 1, slots)
        return by_slot if mask is None else by_slot + mask


def _hooks(module: nn.Module) -> list[dict[int, Any]]:
    """The dictionaries of all that looks at what goes in or out of the modules: empty ones where nothing does. Torch has no public way."""
    return [
        hooks
        for part in module.modules()
        for hooks in (part._forward_hooks, part._forward_pre_hooks)
    ]


def _has_all_parts(model: Transformer) -> bool:
    """Whether layers are made of what `one_source` knows."""
    config = model.config
    position = model.decoder.embed.position
    is_usual = (
        config.attention.output_projection
        and config.norm.kind == "layer"
        and not config.feed_forward.gated
    )
    return (
        is_usual
        and bool(config.decoder.d_ff)
        and not isinstance(position, Rotary)
        and model.device.type == "cpu"
    )


def lengthened(keys: Tensor) -> Tensor:
    """Keys or values (..., len, d_head), with zeros after them up to `SHORT`; to be hidden."""
    return F.pad(keys, (0, 0, 0, max(0, SHORT - keys.shape[-2]))).contiguous()


def laid_out(model: Transformer) -> FlatModel:
    """The one made before, if no weight has changed since. Hold the model's lock."""
    made: FlatModel | None = model.flat
    if made is None or made.is_stale():
        made = model.flat = FlatModel(model)
    return made


class FlatEncoder:
    """`Encoder`; the scale of the scores stands in the queries' weights."""

    def __init__(self, encoder: Encoder) -> None:
        self.embed = encoder.embed
        self.last_norm = _norm(encoder.final_norm)
        self.layers = [
            FlatEncoderLayer(cast(EncoderLayer, layer), encoder.embed.position)
            for layer in encoder.layers
        ]

    def __call__(self, src: Tensor, hidden: Tensor | None) -> Tensor:
        """(batch, src_len) -> memory (batch, src_len, d_model); `hidden` (batch, 1, 1, slots) is added to the scores.

        Where there are more slots than tokens, the last ones are empty.
        """
        x, (batch, length) = self.embed(src), src.shape
        bias = self.embed.position.bias(length, length, src.device)
        if bias is not None and hidden is not None:
            bias = F.pad(bias, (0, hidden.shape[-1] - length)) + hidden
        mask = hidden if bias is None else bias
        x = x.flatten(0, 1)
        for layer in self.layers:
            x = layer(x, (batch, length), mask)
        return self.last_norm(x).view(batch, length, -1)


class FlatEncoderLayer:
    """`EncoderLayer`."""

    def __init__(self, layer: EncoderLayer, position: Position) -> None:
        own = layer.self_attention
        ff = layer.feed_forward
        self.heads = own.n_heads
        self.d_head = own.d_head
        self.inner = own.n_heads * own.d_head
        self.rotate = position.rotate if isinstance(position, Rotary) else None
        self.ask = affine([own.query, own.key, own.value], own.scale)
        self.out = _out(own.output)
        self.feed_forward = None if ff is None else FlatFeedForward(ff)
        self.is_pre = layer.self_residual.is_pre
        residuals = (layer.self_residual, layer.feed_forward_residual)
        self.norms = [_same if residual is None else _norm(residual.norm) for residual in residuals]

    def __call__(self, x: Tensor, grid: tuple[int, int], mask: Tensor | None) -> Tensor:
        """(batch * src_len, d_model) -> the same shape."""
        first, second = self.norms
        if self.is_pre:
            x = self._look(first(x), x, grid, mask)
            return x if self.feed_forward is None else self.feed_forward(second(x), x)
        x = first(self._look(x, x, grid, mask))
        return x if self.feed_forward is None else second(self.feed_forward(x, x))

    def _look(self, y: Tensor, x: Tensor, grid: tuple[int, int], mask: Tensor | None) -> Tensor:
        all_three = self.ask(y).view(*grid, 3, self.heads, self.d_head)
        queries, keys, values = (part.transpose(1, 2) for part in all_three.unbind(2))
        if self.rotate is not None:
            queries = self.rotate(queries)
            keys = self.rotate(keys)
        if mask is not None and mask.shape[-1] > keys.shape[2]:
            keys = lengthened(keys)
            values = lengthened(values)
        gathered = F.scaled_dot_product_attention(queries, keys, values, mask, scale=1.0)
        return self.out.onto(gathered.transpose(1, 2).reshape(-1, self.inner), x)


class FlatLayer:
    """`DecoderLayer`; the scale of the scores stands in the queries' weights.

    Where norms stand after the sums, a norm adds what the next sublayer's output adds to every row, its bias, beforehand: the stream
    that comes to that sublayer is `ahead` by so much, which its first products take away again.
    """

    def __init__(self, layer: DecoderLayer, position: Position) -> None:
        own = layer.self_attention
        cross = layer.cross_attention
        ff = layer.feed_forward
        self.heads = own.n_heads
        self.d_head = own.d_head
        self.inner = own.n_heads * own.d_head
        self.rotate = position.rotate if isinstance(position, Rotary) else None
        self.is_pre = layer.self_residual.is_pre
        can = not self.is_pre and isinstance(layer.self_residual.norm, nn.LayerNorm)
        before_cross, before_ff = (
            _bias(part) if can else None for part in (cross.output, None if ff is None else ff.down)
        )
        self.look_back = affine([own.query, own.key, own.value], own.scale)
        self.ask = affine([cross.query], cross.scale, ahead=before_cross)
        self.own_out = _out(own.output)
        self.cross_out = _out(cross.output, is_ahead=before_cross is not None)
        self.feed_forward = None if ff is None else FlatFeedForward(ff, before_ff)
        residuals = (layer.self_residual, layer.cross_residual, layer.feed_forward_residual)
        aheads = (before_cross, before_ff, None)
        self.norms = [
            _same if part is None else _norm(part.norm, ahead)
            for part, ahead in zip(residuals, aheads, strict=True)
        ]

    def fold(self, memory: KeysValues) -> Folded:
        """The layer's keys and values (1, heads, src_len, d_head) of one source."""
        out, (keys, values) = cast(Product, self.cross_out), (part[0] for part in memory)
        by_head = self.ask.turned.view(-1, self.heads, self.d_head).permute(
            1, 2, 0
        )  # (heads, d_head, d_model)
        bias = (
            None
            if self.ask.bias is None
            else torch.bmm(keys, self.ask.bias.view(self.heads, self.d_head, 1)).flatten()
        )
        weighed = torch.bmm(
            values, out.turned.view(self.heads, self.d_head, -1)
        )  # (heads, src_len, d_model)
        return Folded(
            torch.bmm(keys, by_head).flatten(0, 1).t(), bias, weighed.flatten(0, 1), out.bias
        )

    def parts(self) -> list[Tensor | None]:
        """Of products and norms weight and bias, in the order of a layer, where there are all of them."""
        ff = cast(FlatFeedForward, self.feed_forward)
        products = [
            cast(Product, product) for product in (self.look_back, self.own_out, ff.up, ff.down)
        ]
        norms = [cast(FlatNorm, norm) for norm in self.norms]
        return [part for one in products for part in (one.turned, one.bias)] + [
            part for norm in norms for part in (norm.weight, norm.bias)
        ]

    def __call__(self, x: Tensor, number: int, memory: Memory, view: View) -> Tensor:
        """(rows, d_model) -> (rows, d_model)."""
        first, second, third = self.norms
        if self.is_pre:
            x = self._look_back(first(x), x, number, view)
            x = self._look_at(second(x), x, memory, view)
            return x if self.feed_forward is None else self.feed_forward(third(x), x)
        x = first(self._look_back(x, x, number, view))
        x = second(self._look_at(x, x, memory, view))
        return x if self.feed_forward is None else third(self.feed_forward(x, x))

    def _look_back(self, y: Tensor, x: Tensor, number: int, view: View) -> Tensor:
        all_three = self.look_back(y).view(
            view.cache.families, view.cache.width, 3, self.heads, self.d_head
        )
        if self.rotate is not None:
            both = all_three.narrow(2, 0, 2)  # (families, width, 2, heads, d_head)
            turned = self.rotate(
                both.reshape(-1, 2 * self.heads, 1, self.d_head), view.cache.length
            )
            both.copy_(turned.view(both.shape))
        by_kind = all_three.permute(2, 0, 3, 1, 4)  # (3, families, heads, width, d_head)
        gathered = _gathered(
            by_kind.select(0, 0), view.cache.extend(number, by_kind.narrow(0, 1, 2)), view.mask
        )
        return self.own_out.onto(
            (gathered if view.cache.width == 1 else gathered.transpose(1, 2)).reshape(
                -1, self.inner
            ),
            x,
        )

    def _look_at(self, y: Tensor, x: Tensor, memory: Memory, view: View) -> Tensor:
        """A family's rows are so many queries of one memory."""
        if isinstance(memory, Folded):
            scores = (
                torch.mm(y, memory.keys)
                if memory.bias is None
                else torch.addmm(memory.bias, y, memory.keys)
            )
            weights = scores.view(y.size(0), self.heads, -1).softmax(-1).view(scores.shape)
            return added(weights, memory.values, memory.added, x)
        grid = (view.cache.families, view.cache.width, self.heads, self.d_head)
        queries = self.ask(y).view(grid).transpose(1, 2)
        gathered = _gathered(queries, memory, view.src_mask)
        return self.cross_out.onto(
            (gathered if view.cache.width == 1 else gathered.transpose(1, 2)).reshape(
                -1, self.inner
            ),
            x,
        )


def _gathered(queries: Tensor, memory: KeysValues, mask: Tensor | None) -> Tensor:
    """Attention of few queries (families, heads, width, d_head); on CPUs two products are then faster than a fused kernel."""
    if queries.size(0) == 1 or queries.device.type != "cpu":
        return F.scaled_dot_product_attention(queries, memory.keys, memory.values, mask, scale=1.0)
    keys, values = (part.flatten(0, 1) for part in memory)  # (families * heads, slots, d_head)
    scores = torch.bmm(queries.flatten(0, 1), keys.transpose(1, 2))
    if mask is not None:
        scores.view(*queries.shape[:3], -1).add_(mask)
    return torch.bmm(scores.softmax(-1), values).view(queries.shape)


class FlatFeedForward:
    """`FeedForward` of the first vectors, added to the second ones."""

    def __init__(self, ff: FeedForward, ahead: Tensor | None = None) -> None:
        self.up = affine([ff.up], ahead=ahead)
        self.down = _out(ff.down, is_ahead=ahead is not None)
        self.gate = None if ff.gate is None else affine([ff.gate], ahead=ahead)
        self.activation = torch.relu_ if ff.activation is F.relu else ff.activation

    def __call__(self, y: Tensor, x: Tensor) -> Tensor:
        """(rows, d_model) both."""
        hidden = (
            self.activation(self.up(y))
            if self.gate is None
            else self.activation(self.gate(y)) * self.up(y)
        )
        return self.down.onto(hidden, x)


class FlatNorm:
    """`nn.LayerNorm`, and what the stream is to be ahead by."""

    def __init__(self, norm: nn.LayerNorm, ahead: Tensor | None) -> None:
        self.shape = norm.normalized_shape
        self.weight = norm.weight
        self.eps = norm.eps
        self.bias = (
            ahead if norm.bias is None else norm.bias if ahead is None else norm.bias + ahead
        )

    def __call__(self, x: Tensor) -> Tensor:
        """(rows, d_model) -> (rows, d_model)."""
        return torch.layer_norm(x, self.shape, self.weight, self.bias, self.eps)


def _bias(module: nn.Module | None) -> Tensor | None:
    return module.bias if isinstance(module, nn.Linear) else None


def _out(module: nn.Module, *, is_ahead: bool = False) -> Product | NoProduct:
    """What joins a sublayer to the stream; without its bias where that stands there already."""
    return (
        Product(module.weight, None if is_ahead else module.bias)
        if isinstance(module, nn.Linear)
        else NoProduct()
    )


def _norm(module: nn.Module, ahead: Tensor | None = None) -> Turn:
    if isinstance(module, nn.LayerNorm):
        return FlatNorm(module, ahead)
    return _same if isinstance(module, nn.Identity) else module


def _same(x: Tensor) -> Tensor:
    return x
