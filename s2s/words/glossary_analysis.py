"""Words of analysis: looking inside a trained model."""

from __future__ import annotations

from s2s.words.term import Term

ANALYSIS: tuple[Term, ...] = (
    Term(
        "activation patching",
        plain="Putting a state from the run on one sentence into the run on another, to see what it carries.",
        expert=(
            "One tensor of run A replaces that of run B; the effect is the share of the logit "
            "difference that follows."
        ),
        source="Vig et al. 2020",
        page="heads",
        also=("patching", "patch", "patches"),
    ),
    Term(
        "ablation",
        plain="Switching a component off to see what the model does without it.",
        expert=(
            "A head's output is set to zero; a small effect may mean redundancy, not irrelevance."
        ),
        source="Michel et al. 2019",
        page="attention",
        also=("ablate", "ablated"),
    ),
    Term(
        "AER",
        plain="How far an alignment differs from the correct one; lower is better.",
        expert="1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|): predicted links A, sure S, possible P, of a corpus.",
        source="Och & Ney 2003",
        page="attention",
        also=("alignment error rate",),
    ),
    Term(
        "alignment",
        plain="Which source words correspond to which target words.",
        expert=(
            "Read from cross-attention by the largest weight per target token and compared with "
            "gold links."
        ),
        source="Och & Ney 2003",
        page="attention",
        also=("alignments", "word alignment", "gold alignment"),
    ),
    Term(
        "attention entropy",
        plain="How widely a head spreads its attention.",
        expert="Mean over rows of -sum w log w, in nats; 0 for one key, log n for n equal weights.",
        source="Voita et al. 2019",
        page="attention",
    ),
    Term(
        "attribution",
        plain="How much each source word contributes to the probability of a target word.",
        expert=(
            "Of a token's log-probability, in nats, relative to a baseline; signed, unlike "
            "attention weights."
        ),
        source="Sundararajan et al. 2017",
        page="heads",
        also=("attributions", "attributed", "gradient x input", "occlusion"),
    ),
    Term(
        "attention rollout",
        plain="Following attention through the layers down to the input tokens.",
        expert=(
            "Product over layers of ½ (A + I), with A averaged over heads; ignores values and feed-"
            "forward modules."
        ),
        source="Abnar & Zuidema 2020",
        page="attention",
        also=("rollout",),
    ),
    Term(
        "attention sink",
        plain="A token that receives much attention without carrying meaning.",
        expert="Often <s>, </s> or punctuation; its value vectors tend to be small.",
        source="Xiao et al. 2024",
        page="attention",
        also=("sink", "sinks"),
    ),
    Term(
        "head importance",
        plain="How much worse the model predicts without one attention head.",
        expert=(
            "Change of the loss in nats per token when the head is ablated alone, or the mean "
            "size of the loss gradient of a gate of 1 on its output."
        ),
        source="Michel et al. 2019",
        page="heads",
        also=("importance of heads", "gradient importance", "measured importance"),
    ),
    Term(
        "mean ablation",
        plain="Replacing what a head adds by the average of what it adds over many sentences.",
        expert=(
            "The output before the output projection becomes its mean over all tokens of a "
            "sample: unlike zero, a value that later layers expect."
        ),
        source="Wang et al. 2022",
        page="heads",
        also=("corpus mean",),
    ),
    Term(
        "prefix matching",
        plain="How much a head attends to the token that followed the last time the same token was read.",
        expert=(
            "Where A B is followed later by another A, the mean weight that it puts on B; high in "
            "induction heads."
        ),
        source="Olsson et al. 2022",
        page="heads",
        also=("induction head", "induction heads", "induction"),
    ),
    Term(
        "cosine similarity",
        plain="How much the directions of two vectors agree, from −1 to 1.",
        expert="x · y / (‖x‖ ‖y‖); blind to length and inflated by a common mean direction.",
        source="Ethayarajh 2019",
        page="states",
        also=("cosine",),
    ),
    Term(
        "diagonal head",
        plain="A head whose attention follows the order of the words.",
        expert=(
            "Its largest weights lie near the diagonal of the heatmap, and leave it where two languages order "
            "words differently."
        ),
        source="Voita et al. 2019",
        page="attention",
        also=("diagonal",),
    ),
    Term(
        "hidden state",
        plain="The vector that stands for a token after a layer.",
        expert=(
            "The residual stream at one position; with pre-norm read after the final norm at the "
            "top."
        ),
        source="",
        page="states",
        also=("hidden states", "state", "states"),
    ),
    Term(
        "integrated gradients",
        plain="Attribution by the gradient, averaged on the way from a baseline to the sentence.",
        expert=(
            "Complete: sums to the output minus that of the baseline, up to the error of the "
            "integral."
        ),
        source="Sundararajan et al. 2017",
        page="heads",
        also=("completeness",),
    ),
    Term(
        "intervention",
        plain="Changing something inside the model to see what it does then.",
        expert=(
            "Attention weights are replaced and the pass recomputed, which tests causes rather "
            "than correlations."
        ),
        source="Vig et al. 2020",
        page="attention",
        also=("interventions", "intervene", "override attention"),
    ),
    Term(
        "logit lens",
        plain="Reading a guess of the next word from a layer in the middle.",
        expert=(
            "Applies final norm and output matrix to each layer's state; early layers may use "
            "another basis."
        ),
        source="nostalgebraist 2020",
        page="states",
    ),
    Term(
        "nearest neighbors",
        plain="The words whose vectors are most similar to a given one.",
        expert="Ranked by cosine over stored states of other sentences.",
        source="",
        page="states",
        also=("nearest neighbor", "nearest words", "neighbor"),
    ),
    Term(
        "norm-weighted attention",
        plain="Attention weights that also count how large the transferred vectors are.",
        expert="The norm of each weighted, projected value vector, rescaled to sum to 1 per row.",
        source="Kobayashi et al. 2020",
        page="attention",
        also=("norm-weighted",),
    ),
    Term(
        "PCA",
        plain="Drawing vectors of many dimensions on a flat map.",
        expert=(
            "Projects centered states on the two directions of largest variance; the axes show "
            "their shares."
        ),
        source="Pearson 1901",
        page="states",
        also=("principal component analysis", "principal component"),
    ),
    Term(
        "sure and possible links",
        plain="Links that a correct alignment must have, and further ones that count as correct, too.",
        expert="Recall is measured against the sure links, precision against both; AER uses both.",
        source="Och & Ney 2003",
        page="heads",
        also=("sure links", "possible links"),
    ),
    Term(
        "symmetrization",
        plain="Making one alignment of two: from source to target, and from target to source.",
        expert=(
            "The intersection, the union, or in between: grow-diag adds neighbors of the intersection, final further"
            " links of unlinked words."
        ),
        source="Koehn et al. 2003",
        page="heads",
        also=("grow-diag", "grow-diag-final", "grow-diag-final-and"),
    ),
)
