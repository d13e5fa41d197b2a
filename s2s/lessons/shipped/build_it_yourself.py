"""Lesson 7: five models of tutorials, rebuilt, each with a number to check."""

from __future__ import annotations

from s2s.lessons.lesson import Lesson, Step, View
from s2s.lessons.question import NumberQuestion

FIRST_STEPS = Step(
    "78 parameters: two phrases",
    "The tutorial's encoder has **24** parameters: 6 tokens of 2 numbers, and three 2 × 2 matrices. Its output "
    "projection has **18**. The page adds `<pad>` and `<unk>`: 92.\n\nPress **Train**. Seconds later, translate "
    "*let's go* and *love you* on Home. Then try *go love you*, a mix that it has never read: the result depends on "
    "the seed.",
    View("train", {"set": "source:builtin:first-steps,preset:first-steps"}),
    question=NumberQuestion(
        "The decoder has an embedding, self-attention and cross-attention. How many of the 78 parameters are these?",
        "decoder_parameters",
        tolerance=0,
        hint="An embedding of 6 × 2, and two attentions of three 2 × 2 matrices each.",
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
    "Three layers per stack, and one table of learned positions for both sides. The tutorial makes 2,500 updates, a "
    "phrase each; 150 of all five are enough.\n\nPress **Train**. On Home, *hello* then becomes *bonjour*. Open "
    "*thank you* on Attention: the heatmap is small enough to read every cell.",
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
    "Six layers per stack, 8 heads, and two vocabularies of 10,000. Embeddings are not scaled; the paper scales "
    "them.\n\nFor 32 sentences of 10 source and 8 target tokens the output is (32, 8, 10,000): **batch first**. The "
    "tutorial has **time first**, as PyTorch's `nn.Transformer` by default: (8, 32, 10,000), the same numbers.",
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
    "Plain text has no targets: the first half of each passage is the source, the second half the target. The "
    "tutorial starts a passage at every character (`#stride=1` on the command line) and validates on the last tenth "
    "(`data.held_out`).\n\nThese passages of 120 characters follow one another. 300 updates are a start; the tutorial "
    "makes 5,001.",
    View("train", {"set": "source:builtin:plain-text,preset:char-halves"}),
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
    summary="The models of five tutorials, each with a number to check: first-steps, blocks, mini-t5, vaswani-512 and"
    " char-halves.",
    minutes=20,
    steps=(FIRST_STEPS, BLOCKS, MINI_T5, VASWANI, CHAR_HALVES),
)
