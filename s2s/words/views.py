"""The view of its page in which a term is seen alive, where it is not the one that the page opens with."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# Page -> what its link says -> the terms that are seen there.
VIEWS: Mapping[str, Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "walkthrough": {
            "set=step:ids": ("special tokens", "token id"),
            "set=step:embedding": ("embedding", "tensor", "vector"),
            "set=step:queries": ("key", "matrix", "projection", "query"),
            "set=step:scores": ("attention scores", "dot product"),
            "set=step:scaling": ("scaled dot-product",),
            "set=step:softmax": ("softmax",),
            "set=step:weighted": ("value",),
            "set=step:heads": ("multi-head attention",),
            "set=step:residual": ("residual connection", "sublayer"),
            "set=step:norm": ("layer norm",),
            "set=step:feed-forward": ("feed-forward",),
            "set=step:memory": ("memory",),
            "set=step:logits": ("logits", "output projection"),
            "set=step:gradients": ("backpropagation",),
        },
        "attention": {
            "kind=encoder": ("self-attention",),
            "reduce=rollout": ("attention rollout",),
            "reduce=norm": ("norm-weighted attention",),
            "set=view:alignment": ("AER", "alignment"),
            "set=view:change": ("ablation", "intervention"),
        },
        "heads": {
            "set=part:relations": ("grammatical relation",),
            "set=part:induction": ("prefix matching",),
            "set=view:importance": ("head importance",),
            "set=view:ablation": ("mean ablation",),
            "set=view:patching": ("activation patching", "logit difference", "minimal pair"),
            "set=view:attribution": (
                "attribution",
                "integrated gradients",
                "Jensen-Shannon divergence",
                "total variation",
            ),
            "set=view:alignment": ("sure and possible links", "symmetrization"),
        },
        "states": {
            "set=view:same": ("cosine similarity",),
            "set=view:near": ("nearest neighbors",),
            "set=view:lens": ("logit lens",),
        },
        "steps": {
            "set=view:next": ("entropy", "next token", "probability", "probability distribution"),
            "set=strategy:sample,view:next": (
                "epsilon sampling",
                "eta sampling",
                "filter",
                "min-p",
                "top-h",
                "top-k",
                "top-p",
                "typical sampling",
            ),
            "set=view:reference": (
                "exposure bias",
                "model error",
                "search error",
                "teacher forcing",
            ),
        },
        "data": {
            "set=view:Cleaning": ("cleaning",),
            "set=view:Task": ("denoising", "span corruption", "task"),
            "set=view:Statistics": ("coverage", "median", "type-token ratio"),
            "set=view:Pieces": (
                "BPE",
                "byte tokenizer",
                "character tokenizer",
                "subword",
                "token",
                "tokenizer",
                "unigram tokenizer",
                "unknown token",
                "vocabulary",
                "word tokenizer",
            ),
        },
        "positions": {
            "set=encoding:learned": ("learned positions",),
            "set=encoding:relative": ("relative positions",),
            "set=encoding:rotary": ("rotary positions",),
            "set=encoding:alibi": ("ALiBi",),
            "set=view:waves": ("wavelength",),
            "set=view:longer": ("extrapolation",),
        },
        "architecture": {
            "set=view:costs": ("FLOPs", "forward pass", "KV cache"),
            "set=view:masks": ("causal mask", "mask", "padding"),
            "set=view:t5": ("T5",),
        },
        "lessons": {
            "set=view:claims,claim:forcing": ("free-running training",),
            "set=view:claims,claim:parallel": ("processor time",),
            "set=view:claims,claim:smoothing": ("likelihood",),
        },
        "runs": {
            "set=tab:open-a-model": ("BART", "M2M100", "Marian", "NLLB", "Pegasus"),
            "set=tab:sweeps": ("sweep",),
        },
    }
)
SEEN_IN: Mapping[str, str] = MappingProxyType(
    {term: query for views in VIEWS.values() for query, terms in views.items() for term in terms}
)
