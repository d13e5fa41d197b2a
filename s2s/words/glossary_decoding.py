"""Words of decoding: search, sampling and what they print."""

from __future__ import annotations

from s2s.words.term import Term

DECODING: tuple[Term, ...] = (
    Term(
        "bad words",
        plain="Words that the model is not allowed to write.",
        expert=(
            "Token sequences whose last token gets probability 0 when the rest has just been "
            "written."
        ),
        source="",
        page="compare",
        also=("bad_words",),
    ),
    Term(
        "beam sampling",
        plain="Beam search that draws its next tokens at random instead of taking the best.",
        expert=(
            "Draws 2 × num_beams continuations without replacement from the warped distribution, "
            "then proceeds as beam search."
        ),
        source="",
        page="compare",
        also=("beam_sample",),
    ),
    Term(
        "beam search",
        plain="A search that keeps several promising beginnings, its beams, instead of one.",
        expert=(
            "Keeps the best prefixes per step by log-probability, as many as the beam width; "
            "very wide beams can lower quality."
        ),
        source="Graves 2012; Koehn & Knowles 2017",
        page="compare",
        also=("beam", "beams", "beam search curse"),
    ),
    Term(
        "beam width",
        plain="How many unfinished outputs beam search keeps at each step: the setting num_beams.",
        expert="1 is greedy search; cost grows in proportion, and very wide beams can lower quality.",
        source="Koehn & Knowles 2017",
        page="compare",
        also=("num_beams",),
    ),
    Term(
        "candidate",
        plain="A token or an output that a search considers.",
        expert=(
            "Beam search ranks num_beams × vocab_size continuations per step; MBR compares whole "
            "samples."
        ),
        source="",
        page="steps",
        also=("candidates",),
    ),
    Term(
        "constrained decoding",
        plain="A search whose output must contain given words.",
        expert=(
            "Beam search over banks of met constraints; each hypothesis ends only when all are met."
        ),
        source="Hokamp & Liu 2017; Post & Vilar 2018",
        page="compare",
        also=("constrained", "force_words"),
    ),
    Term(
        "contrastive search",
        plain="A search that avoids repeating itself by preferring words with new meanings.",
        expert=(
            "Maximizes (1 − α) × probability − α × largest cosine to earlier states, over"
            " the top_k tokens."
        ),
        source="Su et al. 2022",
        page="compare",
        also=("contrastive", "penalty_alpha"),
    ),
    Term(
        "decoding",
        plain="Choosing the words of an output from the model's probabilities.",
        expert=(
            "Search or sampling over the next-token probabilities; the strategy, not the model, decides the "
            "output."
        ),
        source="",
        page="compare",
        also=("decode",),
    ),
    Term(
        "diverse beam search",
        plain="Beam search in groups that are discouraged from writing the same words.",
        expert=(
            "Subtracts diversity_penalty for each hypothesis of an earlier group that took the same "
            "token at this step."
        ),
        source="Vijayakumar et al. 2018",
        page="compare",
        also=("diverse_beam", "diverse beam", "diversity_penalty"),
    ),
    Term(
        "exact search",
        plain="A search that proves that no other output is more probable.",
        expert="Follows every prefix more probable than the best output so far; log-probabilities only fall.",
        source="Stahlberg & Byrne 2019",
        page="steps",
    ),
    Term(
        "greedy search",
        plain="Always writing the most probable next token.",
        expert="Beam search with one beam; fast, but it cannot take back an early choice.",
        source="",
        page="compare",
        also=("greedy", "greedy decoding"),
    ),
    Term(
        "hypothesis",
        plain="A finished output that decoding found.",
        expert=(
            "A sequence that ended with </s> or at the length limit, with its log-probability and"
            " score."
        ),
        source="",
        page="steps",
        also=("hypotheses",),
    ),
    Term(
        "length penalty",
        plain="A setting that decides how strongly a search favors short or long outputs.",
        expert=(
            "Score = log-probability / (length to the power of length_penalty), or with length_formula "
            "gnmt the formula of Wu et al.; 0 favors short outputs, larger values longer ones."
        ),
        source="Wu et al. 2016, section 7",
        page="steps",
        also=("length_penalty", "length normalization", "length-normalized"),
    ),
    Term(
        "logits processor",
        plain="A rule that changes the scores of the next token during decoding.",
        expert=(
            "Covers repetition_penalty, no_repeat_ngram_size, min_new_tokens, bad_words and prefix."
        ),
        source="",
        page="compare",
        also=("logits processors", "generation constraints"),
    ),
    Term(
        "MBR decoding",
        plain="Drawing many outputs and returning the one most similar to all others.",
        expert="The sample with the highest mean utility (chrF or BLEU) against all samples.",
        source="Kumar & Byrne 2004; Eikema & Aziz 2020",
        page="compare",
        also=("mbr", "minimum Bayes risk", "utility"),
    ),
    Term(
        "model error",
        plain="A mistake that the model prefers, so a better search would not mend it.",
        expert="The reference scores below the output found; the opposite is a search error.",
        source="Stahlberg & Byrne 2019",
        page="steps",
        also=("model errors",),
    ),
    Term(
        "n-gram blocking",
        plain="Forbidding the same sequence of words twice.",
        expert="Sets a token's probability to 0 where it would complete an n-gram already written.",
        source="Paulus et al. 2018",
        page="compare",
        also=("no_repeat_ngram_size", "encoder_no_repeat_ngram_size"),
    ),
    Term(
        "prefix",
        plain="The beginning of an output, as far as it has been written.",
        expert="A partial hypothesis; prefix as a setting forces how every output begins.",
        source="",
        page="steps",
        also=("prefixes",),
    ),
    Term(
        "pruned",
        plain="Dropped from a search because other prefixes scored better.",
        expert="Outside the beam width (num_beams) at its step, or unable to beat the finished hypotheses.",
        source="",
        page="steps",
        also=("pruning", "prune"),
    ),
    Term(
        "repetition penalty",
        plain="A setting that makes words that were already written less probable.",
        expert="Divides positive and multiplies negative logits of earlier tokens by the penalty.",
        source="Keskar et al. 2019",
        page="compare",
        also=("repetition_penalty",),
    ),
    Term(
        "score",
        plain="The number by which a strategy ranks its hypotheses.",
        expert=(
            "For beam search log-probability / (length to the power of length_penalty); other "
            "strategies define their own."
        ),
        source="",
        page="steps",
        also=("scores",),
    ),
    Term(
        "search error",
        plain="A mistake made because the search missed an output that the model prefers.",
        expert="The reference has a higher score than the output found.",
        source="Stahlberg & Byrne 2019",
        page="steps",
        also=("search errors",),
    ),
    Term(
        "search tree",
        plain="All beginnings that a search considered, drawn as branches.",
        expert="Nodes are prefixes by step; states are kept, pruned, finished and truncated.",
        source="",
        page="steps",
        also=("tree",),
    ),
    Term(
        "stochastic beam search",
        plain="A search that draws several different outputs at random.",
        expert="Top-k of log-probabilities with Gumbel noise: samples without replacement.",
        source="Kool et al. 2019",
        page="compare",
        also=("stochastic_beam", "stochastic beam"),
    ),
    Term(
        "stop reason",
        plain="Why a hypothesis or a job ended.",
        expert=(
            "For hypotheses </s> or the length limit; for jobs done, stopped, failed or "
            "interrupted."
        ),
        source="",
        page="steps",
        also=("stop reasons",),
    ),
    Term(
        "strategy",
        plain="The method that turns probabilities into an output.",
        expert=(
            "One of greedy, beam, diverse_beam, sample, beam_sample, stochastic_beam, "
            "contrastive, mbr and constrained."
        ),
        source="",
        page="compare",
        also=("strategies",),
    ),
    Term(
        "truncated",
        plain="Ended by a length limit instead of by the model itself.",
        expert="Reached max_new_tokens without </s>; its score covers only what was written.",
        source="",
        page="steps",
        also=("truncate", "truncation limit"),
    ),
)
