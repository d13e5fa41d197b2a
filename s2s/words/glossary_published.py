"""Words of published models, and of what their pre-training adds."""

from __future__ import annotations

from s2s.words.term import Term

PUBLISHED: tuple[Term, ...] = (
    Term(
        "BART",
        plain="A published encoder-decoder model that learned by repairing damaged text.",
        expert="Learned positions, post-norm and GELU; mBART, its multilingual form, is pre-norm.",
        source="Lewis et al. 2020",
        page="runs",
        also=("mBART",),
    ),
    Term(
        "decoder-only",
        plain="A model without an encoder, which continues the text that it is given, as chat models do.",
        expert="Causal self-attention over one sequence; source and target are written one after the other.",
        source="Radford et al. 2018",
        page="architecture",
        also=(
            "decoder-only models",
            "GPT",
            "language model",
        ),
    ),
    Term(
        "encoder-only",
        plain="A model without a decoder, which turns a text into vectors and writes nothing.",
        expert="Bidirectional self-attention, trained to fill in masked words, as in BERT.",
        source="Devlin et al. 2019",
        page="architecture",
        also=("BERT",),
    ),
    Term(
        "extrapolation",
        plain="Working on longer sentences than any seen in training.",
        expert="Depends mostly on the position encoding; relative and linear biases tend to keep working.",
        source="Press et al. 2022",
        page="positions",
        also=(
            "extrapolate",
            "extrapolates",
        ),
    ),
    Term(
        "Hub",
        plain="The website of Hugging Face, from which datasets and published models are downloaded.",
        expert="A dataset is read at a fixed revision, whose hash is stored with the pairs.",
        source="Lhoest et al. 2021",
        page="data",
        also=("Hugging Face",),
    ),
    Term(
        "M2M100",
        plain="A published model that translates directly between any two of 100 languages.",
        expert="Encoder-decoder, pre-norm and sinusoidal, with a language token at the start of source and target.",
        source="Fan et al. 2021",
        page="runs",
        also=("M2M-100",),
    ),
    Term(
        "Marian",
        plain="A family of small published translation models, one for each pair of languages.",
        expert="Post-norm, sinusoidal positions and SentencePiece tokens; most are named OPUS-MT.",
        source="Junczys-Dowmunt et al. 2018",
        page="runs",
        also=("OPUS-MT",),
    ),
    Term(
        "NLLB",
        plain="A published model that translates among 200 languages.",
        expert="Encoder-decoder, pre-norm, with a language token at the start of source and target.",
        source="NLLB Team 2022",
        page="runs",
    ),
    Term(
        "Pegasus",
        plain="A published model that summarizes; other programs can open our weights in its form.",
        expert="Pre-norm with sinusoidal positions, which is why exports to transformers use it.",
        source="Zhang et al. 2020",
        page="runs",
    ),
    Term(
        "pre-training",
        plain="A first, long training on plain text, before the training on the actual task.",
        expert="Fine-tuning then starts from these weights and needs far fewer pairs.",
        source="Raffel et al. 2020",
        page="runs",
        also=(
            "pre-trained",
            "pretraining",
            "pretrained",
        ),
    ),
    Term(
        "span corruption",
        plain="Replacing stretches of a text by markers and training the model to write what was there.",
        expert="Each span becomes one sentinel token, and the target lists sentinels and spans.",
        source="Raffel et al. 2020, section 3.1.4",
        page="data",
        also=(
            "span length",
            "noise rate",
        ),
    ),
    Term(
        "sublayer",
        plain="One of the two or three modules of a layer: self-attention, cross-attention or feed-forward.",
        expert="Each has its own norm and residual connection.",
        source="Vaswani et al. 2017, section 3.1",
        page="walkthrough",
        also=("sublayers",),
    ),
)
