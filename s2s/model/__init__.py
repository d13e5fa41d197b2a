"""The transformer, from ids to logits. Knows nothing of text, training or search.

Axes have one name everywhere:

    batch             sentences of a batch (in decoding: rows, one a hypothesis)
    src_len, tgt_len  tokens of the padded source and target; query_len, key_len where attention does not care which
    d_model           width of the residual stream
    heads, d_head     attention heads and the width of one
    d_ff              hidden width of the feed-forward
    vocab             pieces of the target vocabulary

Masks are bool, True = may look.
"""

from s2s.model.fast.stepper import TransformerStepper, stepper_for
from s2s.model.transformer import Transformer, inference

__all__ = ["Transformer", "TransformerStepper", "inference", "stepper_for"]
