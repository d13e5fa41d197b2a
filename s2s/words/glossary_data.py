"""Words of data: pairs, tokens and tokenizers."""

from __future__ import annotations

from s2s.words.term import Term

DATA: tuple[Term, ...] = (
    Term(
        "BPE",
        plain="A tokenizer that keeps frequent words whole and splits rare ones.",
        expert="Starts from characters and repeatedly merges the most frequent pair of neighbors.",
        source="Sennrich et al. 2016",
        page="data",
        also=("bpe", "byte-pair encoding"),
    ),
    Term(
        "byte tokenizer",
        plain="A tokenizer that splits text into bytes, so no character is unknown.",
        expert="256 UTF-8 byte values plus special tokens; long sequences.",
        source="Xue et al. 2022",
        page="data",
        also=("byte",),
    ),
    Term(
        "character tokenizer",
        plain="A tokenizer that makes every character a token.",
        expert="Small vocabulary and long sequences; characters not seen in training are unknown.",
        source="",
        page="data",
        also=("char", "character"),
    ),
    Term(
        "cleaning",
        plain="Leaving out pairs that would hurt training.",
        expert=(
            "Rules for empty sides, duplicates, copies, length ratio, script, markup and split "
            "overlap."
        ),
        source="",
        page="data",
        also=("clean",),
    ),
    Term(
        "corpus",
        plain="A collection of texts, here of sentence pairs.",
        expert="Stored by content hash, so that a run can name exactly what it was trained on.",
        source="",
        page="data",
        also=("corpora",),
    ),
    Term(
        "coverage",
        plain="How much of one text's vocabulary occurs in another.",
        expert="Share of held-out words that occur at least n times in training.",
        source="",
        page="data",
    ),
    Term(
        "dataset",
        plain="The sentence pairs that a model is trained and tested on.",
        expert="Built in, generated, uploaded, pasted or read from the Hugging Face hub.",
        source="",
        page="data",
        also=("datasets", "saved dataset"),
    ),
    Term(
        "denoising",
        plain="A task in which the model restores words that were masked.",
        expert="Spans averaging noise_span words are masked until noise_rate of the words are.",
        source="Raffel et al. 2020, section 3.1.4",
        page="data",
        also=("denoise",),
    ),
    Term(
        "parallel text",
        plain="Sentences with their translations.",
        expert="Aligned line by line; a missing line shifts all pairs after it.",
        source="",
        page="data",
        also=("pairs", "sentence pair", "bitext"),
    ),
    Term(
        "special tokens",
        plain="Tokens with a fixed meaning instead of text.",
        expert="Pad 0, start 1, end 2 and unknown 3 in tokenizers trained here; published models have their own.",
        source="",
        page="walkthrough",
        also=("special token", "<s>", "</s>", "<pad>", "<unk>"),
    ),
    Term(
        "split",
        plain="A division of the data into parts for training, validation and test.",
        expert=(
            "Distinct sources are assigned to one split only; generated data adds harder splits."
        ),
        source="",
        page="data",
        also=("splits",),
    ),
    Term(
        "subword",
        plain="A token that is a part of a word.",
        expert="Learned by BPE or unigram; balances vocabulary size against sequence length.",
        source="Sennrich et al. 2016",
        page="data",
        also=("subwords", "subword tokens"),
    ),
    Term(
        "task",
        plain="What the model should do with each source.",
        expert=(
            "translate, reverse_direction, prefix, denoise, summarize, respond, halves, copy, "
            "reverse or sort."
        ),
        source="",
        page="data",
        also=("tasks",),
    ),
    Term(
        "token",
        plain="The smallest unit of text that the model reads and writes.",
        expert="A word, subword, character or byte with an id from 0 to vocab_size - 1.",
        source="",
        page="data",
        also=("tokens",),
    ),
    Term(
        "tokenizer",
        plain="The tool that splits text into tokens and joins them again.",
        expert="char, word, byte, bpe or unigram; learned from the training side only.",
        source="",
        page="data",
        also=("tokenizers", "tokenize", "tokenization"),
    ),
    Term(
        "type-token ratio",
        plain="How many distinct words a text has, compared with its length.",
        expert=(
            "Types are distinct words, tokens their occurrences; the vocabulary grows ever more "
            "slowly with length."
        ),
        source="Heaps 1978",
        page="data",
        also=("type", "types", "word types"),
    ),
    Term(
        "unigram tokenizer",
        plain="A tokenizer that picks the most probable split of each word.",
        expert=(
            "Prunes a large vocabulary by expectation-maximization; Viterbi finds the best split."
        ),
        source="Kudo 2018",
        page="data",
        also=("unigram", "unigram language model"),
    ),
    Term(
        "unknown token",
        plain="What a word becomes when the tokenizer does not know it.",
        expert="Impossible with bytes, rare with subwords, common with whole words.",
        source="",
        page="data",
        also=("unknown", "OOV", "out-of-vocabulary", "<unk>"),
    ),
    Term(
        "vocabulary",
        plain="The list of all tokens that a model knows.",
        expert="Sets the rows of the embedding and of the output matrix; shared or one per side.",
        source="",
        page="data",
        also=("vocab_size", "vocabularies"),
    ),
    Term(
        "word tokenizer",
        plain="A tokenizer that makes every word a token.",
        expert="Splits on spaces after Unicode NFC; words not seen in training become <unk>.",
        source="",
        page="data",
        also=("word",),
    ),
)
