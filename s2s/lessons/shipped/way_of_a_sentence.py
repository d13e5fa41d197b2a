"""Lesson 2: one sentence through the model, from its tokens to one update of the weights."""

from __future__ import annotations

from s2s.lessons.lesson import Lesson, Step, View
from s2s.lessons.question import (
    ChoiceQuestion,
    HeadQuestion,
    NumberQuestion,
    SentenceQuestion,
)

RUN = "demo-en-fr"
SENTENCE = "the red house"
WAY = ("walk way", "walk progress", "walk below")  # the page's own Previous and Next
REST = ("examples", "settings")  # on Attention
SETTINGS = "walk settings"  # layer, head and token, where a step does not need them
WRONG_TARGET = "la maison bleue"  # blue instead of red: what the model has to learn in step 11


def _walkthrough(step: str, *, position: int = 1, **values: str) -> View:
    """A step of the Walkthrough with layer 1, head 1 and a token."""
    view = {"run": RUN, "src": SENTENCE, "layer": "1", "head": "1"}
    return View("walkthrough", {**view, **values, "set": f"step:{step},position:{position}"})


TOKENS = Step(
    "Text becomes tokens",
    "The model has two halves. The **encoder** reads the sentence and turns each token into a **vector**, a list of"
    " numbers. The **decoder** writes the translation from these vectors. Steps 1 to 6 show the encoder.\n\nFirst the"
    " sentence is split into **tokens**, here words; each has a number, its **id**. The last, `</s>`, marks the end.",
    _walkthrough("ids"),
    hidden=(*WAY, SETTINGS, "walk count"),
    question=NumberQuestion(
        "How many tokens does the model read for this sentence?",
        "source_tokens",
        tolerance=0,
        hint="Count the frames in the picture; `</s>` is one of them.",
    ),
)

VECTORS = Step(
    "Tokens become vectors",
    "Each id selects one row of a table: the token's first **vector**, its embedding. Nobody chose these"
    " numbers: training did, like all **weights** of the model.\n\nFrom here on, the model computes with vectors only.",
    _walkthrough("embedding", src="the red house is old"),
    hidden=(*WAY, SETTINGS),
    question=SentenceQuestion(
        "Write a sentence in which a word occurs twice, and compare its two rows. Then check.",
        "repeated_token",
        hint="Try: the cat sees the dog. Both rows of *the* are the same: a vector does not know its position yet.",
    ),
)

POSITIONS = Step(
    "Positions: the order of the words",
    "The encoder's attention, which comes next, sees which tokens there are, not their order. So a vector for its"
    " **position** is added to each token's vector.\n\nUnder *Swap two words*, *dog* and *cat* are swapped. The bars"
    " show how much each word's result changes, with positions and without.",
    View(
        "positions",
        {"run": RUN, "src": "the dog sees the cat", "set": "view:model,swap:2,with:5"},
    ),
    hidden=("chips", "swap verdict"),
    question=ChoiceQuestion(
        "What would happen without positions?",
        (
            "Each word would get the same result in both orders",
            "The results would differ a little less",
            "Only the two swapped words would change",
        ),
        "swap_without_positions",
        (
            "Right: without positions the encoder cannot tell who sees whom.",
            "Look at the second number: without positions, the change is 0 up to rounding.",
            "Look at the bars: without positions, no word changes at all.",
        ),
        hint="Compare the two numbers above the bars. One that ends in e-07 has six zeros after the point: rounding.",
    ),
)

ONE_WEIGHT = Step(
    "One attention weight by hand",
    "Each token has three vectors: a **query** (what it looks for), a **key** (what it offers), a **value** (what it"
    " passes on).\n\nFramed: the query of *the* in dot products with all keys, scaled. **Softmax** makes weights that"
    " **sum to 1**: e (2.718) to the power of each, divided by the sum of these powers. They mix the values.",
    _walkthrough("scaling"),
    hidden=(*WAY, "walk softmax"),  # which has the answer
    question=NumberQuestion(
        "Compute it: how much weight does *the* give to the token after it, *red*?",
        "weight_of_next",
        tolerance=0.02,
        hint="e is 2.718: raise it to the score of *red*, and divide by the sum of the four such numbers.",
    ),
)

HEADS = Step(
    "Why several heads?",
    "A row sums to 1, so one head can attend fully to one token only. Several **heads** look for different things at"
    " the same time; each has its own queries, keys and values.\n\nThe small pictures show all heads: they differ."
    " Click or tap one to see it large.",
    View(
        "attention",
        {"run": RUN, "src": SENTENCE, "kind": "encoder", "layer": "1", "head": "1"},
    ),
    hidden=REST,
    question=HeadQuestion(
        "French articles agree with their noun. In which encoder head does *the* attend mostly to *house*?",
        "encoder",
        "heads_from_first_to_third",
        hint="Row *1 the*, column *3 house*. Try the heads of layer 2.",
    ),
)

RESIDUALS = Step(
    "Residual connections: adding, not replacing",
    "What attention computes is **added** to the token's vector, which stays in the sum. Then a **feed-forward**"
    " network transforms each token's vector separately; its result is added, too. After the last layer, each token"
    " has one vector: the encoder's result.\n\nThe pictures show attention in layer 1, on one color scale: before,"
    " what it adds, the sum.",
    _walkthrough("residual", position=2),
    hidden=(*WAY, SETTINGS),
    question=ChoiceQuestion(
        "What if the vector that attention adds for a token is close to 0?",
        (
            "The token's vector is lost",
            "The token's vector passes on, nearly unchanged",
            "The layer runs again",
        ),
        1,
        (
            "No: the vector stays in the sum, whatever is added to it.",
            "Right: adding a small vector hardly changes the sum, so a layer may also do little.",
            "No: each layer of the encoder runs once per sentence.",
        ),
        hint="What is x + f(x) when f(x) is close to 0?",
    ),
)

MASK = Step(
    "The mask: no look ahead",
    "Now the **decoder**. In training it gets the whole correct translation; if it saw the word to predict, it would"
    " **copy it and learn nothing**. The **causal mask** (*The mask M*) prevents that: it adds −∞ (black) to"
    " scores of later tokens; softmax makes that 0.\n\nSo the row that reads *la*, and predicts *maison*, sees only"
    " `<s>` and *la*.",
    _walkthrough("causal", position=2),
    hidden=(*WAY, SETTINGS, "walk picture 1", "walk picture 2", "walk picture 3"),
    question=ChoiceQuestion(
        "Why must the decoder not see later words?",
        (
            "To save time",
            "Because later words are less important",
            "It would copy the word that it should predict, and learn nothing for translating",
        ),
        2,
        (
            "No: the masked scores are computed too, and then thrown away.",
            "No: they would be the most useful ones of all, and that is the problem.",
            "Right: when it translates, the later words do not exist yet.",
        ),
        hint="The row that reads *la* has to predict *maison*. Where does *maison* stand?",
    ),
)

CROSS_ATTENTION = Step(
    "Cross-attention: where both languages meet",
    "In **cross-attention** the decoder reads the encoder's result: **queries come from the decoder (French), keys and"
    " values from the encoder (English)**. Each row is a token that the decoder predicts.\n\n*maison* attends to"
    " *house*.\n\nA bright cell shows where a head looks, **not whether the output needs it**.",
    View(
        "attention",
        {"run": RUN, "src": SENTENCE, "kind": "cross", "layer": "2", "head": "1"},
    ),
    hidden=REST,
    question=ChoiceQuestion(
        "The cell of *rouge* and *red* is bright. Does attention explain why the model wrote *rouge*?",
        (
            "Yes: the weight shows the reason",
            "Not necessarily: it shows where this head takes information from, not whether the output needs it",
            "No: attention has nothing to do with the output",
        ),
        1,
        (
            "Not necessarily: other heads look elsewhere, and their results are added too.",
            "Right: to know more, switch the head off and see whether the output changes (the view Intervene).",
            "It does: its result is added to the vectors that lead to the output. But other heads add theirs.",
        ),
        hint="There are other heads, and residual connections lead around each of them.",
    ),
)

SOFTMAX = Step(
    "Softmax: a probability for every word",
    "After the last layer, every token of the French vocabulary gets a number, its **logit**. **Softmax** turns the"
    " logits into **probabilities** that sum to 1.\n\nThe bars show the most probable first words, after `<s>`, which"
    " starts every output.",
    _walkthrough("probabilities", position=1),
    hidden=(*WAY, SETTINGS),
    question=NumberQuestion(
        "How much probability do all tokens but the first, *la*, have together?",
        "other_tokens_percent",
        tolerance=0.2,
        unit="%",
        hint="100 % minus the probability of the longest bar.",
    ),
)

LOSS = Step(
    "The loss: how wrong was it?",
    "Training compares with a given translation. To show it, we claim that *the red house* means *la maison bleue*."
    " The **loss** measures how much the correct token surprises the model: −log of its probability, 0 where it is"
    " certain. Here only *bleue* surprises it.\n\nBars: these tokens. Diamonds: the model's own translation, whose"
    " third token is *rouge*.",
    _walkthrough("loss", tgt=WRONG_TARGET),
    hidden=(*WAY, SETTINGS),
    question=NumberQuestion(
        "What is the loss of *bleue*, in nats?",
        "largest_token_loss",
        tolerance=0.15,
        unit="nats",
        hint="Point at its bar, or tap it. Or take −ln of the probability that the text below the picture gives.",
    ),
)

UPDATE = Step(
    "One update of the weights",
    "This is how a model learns. Each weight has a **gradient**: how fast the loss rises when the weight grows. Each"
    " weight moves **against** it, by learning rate × gradient.\n\nLook at one weight, then at the bars: *bleue* is"
    " probable now. Training repeats this with many sentences.",
    _walkthrough("update", tgt=WRONG_TARGET),
    hidden=(*WAY, SETTINGS, "walk picture 1"),
    question=NumberQuestion(
        "What would this weight be after the update if the learning rate were 0.2?",
        "weight_after_update",
        tolerance=0.001,
        hint="Before − 0.2 × gradient. Then press learning rate 1: a step can be too long.",
    ),
)

DECODING = Step(
    "Decoding: word after word",
    "The model gives probabilities; **decoding** chooses. The chosen token is appended, and the decoder runs again. It"
    " **ends** when `</s>` is chosen, or at a maximum length.\n\n**Greedy** search keeps the best token only. **Beam"
    " search keeps the best few unfinished outputs** (`num_beams`, here three); crosses are pruned.",
    View(
        "steps",
        {
            "run": RUN,
            "src": SENTENCE,
            "set": "strategy:beam,num_beams:3,view:tree,pruned:few",
        },
    ),
    hidden=("chips", "controls search"),
    question=ChoiceQuestion(
        "And a chat model: how does it write its answer?",
        (
            "It looks up a stored answer",
            "In the same way: one token after another, each from the probabilities after all before",
            "It writes all words at once",
        ),
        1,
        (
            "No: like this model, it has weights only, and computes every token.",
            "Right. It has a decoder, often without an encoder: your question and its answer are one sequence.",
            "No: it needs each token to compute the next one.",
        ),
        hint="What does this model need before it can choose its next token?",
    ),
)

LESSON = Lesson(
    id="way-of-a-sentence",
    title="The way of a sentence",
    summary="From text to tokens, through attention, to probabilities, the loss and one update of the weights.",
    minutes=30,
    steps=(
        TOKENS,
        VECTORS,
        POSITIONS,
        ONE_WEIGHT,
        HEADS,
        RESIDUALS,
        MASK,
        CROSS_ATTENTION,
        SOFTMAX,
        LOSS,
        UPDATE,
        DECODING,
    ),
)
