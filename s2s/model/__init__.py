"""The transformer, from ids to logits. Knows nothing of text, training or search.

Axes have one name everywhere:

    batch             sentences of a batch (in decoding: rows, one a hypothesis)
    src_len, tgt_len  tokens of the padded source and target; query_len, key_len where attention does not care which
    d_model           width of the residual stream
    heads, d_head     attention heads and the width of one
    d_ff              hidden width of the feed-forward
    vocab             tokens of the target vocabulary

Masks are bool, True = may look.
"""

from s2s.model import masks
from s2s.model.attention import Attention, KeysValues, attention_weights, is_hooked
from s2s.model.dropout import Dropout
from s2s.model.fast import (
    can_round,
    keep_few_shapes,
    keep_freed_memory,
    stepper_for,
)
from s2s.model.init import WithoutDraws, new_model
from s2s.model.layers import ACTIVATIONS, FeedForward, Residual, TokenEmbedding, make_norm
from s2s.model.positions import (
    NO_ORDER,
    Learned,
    Order,
    Position,
    frequencies,
    make_position,
    sinusoids,
)
from s2s.model.transformer import (
    Decoder,
    DecoderLayer,
    Embed,
    Encoder,
    EncoderLayer,
    Projection,
    Transformer,
    inference,
)
from s2s.model.weights import (
    are_usable,
    load_weights,
    put_weights,
    read_weights,
    save_tensors,
    saved_steps,
    step_sizes,
    trained_tensors,
    weights_path,
    write_steps,
)
