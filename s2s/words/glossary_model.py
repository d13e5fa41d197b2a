"""Words of the model: its modules, its settings, its costs."""

from __future__ import annotations

from s2s.words.term import Term

MODEL: tuple[Term, ...] = (
    Term(
        "activation",
        plain=(
            "The simple function inside the feed-forward layer that lets it compute more than sums."
        ),
        expert=(
            "ReLU is max(0, x); GELU and SiLU are smooth variants; without one, two linear maps "
            "would collapse into one."
        ),
        source="Nair & Hinton 2010; Hendrycks & Gimpel 2016",
        page="architecture",
        also=("activations", "activation function", "ReLU", "GELU", "SiLU"),
    ),
    Term(
        "architecture",
        plain=(
            "The plan of a model: which modules it has, how large they are, and how they are "
            "connected."
        ),
        expert=(
            "Here an encoder-decoder transformer, set by d_model, n_layers, n_heads, d_ff, norm "
            "and position settings."
        ),
        source="Vaswani et al. 2017, Figure 1",
        page="architecture",
    ),
    Term(
        "bias",
        plain="A learned number that is added after a multiplication, whatever the input.",
        expert="The b of y = Wx + b; many recent models leave biases out of projections and norms.",
        source="",
        page="architecture",
        also=("biases",),
    ),
    Term(
        "d_ff",
        plain="The width of the hidden layer inside the feed-forward module.",
        expert=(
            "Often 4 × d_model; with a gated activation, two matrices of this width are learned."
        ),
        source="Vaswani et al. 2017, section 3.3",
        page="architecture",
    ),
    Term(
        "d_model",
        plain="The number of values in the vector that stands for each token inside the model.",
        expert=(
            "The width of the residual stream, shared by embeddings, both stacks and the output "
            "matrix."
        ),
        source="Vaswani et al. 2017, section 3",
        page="architecture",
        also=("model width", "model dimension"),
    ),
    Term(
        "decoder",
        plain="The half of the model that writes the target, one token after another.",
        expert=(
            "A stack of layers with causal self-attention, cross-attention and a feed-forward "
            "module each."
        ),
        source="Vaswani et al. 2017, section 3.1",
        page="architecture",
    ),
    Term(
        "embedding",
        plain="The learned vector that stands for a token.",
        expert=(
            "A row of a (vocab_size, d_model) table, often multiplied by √d_model before "
            "positions are added."
        ),
        source="Vaswani et al. 2017, section 3.4",
        page="walkthrough",
        also=("embeddings", "token vector"),
    ),
    Term(
        "encoder",
        plain="The half of the model that reads the source.",
        expert=(
            "A stack of layers with unmasked self-attention and a feed-forward module each; its "
            "output is the memory."
        ),
        source="Vaswani et al. 2017, section 3.1",
        page="architecture",
    ),
    Term(
        "encoder-decoder",
        plain="A model with one half that reads a text and another that writes a new one.",
        expert="Models the probability of a target given its source; the two stacks meet only in cross-attention.",
        source="Sutskever et al. 2014",
        page="architecture",
        also=("sequence-to-sequence", "seq2seq"),
    ),
    Term(
        "feed-forward",
        plain="A small network inside each layer that transforms every token separately.",
        expert="A linear map to width d_ff, an activation, a linear map back; the same weights at every position.",
        source="Vaswani et al. 2017, equation 2",
        page="walkthrough",
        also=("feed-forward layer", "FFN", "MLP"),
    ),
    Term(
        "FLOPs",
        plain="The number of arithmetic operations that a computation needs.",
        expert=(
            "A matrix product counts two operations per multiply-add; training costs about three "
            "forward passes."
        ),
        source="Kaplan et al. 2020, section 2.1",
        page="architecture",
        also=("floating-point operations", "FLOP"),
    ),
    Term(
        "gated feed-forward",
        plain="A feed-forward layer in which one half of the hidden values scales the other half.",
        expert="Two linear maps, one of them activated, are multiplied before the last map; SwiGLU: by SiLU.",
        source="Shazeer 2020",
        page="architecture",
        also=("GLU", "SwiGLU", "gated"),
    ),
    Term(
        "initialization",
        plain="The random numbers that the weights start from before training.",
        expert=(
            "Xavier uniform by default: bounds of √(6 / (inputs + outputs)) keep the variance "
            "of signals stable."
        ),
        source="Glorot & Bengio 2010",
        page="architecture",
        also=("init", "initialize"),
    ),
    Term(
        "KV cache",
        plain="Stored keys and values of earlier tokens, so that each new token needs little work.",
        expert=(
            "Grows by 2 × n_heads × d_head values (usually 2 × d_model) per token and decoder layer, plus the "
            "fixed cross-attention keys and values."
        ),
        source="",
        page="architecture",
        also=("cache", "key-value cache"),
    ),
    Term(
        "layer",
        plain="One of the identical blocks that a model stacks to refine its vectors.",
        expert=(
            "Attention and feed-forward sublayers, each with a residual connection and a norm; "
            "weights differ between layers."
        ),
        source="Vaswani et al. 2017, section 3.1",
        page="architecture",
        also=("layers",),
    ),
    Term(
        "layer norm",
        plain="A step that rescales each token's vector to mean 0 and variance 1.",
        expert="Gain × (x − mean) / √(variance + epsilon) + bias, over the d_model values of one token.",
        source="Ba et al. 2016",
        page="walkthrough",
        also=("LayerNorm", "layer normalization"),
    ),
    Term(
        "norm",
        plain="A step that keeps the size of the vectors in a steady range.",
        expert=(
            "LayerNorm, RMSNorm or none, before each sublayer (pre) or after its residual sum "
            "(post)."
        ),
        source="Ba et al. 2016; Zhang & Sennrich 2019",
        page="architecture",
        also=("normalization", "norms"),
    ),
    Term(
        "output projection",
        plain=(
            "The step that turns the decoder's last vector into one number for each token of the "
            "vocabulary."
        ),
        expert=(
            "A (d_model, vocab_size) matrix; with weight tying it is the target embedding "
            "transposed."
        ),
        source="Press & Wolf 2017",
        page="walkthrough",
        also=("output matrix",),
    ),
    Term(
        "padding",
        plain="Filler tokens that bring the sentences of a batch to one length.",
        expert="Masked in attention and left out of the loss, so results do not depend on it.",
        source="",
        page="architecture",
        also=("pad", "<pad>"),
    ),
    Term(
        "parameters",
        plain="The numbers that training adjusts; a model's size is how many it has.",
        expert="Embeddings, projections, feed-forward and norm weights; tied matrices count once.",
        source="Raffel et al. 2020",
        page="architecture",
        also=("parameter", "model size"),
    ),
    Term(
        "post-norm",
        plain="Placing the norm after each sublayer's result has been added.",
        expert="norm(x + f(x)), as in the paper; deep stacks need warmup to train stably.",
        source="Xiong et al. 2020",
        page="architecture",
        also=("post-LN",),
    ),
    Term(
        "pre-norm",
        plain="Placing the norm before each sublayer.",
        expert="x + f(norm(x)), with one final norm; gradients reach lower layers unhindered.",
        source="Xiong et al. 2020",
        page="architecture",
        also=("pre-LN",),
    ),
    Term(
        "projection",
        plain="A multiplication by a learned matrix.",
        expert="y = xW + b; attention has four: query, key, value and output.",
        source="",
        page="walkthrough",
        also=("projections", "linear layer"),
    ),
    Term(
        "residual connection",
        plain="Adding a sublayer's result to its input instead of replacing it.",
        expert="x + f(x) keeps an identity path along which gradients reach the first layers.",
        source="He et al. 2016",
        page="walkthrough",
        also=("residual", "residual stream", "skip connection"),
    ),
    Term(
        "RMSNorm",
        plain="A simpler norm that only rescales a vector, without centering it.",
        expert="Gain × x / √(mean of x² + epsilon); no mean subtraction and no bias.",
        source="Zhang & Sennrich 2019",
        page="architecture",
        also=("RMS norm",),
    ),
    Term(
        "source",
        plain="The text that the model reads.",
        expert="The encoder's input, on which all probabilities of the target depend.",
        source="",
        page="",
        also=("src", "source sentence"),
    ),
    Term(
        "stack",
        plain="The layers of the encoder, or those of the decoder.",
        expert="Depth n_layers may differ between the two stacks.",
        source="",
        page="architecture",
        also=("stacks",),
    ),
    Term(
        "T5",
        plain="A family of published encoder-decoder models that treat every task as text to text.",
        expert=(
            "RMSNorm, relative position bias, no biases and unscaled attention; five sizes from "
            "60 million to 11 billion parameters."
        ),
        source="Raffel et al. 2020",
        page="architecture",
    ),
    Term(
        "target",
        plain="The text that the model writes or should have written.",
        expert=(
            "The decoder's output; in training the reference, shifted right by one as the "
            "decoder's input."
        ),
        source="",
        page="",
        also=("tgt", "target sentence"),
    ),
    Term(
        "transformer",
        plain="A neural network built from attention and feed-forward layers.",
        expert=(
            "Processes all positions in parallel, unlike recurrent networks; cost grows with the "
            "square of the length."
        ),
        source="Vaswani et al. 2017",
        page="architecture",
        also=("transformers",),
    ),
    Term(
        "weight tying",
        plain="Using one table both to read tokens and to score them as output.",
        expert=(
            "The output matrix is the target embedding transposed; saves vocab_size × d_model "
            "parameters."
        ),
        source="Press & Wolf 2017",
        page="architecture",
        also=("tied", "tied embeddings", "shared embeddings"),
    ),
    Term(
        "Xavier initialization",
        plain="Starting weights with a spread that keeps signals at a steady size.",
        expert="Uniform within ±√(6 / (inputs + outputs)) of a matrix.",
        source="Glorot & Bengio 2010",
        page="architecture",
        also=("Xavier", "Glorot"),
    ),
)
