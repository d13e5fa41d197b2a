"""Lesson 7: five models of tutorials, rebuilt, each with a number to check."""

from __future__ import annotations

from s2s.lessons.lesson import Lesson, Step, View
from s2s.lessons.question import NumberQuestion

FIRST_STEPS = Step(
    "78 parameters: two phrases",
    "A tutorial's model has 6 tokens per language: 4 words, `<s>` and `</s>`. Every token is **2 numbers**. The "
    "encoder's one head has three 2 × 2 matrices: 6 × 2 + 3 × 4 = **24** parameters. The output projection has 6 × 2 "
    "weights and 6 biases: **18**. The page counts 92, as ours also has `<pad>` and `<unk>`.\n\nPress **Train**: it "
    "takes seconds. Then open Home, and translate *let's go* and *love you*. Try *go love you*, which it has never "
    "read: the result depends on the seed.",
    View("train", {"set": "source:builtin:first-steps,preset:first-steps"}),
    question=NumberQuestion(
        "The decoder has an embedding, self-attention and cross-attention. How many of the 78 parameters are these?",
        "decoder_parameters",
        tolerance=0,
        hint="An embedding of 6 × 2, and two attentions like the encoder's.",
    ),
)

BLOCKS = Step(
    "Encoder and decoder blocks",
    "`blocks` has two blocks per stack, 4 heads of width 16, and GELU: 2,803,728 parameters with the tutorial's "
    "vocabularies of 20,000 and 10,000.\n\nThe page is set to its batch: **8 sentences, 512 source tokens and 256 "
    "target tokens**. Half of them are padding: the model computes their logits, too, and the loss leaves them out.",
    View("architecture", {"set": "model:blocks,batch:8,src_len:512,tgt_len:256"}),
    question=NumberQuestion(
        "How many logits does the model compute for this batch?",
        "logits_of_batch",
        tolerance=0,
        hint="The logits are (batch, target tokens, target vocabulary): one for each word of each position.",
    ),
)

MINI_T5 = Step(
    "Mini-T5: five phrases",
    "Three layers per stack, learned positions that both sides share, normal initialization, and no dropout. The "
    "tutorial updates 2,500 times, one phrase each; 150 updates of all five are enough.\n\nPress **Train**. On Home, "
    "*hello* becomes *bonjour*; open *thank you* on Attention: its heatmap is small enough to read every cell. Then "
    "compare its shape with T5 in the lesson *From here to the models you use*.",
    View("train", {"set": "source:builtin:mini-en-fr,preset:mini-t5"}),
    question=NumberQuestion(
        "As in the tutorial, `<s>` begins every source and `</s>` ends it. How many tokens does the encoder read for "
        "*hello*?",
        "tokens_of_one_word",
        tolerance=0,
        hint="The setting is `model.ids.src_first`, under *All settings*, *Data*.",
    ),
)

VASWANI = Step(
    "The paper's base model",
    "`vaswani-512` has six layers per stack, 8 heads, a feed-forward layer of 2,048 and two vocabularies of 10,000. "
    "It also drops attention weights and hidden units. Embeddings are not scaled; the paper scales them.\n\nFor 32 "
    "sentences of 10 source and 8 target tokens the output is **(32, 8, 10,000): batch first**. PyTorch's "
    "`nn.Transformer` has time first unless told otherwise: (8, 32, 10,000), the same numbers.",
    View("architecture", {"set": "model:vaswani-512,batch:32,src_len:10,tgt_len:8"}),
    question=NumberQuestion(
        "How many parameters does the output projection have?",
        "output_parameters",
        tolerance=0,
        hint="A weight for each number of the last vector and each token, and a bias for each token.",
    ),
)

CHAR_HALVES = Step(
    "Character by character",
    "Plain text has no targets, so the first half of each passage is the source and the second half the target. A few "
    "dozen characters are the whole vocabulary.\n\nThe text has 480 passages of 120 characters. Some tutorials "
    "start one at every character: that is `builtin:stories#stride=1`, with `data.held_out=last`, as passages that "
    "overlap must not be held out at random. 300 updates are a start; the tutorial makes 5,001.",
    View("train", {"set": "source:builtin:stories,preset:char-halves"}),
    question=NumberQuestion(
        "How many tokens does the encoder read of a passage of 120 characters?",
        "tokens_of_half_a_passage",
        tolerance=0,
        hint="Half of its characters, each a token, and the end of the source.",
    ),
)

LESSON = Lesson(
    id="build-it-yourself",
    title="Build it yourself",
    summary="The models of five tutorials, rebuilt: their shapes, their data, and a number of each to check.",
    minutes=20,
    steps=(FIRST_STEPS, BLOCKS, MINI_T5, VASWANI, CHAR_HALVES),
)
