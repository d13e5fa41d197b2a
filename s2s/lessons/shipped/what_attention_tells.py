"""Lesson 5: what attention tells, and where it misleads."""

from __future__ import annotations

from s2s.lessons.lesson import Lesson, Step, View
from s2s.lessons.question import ChoiceQuestion, HeadQuestion, NumberQuestion, SentenceQuestion

SENTENCE = "the cat who chased the mouse was black"
RUN = {"run": "demo-en-fr"}
HERE = {**RUN, "src": SENTENCE}
# What the steps do not need, so that a small screen shows the picture.
ON_ATTENTION = ("examples", "settings", "view")
ON_HEADS = ("controls heads", "controls sentences")

LESSON = Lesson(
    id="what-attention-tells",
    title="What attention tells, and where it misleads",
    summary="Roles of heads, sinks, rollout, heads switched off, and why a weight is no explanation.",
    minutes=20,
    steps=(
        Step(
            "Every layer has several heads",
            "The grid has all heads of cross-attention, one picture each. Rows are the words that the model "
            "writes, columns those that it reads; **the brighter a cell, the more weight**.\n\n"
            "Most heads point at the word that is "
            "being translated. Compare them: are they all alike?",
            View("attention", {**HERE, "kind": "cross"}),
            hidden=(*ON_ATTENTION, "selection", "answer"),
            question=ChoiceQuestion(
                "Why does a layer have several heads, and not one large one?",
                (
                    "Each row of a head sums to 1: one head mixes all that it looks at into one average.",
                    "The heads work one after the other, each on what the one before has left.",
                    "One head is for each word of the sentence.",
                ),
                0,
                (
                    "Right: a head gives each word one weighted average. Several heads can each look at another word, "
                    "for different reasons, at the same time.",
                    "No: the heads of a layer work side by side, on the same vectors. Layers come one after another.",
                    "No: the number of heads is fixed when the model is built, whatever the sentence.",
                ),
                hint="Think of a verb that must agree with its subject and also follow the word before it.",
            ),
        ),
        Step(
            "What a head does over many sentences",
            "One sentence can mislead. Here each head is measured over 500 sentences: does it follow the source from "
            "left to right, look at the word before, at the end?\n\nEach role has a **strength from 0 to 1** and the "
            "rule that it comes from; hover or tap a head for its numbers.",
            View("heads", {**RUN, "set": "view:roles"}),
            hidden=ON_HEADS,
            question=HeadQuestion(
                "All heads of cross-attention but one follow the source from left to right (*monotonic*). Which one "
                "does it least?",
                "cross",
                "least_monotonic_head",
                hint="Its cell is the darkest of the first picture.",
            ),
        ),
        Step(
            "A head with nothing to do",
            "The weights of a row sum to 1, so a head cannot look at nothing. A head that has nothing to do puts its "
            "weight where it does no harm, often on `<s>` or `</s>`: an **attention sink**.\n\nThis head of the "
            "decoder's self-attention gives much weight to `<s>`. It does not mean that `<s>` matters.",
            View("attention", {**HERE, "kind": "decoder", "layer": "1", "head": "2"}),
            hidden=ON_ATTENTION,
            question=NumberQuestion(
                "Read the last row, which predicts `</s>`: how much weight does it give to `<s>`, from 0 to 1?",
                "last_row_first_weight",
                tolerance=0.02,
                hint="Hover or tap the first cell of the last row.",
            ),
        ),
        Step(
            "Two layers: where did the information come from?",
            "The second layer reads vectors that the first one has mixed already. **Rollout** multiplies the weights "
            "of the layers, with the residual connection counted in, and says which *source word* a vector comes "
            "from.\n\nUnder *Shown as*, choose *Weights* and compare: the rollout spreads over more words.",
            View(
                "attention",
                {**HERE, "kind": "encoder", "layer": "2", "head": "mean", "reduce": "rollout"},
            ),
            hidden=ON_ATTENTION,
            question=ChoiceQuestion(
                "What does rollout leave out?",
                (
                    "The feed-forward layers, the values, and that weights can cancel out.",
                    "The residual connections.",
                    "The first layer.",
                ),
                0,
                (
                    "Right: it follows weights only. What the heads carry, and what the feed-forward layers do with "
                    "it, is not in the picture.",
                    "No: they are in it, as half of each layer's weight on the word itself.",
                    "No: it multiplies the weights of all layers up to the chosen one.",
                ),
                hint="The sentence about this reduction, in small print, says what it ignores.",
            ),
        ),
        Step(
            "Switch heads off",
            "Looking says where a head looks, not whether that matters. So **switch it off**: its output becomes zero, "
            "all else stays.\n\nThere is a button for each head of cross-attention. With one head off the "
            "translation often stays: others do the same.",
            View("heads", {**HERE, "set": "view:ablation"}),
            hidden=(
                *ON_HEADS,
                *(f"switches of {which}" for which in ("heads", "encoder", "decoder")),
            ),
            question=SentenceQuestion(
                "Make the translation change with at most four heads switched off.",
                "ablation_changes_translation",
                hint="Try whole layers, one after the other: some are missed, others are not.",
            ),
        ),
        Step(
            "Which heads matter?",
            "Each head is switched off alone, and the loss over 500 sentences is computed again. The brighter its "
            "cell, the more the model needs a head.\n\nCompare with the roles: a head that does its job clearly is "
            "**not always one that matters**.",
            View("heads", {**RUN, "set": "view:importance"}),
            hidden=(*ON_HEADS, "how"),
            question=HeadQuestion(
                "Without which head of cross-attention does the loss grow most?",
                "cross",
                "most_important_cross_head",
                hint="The sentence above the picture names it, and its cell is the brightest.",
            ),
        ),
        Step(
            "The same words from other weights",
            "*Is attention an explanation here?* The weights of all heads of cross-attention are replaced: "
            "shuffled, made equal, taken from another head. If the model then **predicts the same word**, its weights "
            "alone do not explain that word.",
            View("heads", {**HERE, "set": "view:attribution"}),
            hidden=(
                "controls heads",
                "chips",
                "tgt",
                "controls attribution",
                "controls attention",
                "attribution",
            ),
            question=NumberQuestion(
                "With equal weights on all source words (*Uniform*): in how many percent of the cases does another "
                "token become the most probable?",
                "share_changed_by_uniform_weights",
                tolerance=1,
                unit="%",
                hint="The sentence below the picture says it for each change.",
            ),
        ),
        Step(
            "What may you say, then?",
            "**Occlusion** asks directly: hide one source word, and see how the probability of each written word "
            "falls. Next to it or below you see attention, and further down how far the two agree.\n\nAttention says "
            "where to start looking. A claim needs a change: hide, switch off, replace, and measure.",
            View("heads", {**HERE, "set": "view:attribution,method:occlusion"}),
            hidden=("controls heads", "chips", "tgt", "controls attribution", "controls attention"),
            question=ChoiceQuestion(
                "A head puts 90 % of its weight on *cat* when the model writes *noir*. What follows?",
                (
                    "*noir* is written because of *cat*.",
                    "This head carries information from *cat* there; whether the model uses it has to be tested.",
                    "The other heads do not look at *cat*.",
                ),
                1,
                (
                    "Not yet: the weight says where a head looks, not what the model does with it. Switch the head "
                    "off, or hide the word, and see.",
                    "Right: a weight shows a path. Ablation, occlusion and patching show whether it is used.",
                    "No: each head has its own weights.",
                ),
                hint="Think of the sink: much weight, no effect.",
            ),
        ),
        Step(
            "Who was black?",
            "One might expect *was* to look at *cat*, its subject. In this model no head of the encoder does: *was* "
            "gives *cat* at most 0.09. It need not: *was* itself says that the subject is singular, which is all that "
            "*était* has to know.\n\nBut *black* can become *noir* or *noire*, and only its noun says which.",
            View("attention", {**HERE, "kind": "encoder", "layer": "2", "head": "2"}),
            hidden=ON_ATTENTION,
            question=HeadQuestion(
                "In which head of the encoder does *black* give nearly all of its attention to *cat*?",
                "encoder",
                "heads_from_last_to_second",
                hint="Row *8 black*, column *2 cat*, in layer 2. Click or tap a small picture to see it large.",
            ),
        ),
        Step(
            "In Spanish: a word that moves",
            "*the red house* becomes *la casa roja*: *casa* from *house*, *roja* from *red*. Source B has *yellow* "
            "instead.\n\n**Patching** copies one state of the run on *red* into the run on *yellow*. Where a cell is "
            "1, that state alone brings *roja* back: it is the one of *red*, in every layer. The adjective moves, its "
            "information does not.",
            View(
                "heads",
                {
                    "run": "demo-en-es",
                    "src": "the red house",
                    "set": "view:patching,second:the yellow house",
                },
            ),
            hidden=("controls heads", "chips"),
            question=NumberQuestion(
                "*red* is word 2 of the source. Which word of the translation does it change? Give its position.",
                "first_changed_position",
                tolerance=0,
                hint="Compare *la casa roja* with *la casa amarilla*; the page measures at this position.",
            ),
        ),
    ),
)
