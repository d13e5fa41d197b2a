"""Words of probabilities, and of drawing from them."""

from __future__ import annotations

from s2s.words.term import Term

SAMPLING: tuple[Term, ...] = (
    Term(
        "entropy",
        plain="How spread out a probability distribution is.",
        expert=(
            "Mean of −log p, in nats; 0 for one certain outcome, log n for n equally probable ones."
        ),
        source="Shannon 1948",
        page="steps",
    ),
    Term(
        "epsilon sampling",
        plain="Sampling that never chooses a token below a fixed probability.",
        expert="Removes tokens with p < epsilon and renormalizes.",
        source="Hewitt et al. 2022",
        page="steps",
        also=("epsilon_cutoff",),
    ),
    Term(
        "eta sampling",
        plain="Epsilon sampling with a limit that adapts to how unsure the model is.",
        expert="Removes tokens below both eta and √eta × e to the power of −entropy.",
        source="Hewitt et al. 2022",
        page="steps",
        also=("eta_cutoff",),
    ),
    Term(
        "filter",
        plain="A rule that removes improbable tokens before one is drawn.",
        expert=(
            "Sets logits to minus infinity; top-k, top-p, min-p, typical, epsilon and eta apply "
            "after temperature."
        ),
        source="",
        page="steps",
        also=("filters", "logits warper", "warper", "truncation", "truncation inspector"),
    ),
    Term(
        "Gumbel noise",
        plain="Random noise that makes choosing the largest value the same as sampling.",
        expert=(
            "The largest of log p + Gumbel noise is a draw from p; taking the top k draws without "
            "replacement."
        ),
        source="Kool et al. 2019",
        page="compare",
        also=("Gumbel",),
    ),
    Term(
        "log-probability",
        plain="The logarithm of a probability, which adds up over the words of a sentence.",
        expert=(
            "Natural logarithm, so in nats; 0 means certain, and each −0.69 halves the probability."
        ),
        source="",
        page="steps",
        also=("log-probabilities", "log_prob", "log_probs"),
    ),
    Term(
        "logits",
        plain="The raw numbers that the model gives each token before they become probabilities.",
        expert=(
            "The output of the last projection; log-probabilities are logits minus their logsumexp."
        ),
        source="",
        page="walkthrough",
        also=("logit",),
    ),
    Term(
        "min-p",
        plain="Sampling only from tokens that are not much less probable than the best one.",
        expert="Keeps tokens with at least min_p × the probability of the best one.",
        source="Nguyen et al. 2024",
        page="steps",
        also=("min_p", "min-p sampling"),
    ),
    Term(
        "nats",
        plain="The unit of log-probabilities and entropy.",
        expert="Base e; one nat is 1.44 bits.",
        source="",
        page="steps",
        also=("nat",),
    ),
    Term(
        "next token",
        plain="The token that the decoder is about to choose.",
        expert="Drawn or selected from the whole vocabulary, given the source and all tokens before.",
        source="",
        page="steps",
        also=("next word",),
    ),
    Term(
        "probability",
        plain="How much the model expects something, from 0 to 1.",
        expert="The softmax of the logits; not calibrated by itself.",
        source="",
        page="steps",
        also=("probabilities",),
    ),
    Term(
        "sampling",
        plain="Drawing each token at random, according to its probability.",
        expert=(
            "Ancestral sampling from the warped distribution; the seed fixes the draws per source."
        ),
        source="Holtzman et al. 2020",
        page="compare",
        also=("sample", "samples drawn"),
    ),
    Term(
        "temperature",
        plain="A setting that makes sampling bolder or more cautious.",
        expert="Logits are divided by it: below 1 sharpens, above 1 flattens, 1 changes nothing.",
        source="Ackley et al. 1985",
        page="compare",
    ),
    Term(
        "top-h",
        plain="Sampling from a set of tokens whose size adapts to the model's uncertainty.",
        expert=(
            "Keeps the most probable tokens whose entropy stays within a share of the full entropy."
        ),
        source="Potraghloo et al. 2025",
        page="steps",
        also=("top_h",),
    ),
    Term(
        "top-k",
        plain="Sampling only from the k most probable tokens.",
        expert="Keeps a fixed number of tokens, however sure the model is; 0 keeps all.",
        source="Fan et al. 2018",
        page="steps",
        also=("top_k", "top-k sampling"),
    ),
    Term(
        "top-p",
        plain="Sampling only from the smallest set of tokens with a given total probability.",
        expert="Keeps the fewest tokens whose probabilities sum to at least p.",
        source="Holtzman et al. 2020",
        page="steps",
        also=("top_p", "nucleus", "nucleus sampling"),
    ),
    Term(
        "typical sampling",
        plain="Sampling tokens that are about as surprising as the model expects on average.",
        expert="Keeps tokens whose −log p is closest to the entropy until typical_p is reached.",
        source="Meister et al. 2022",
        page="steps",
        also=("typical_p", "typical-p", "locally typical"),
    ),
)
