"""Words of evaluation: scores and how sure they are."""

from __future__ import annotations

from s2s.words.term import Term

EVALUATION: tuple[Term, ...] = (
    Term(
        "baseline",
        plain="The system that others are compared with.",
        expert="Paired tests compare each system with it on the same sentences.",
        source="",
        page="evaluate",
        also=("control run",),
    ),
    Term(
        "BLEU",
        plain=(
            "A score from 0 to 100 for how many word sequences a translation shares with its "
            "reference."
        ),
        expert=(
            "Geometric mean of 1- to 4-gram precision times the brevity penalty; sacrebleu with "
            "its signature, and a tokenizer for the script of the references."
        ),
        source="Papineni et al. 2002; Post 2018",
        page="evaluate",
    ),
    Term(
        "bootstrap interval",
        plain="The range in which a score would mostly lie with other sentences of the same kind.",
        expert="Percentiles of the score over resampled test sets.",
        source="Koehn 2004",
        page="evaluate",
        also=("bootstrap", "confidence interval", "95 % interval"),
    ),
    Term(
        "brevity penalty",
        plain="The part of BLEU that punishes translations that are too short.",
        expert="e to the power of 1 − reference length / output length where the output is shorter, else 1.",
        source="Papineni et al. 2002",
        page="evaluate",
    ),
    Term(
        "calibration",
        plain="Whether predicted probabilities match how often the model is right.",
        expert=(
            "A calibrated model is right on 80 percent of the tokens it gives 0.8; transformers "
            "often are not."
        ),
        source="Guo et al. 2017",
        page="evaluate",
        also=("calibrated",),
    ),
    Term(
        "chrF",
        plain=(
            "A score from 0 to 100 for how many character sequences a translation shares with its"
            " reference."
        ),
        expert=(
            "F-score with beta 2 over character 1- to 6-grams; finer than BLEU on short sentences."
        ),
        source="Popović 2015",
        page="evaluate",
    ),
    Term(
        "correlation",
        plain="A number from −1 to 1 for how far two scores rise and fall together.",
        expert="Pearson's of the values, Spearman's of their ranks.",
        source="Spearman 1904",
        page="evaluate",
        also=("rank correlation", "Spearman", "Kendall", "Pearson"),
    ),
    Term(
        "distinct-n",
        plain="How varied the words or word pairs of the outputs are.",
        expert="Distinct n-grams as a percentage of all n-grams; falls with the amount of text.",
        source="Li et al. 2016",
        page="evaluate",
        also=("distinct_1", "distinct_2", "distinct words"),
    ),
    Term(
        "evaluation",
        plain="Translating a test set and scoring the results.",
        expert="Stored with systems, strategies, scores, intervals and signatures.",
        source="",
        page="evaluate",
        also=("evaluate",),
    ),
    Term(
        "exact match",
        plain="The share of outputs that equal their reference.",
        expert="Percent of lines that are identical after stripping spaces at both ends.",
        source="",
        page="evaluate",
        also=("exact_match",),
    ),
    Term(
        "F1",
        plain="One number that combines precision and recall.",
        expert="Their harmonic mean: twice their product, divided by their sum.",
        source="van Rijsbergen 1979",
        page="evaluate",
        also=("F-score", "F1 score"),
    ),
    Term(
        "held out",
        plain="Kept apart from training so that it can serve as a test.",
        expert="Split by distinct source, so that no source is on both sides.",
        source="",
        page="data",
        also=("held-out",),
    ),
    Term(
        "length ratio",
        plain="How long the outputs are compared with the references.",
        expert="Words of all outputs divided by words of all references; 1 means equal length.",
        source="",
        page="evaluate",
        also=("length_ratio",),
    ),
    Term(
        "n-gram",
        plain="A sequence of n words or characters.",
        expert="Counted with clipping in BLEU and as an F-score in chrF.",
        source="",
        page="evaluate",
        also=("n-grams", "bigram"),
    ),
    Term(
        "p-value",
        plain="How probable a difference this large would be if two systems were equally good.",
        expert=(
            "Two-sided, from approximate randomization; with many comparisons some are small by "
            "chance."
        ),
        source="Riezler and Maxwell 2005",
        page="evaluate",
        also=("p",),
    ),
    Term(
        "paired test",
        plain="A test of whether one system is better than another by more than chance.",
        expert=(
            "Swaps the two outputs of random sentences; p is the share of differences at least as "
            "large, and the paired bootstrap gives their interval."
        ),
        source="Riezler and Maxwell 2005; Koehn 2004",
        page="evaluate",
        also=("paired bootstrap", "approximate randomization"),
    ),
    Term(
        "perplexity",
        plain="How many equally probable words the model hesitates between, on average.",
        expert=(
            "e to the power of the loss, in nats per token; comparable only with the same tokenizer."
        ),
        source="",
        page="evaluate",
    ),
    Term(
        "precision and recall",
        plain=(
            "The share of found items that are right, and the share of right items that are found."
        ),
        expert="What is right, divided by all that was found, or by all there is to find; of n-grams or links.",
        source="",
        page="evaluate",
        also=("precision", "recall"),
    ),
    Term(
        "quality flags",
        plain="Marks on outputs that look suspicious, such as repeated words.",
        expert=(
            "Heuristics, not scores: they point to outputs worth reading, such as loops or a "
            "wrong length."
        ),
        source="",
        page="evaluate",
        also=("quality flag",),
    ),
    Term(
        "reference",
        plain="The translation that is taken as correct.",
        expert="One or several per source; a valid paraphrase that none of them contains scores lower.",
        source="",
        page="evaluate",
        also=("references",),
    ),
    Term(
        "repetition",
        plain="How much a text repeats itself.",
        expert="Share of word pairs that already occurred in the same text, averaged over texts.",
        source="Welleck et al. 2020",
        page="evaluate",
        also=("seq-rep-n",),
    ),
    Term(
        "ROUGE",
        plain="Scores for how much of a reference summary an output covers.",
        expert=(
            "F1 of unigrams, bigrams or the longest common subsequence, lower-cased, 0 to 100; words "
            "are separated by spaces, or counted as the package rouge_score does."
        ),
        source="Lin 2004",
        page="evaluate",
        also=("ROUGE-1", "ROUGE-2", "ROUGE-L", "rouge_1", "rouge_2", "rouge_l"),
    ),
    Term(
        "segment score",
        plain="The score of one sentence, which a metric or a person gave.",
        expert="Metrics such as COMET are reported as the mean of their segment scores.",
        source="Rei et al. 2020",
        page="evaluate",
        also=("segment scores", "sentence score"),
    ),
    Term(
        "signature",
        plain="A short text that says exactly how a score was computed.",
        expert=(
            "sacrebleu's settings and version, and the Unicode form of the texts; scores compare only "
            "where signatures agree."
        ),
        source="Post 2018",
        page="evaluate",
        also=("signatures",),
    ),
    Term(
        "system",
        plain="What an evaluation scores: a run with a strategy, or a file of translations.",
        expert="One row of the results, with settings and checkpoint.",
        source="",
        page="evaluate",
        also=("systems",),
    ),
    Term(
        "TER",
        plain="How many edits would make the output equal to its reference.",
        expert=(
            "Insertions, deletions, substitutions and shifts as a percentage of reference words; "
            "lower is better."
        ),
        source="Snover et al. 2006",
        page="evaluate",
        also=("translation edit rate",),
    ),
    Term(
        "test set",
        plain="The sentences that systems are compared on.",
        expert="Held-out pairs, another split or files; fixed for all systems of an evaluation.",
        source="",
        page="evaluate",
        also=("test sets",),
    ),
    Term(
        "token accuracy",
        plain="The share of reference words that the model would have chosen itself.",
        expert="Positions where the most probable token under teacher forcing equals the reference token.",
        source="",
        page="train",
        also=("accuracy", "token_accuracy", "top-1 accuracy"),
    ),
)
