"""Words of attention and of the order of tokens."""

from __future__ import annotations

from s2s.words.term import Term

ATTENTION: tuple[Term, ...] = (
    Term(
        "absolute position",
        plain=(
            "Giving the model the number of each position, counted from the start of the sequence."
        ),
        expert=(
            "Adds a vector for position i to token i; sinusoidal and learned encodings do this, "
            "relative ones use i - j instead."
        ),
        source="Vaswani et al. 2017, section 3.5",
        page="positions",
    ),
    Term(
        "ALiBi",
        plain="A way to encode order that lowers attention scores as two tokens get farther apart.",
        expert=(
            "Subtracts slope × |i − j| from each score, with a fixed slope for each head; no "
            "position vectors are added."
        ),
        source="Press et al. 2022",
        page="positions",
        also=("ALiBi positions",),
    ),
    Term(
        "attention",
        plain=(
            "A step in which each token gathers information from other tokens, more from those "
            "that matter to it."
        ),
        expert=("softmax(QKᵀ / √d_head) V, computed per head; the weights of each row sum to 1."),
        source="Vaswani et al. 2017, equation 1",
        page="attention",
        also=("attend", "attends"),
    ),
    Term(
        "attention scores",
        plain=(
            "The numbers that say how well each query matches each key, before they become weights."
        ),
        expert="QKᵀ / √d_head, plus any position bias and the mask, before the softmax.",
        source="Vaswani et al. 2017, section 3.2.1",
        page="walkthrough",
        also=("attention score",),
    ),
    Term(
        "attention weights",
        plain="Numbers between 0 and 1 that say how much each token takes from each that it may see.",
        expert=(
            "The attention scores after the softmax over keys; a large weight is not by itself "
            "evidence of importance."
        ),
        source="Jain & Wallace 2019",
        page="attention",
        also=("attention weight", "weights"),
    ),
    Term(
        "causal mask",
        plain="A rule that stops each target token from attending to tokens after it.",
        expert=(
            "Sets the score to minus infinity where key j > query i, so training predicts all "
            "positions in parallel."
        ),
        source="Vaswani et al. 2017, section 3.2.3",
        page="architecture",
        also=("causal masking", "masked attention", "masked self-attention"),
    ),
    Term(
        "cross-attention",
        plain="Attention from the target being written to the words of the source.",
        expert=(
            "Queries come from the decoder, keys and values from the encoder's memory; it has no "
            "causal mask."
        ),
        source="Vaswani et al. 2017, section 3.2.3",
        page="attention",
    ),
    Term(
        "d_head",
        plain="The width of the vectors inside one attention head.",
        expert="d_model divided by n_heads unless set; attention scores are divided by its square root.",
        source="Vaswani et al. 2017, section 3.2.2",
        page="architecture",
        also=("head width", "head dimension"),
    ),
    Term(
        "head",
        plain="One of several attention computations that run side by side in a layer.",
        expert=(
            "Each head has its own query, key and value projections of width d_head; their "
            "outputs are concatenated."
        ),
        source="Vaswani et al. 2017, section 3.2.2",
        page="attention",
        also=("heads", "attention head"),
    ),
    Term(
        "key",
        plain="The vector with which a token announces what can be found at it.",
        expert="The token's vector times a learned matrix; each query is compared with every key by a dot product.",
        source="Vaswani et al. 2017, section 3.2",
        page="walkthrough",
        also=("keys",),
    ),
    Term(
        "learned positions",
        plain="Position vectors that are trained like word vectors, one for each position.",
        expert="A (max_length, d_model) table; positions beyond the table cannot be read.",
        source="Gehring et al. 2017",
        page="positions",
        also=("learned", "learned positional embedding"),
    ),
    Term(
        "mask",
        plain="A table that says which tokens may attend to which others.",
        expert=(
            "Boolean here, True where attention is allowed; disallowed scores become minus "
            "infinity."
        ),
        source="",
        page="architecture",
        also=("masking", "masks"),
    ),
    Term(
        "memory",
        plain="What the encoder hands to the decoder: one vector for each source token.",
        expert=(
            "The (batch, src_len, d_model) output of the last encoder layer; every decoder layer "
            "reads the same memory."
        ),
        source="Vaswani et al. 2017, Figure 1",
        page="walkthrough",
        also=("encoder memory",),
    ),
    Term(
        "multi-head attention",
        plain="Several attention heads side by side, whose results are joined.",
        expert=(
            "The heads' outputs, side by side, times a learned matrix; heads specialize at the same total width."
        ),
        source="Vaswani et al. 2017, section 3.2.2",
        page="walkthrough",
        also=("MultiHead",),
    ),
    Term(
        "positional encoding",
        plain="What tells the model the order of the tokens.",
        expert=(
            "Self-attention ignores order, so positions are added to vectors, rotated into "
            "queries and keys, or added to scores."
        ),
        source="Vaswani et al. 2017, section 3.5",
        page="positions",
        also=("position encoding", "positions", "positional"),
    ),
    Term(
        "query",
        plain="The vector with which a token asks for the information it needs.",
        expert="The token's vector times a learned matrix; in cross-attention queries come from the decoder.",
        source="Vaswani et al. 2017, section 3.2",
        page="walkthrough",
        also=("queries",),
    ),
    Term(
        "relative positions",
        plain="Telling order by the distance between two tokens instead of their numbers.",
        expert=(
            "T5 adds a learned bias per head and distance bucket to each score; buckets grow "
            "logarithmically."
        ),
        source="Raffel et al. 2020, section 2.1",
        page="positions",
        also=("relative", "relative position bias"),
    ),
    Term(
        "rotary positions",
        plain=(
            "Encoding order by rotating queries and keys by an angle that grows with their "
            "position."
        ),
        expert=(
            "Pairs of columns rotate by position × frequency, so each score depends on the offset "
            "only."
        ),
        source="Su et al. 2021",
        page="positions",
        also=("rotary", "RoPE"),
    ),
    Term(
        "scaled dot-product",
        plain="Dividing attention scores so that the softmax does not become too sharp.",
        expert=(
            "Scores are divided by √d_head; otherwise their variance grows with d_head and "
            "gradients vanish."
        ),
        source="Vaswani et al. 2017, section 3.2.1",
        page="walkthrough",
        also=("scaling", "scaled"),
    ),
    Term(
        "self-attention",
        plain="Attention among the tokens of one text.",
        expert=(
            "Queries, keys and values all come from the same sequence; in the decoder it is "
            "causally masked."
        ),
        source="Vaswani et al. 2017, section 3.2.3",
        page="attention",
    ),
    Term(
        "sinusoidal positions",
        plain="Fixed patterns of fast and slow waves that mark each position.",
        expert=(
            "Sines and cosines of position × frequency; a shift by k is the same rotation everywhere."
        ),
        source="Vaswani et al. 2017, section 3.5",
        page="positions",
        also=("sinusoidal", "sinusoids"),
    ),
    Term(
        "softmax",
        plain="A function that makes any list of numbers into probabilities.",
        expert="e to the power of each number, over the sum of these powers; adding a constant changes nothing.",
        source="",
        page="walkthrough",
    ),
    Term(
        "value",
        plain="The vector that a token hands over to those that attend to it.",
        expert="The token's vector times a learned matrix; a head's output is the weighted sum of values.",
        source="Vaswani et al. 2017, section 3.2",
        page="walkthrough",
        also=("values",),
    ),
)
