"""Words of mathematics and statistics."""

from __future__ import annotations

from s2s.words.term import Term

MATHEMATICS: tuple[Term, ...] = (
    Term(
        "backpropagation",
        plain="Working out, from the loss backward through the layers, how each weight should change.",
        expert="The chain rule, which costs about twice the forward pass and needs the saved activations.",
        source="Rumelhart et al. 1986",
        page="walkthrough",
        also=(
            "backward pass",
            "saved activations",
        ),
    ),
    Term(
        "beta",
        plain="How long an optimizer remembers earlier gradients, between 0 and 1.",
        expert="Beta 1 is the decay of the mean gradient, beta 2 that of the mean square.",
        source="Kingma & Ba 2015",
        page="train",
        also=(
            "Beta 1",
            "Beta 2",
        ),
    ),
    Term(
        "dimension",
        plain="How many numbers a vector has, or one of these numbers.",
        expert="Sizes here are given as rows by columns, a batch first.",
        page="architecture",
        also=("dimensions",),
    ),
    Term(
        "divergence",
        plain="Training that goes wrong: the loss rises without end instead of falling.",
        expert="Mostly from too large a learning rate, or post-norm without warmup; an infinite loss ends the run.",
        source="Xiong et al. 2020",
        page="train",
        also=(
            "diverge",
            "diverged",
            "diverges",
        ),
    ),
    Term(
        "dot product",
        plain="A number that is large where two vectors point the same way.",
        expert="The sum of the products of their components; a matrix product holds one per row and column.",
        page="walkthrough",
        also=(
            "dot products",
            "matrix product",
            "matrix products",
        ),
    ),
    Term(
        "epsilon",
        plain="A tiny number that keeps a division from being one by zero.",
        expert="Added to the variance in a norm, and to the root of the mean square in Adam.",
        source="Kingma & Ba 2015",
        page="train",
    ),
    Term(
        "forward pass",
        plain="Computing the output of a model from its input, once.",
        expert="Costs about 2 FLOPs per parameter and token, plus attention; the backward pass costs twice that.",
        source="Kaplan et al. 2020, section 2.1",
        page="architecture",
        also=(
            "forward",
            "inference",
        ),
    ),
    Term(
        "frontier",
        plain="The systems that no other one beats in speed and in quality at once.",
        expert="The Pareto frontier: all others are both slower and worse than some point on it.",
        page="evaluate",
        also=("Pareto frontier",),
    ),
    Term(
        "Jensen-Shannon divergence",
        plain="How much two probability distributions differ, from 0 for none.",
        expert="The mean Kullback-Leibler divergence to their average; at most log 2, about 0.69 nats.",
        source="Lin 1991",
        page="heads",
        also=("Jensen-Shannon",),
    ),
    Term(
        "likelihood",
        plain="The probability that a model gives to a text that is there already.",
        expert="Its logarithm is what training maximizes; label smoothing gives up a little of it.",
        page="lessons",
    ),
    Term(
        "logarithmic scale",
        plain="An axis on which each step multiplies instead of adding.",
        expert="Equal distances are equal ratios; a curve that falls by a constant factor is a straight line.",
        page="train",
        also=(
            "log scale",
            "log horizontal axis",
            "logarithmic",
            "logarithm",
        ),
    ),
    Term(
        "matrix",
        plain="A table of numbers that turns one vector into another.",
        expert="A linear map: each output component is the dot product of the input with one row or column.",
        page="walkthrough",
        also=("matrices",),
    ),
    Term(
        "median",
        plain="The value in the middle when all are sorted by size.",
        expert="The 50th percentile; a few extreme values do not move it.",
        page="data",
        also=(
            "medians",
            "percentile",
            "percentiles",
        ),
    ),
    Term(
        "probability distribution",
        plain="Probabilities for all possible outcomes, which sum to 1.",
        expert="Here mostly over the vocabulary, one distribution per target position.",
        page="steps",
        also=(
            "distribution",
            "distributions",
        ),
    ),
    Term(
        "regularization",
        plain="Anything that keeps a model from memorizing its training pairs.",
        expert="Dropout, label smoothing, weight decay and early stopping are the kinds that a recipe can choose.",
        source="Goodfellow et al. 2016, chapter 7",
        page="train",
    ),
    Term(
        "tensor",
        plain="A block of numbers with any number of axes.",
        expert="A vector has one axis and a matrix two; shapes are written as (batch, length, d_model).",
        page="walkthrough",
        also=("tensors",),
    ),
    Term(
        "total variation",
        plain="How much probability must move to turn one distribution into another, from 0 to 1.",
        expert="Half the sum of the absolute differences.",
        page="heads",
    ),
    Term(
        "variance",
        plain="How widely numbers are spread around their average.",
        expert="The mean squared distance from the mean; its square root is the standard deviation.",
        page="states",
        also=("standard deviation",),
    ),
    Term(
        "vector",
        plain="A list of numbers, such as the one that stands for a token inside the model.",
        expert="d_model numbers per token here; directions carry meaning more than single numbers do.",
        page="walkthrough",
        also=("vectors",),
    ),
    Term(
        "wavelength",
        plain="How many positions one full wave takes.",
        expert="From 2π to 2π × base for sinusoidal positions, growing geometrically with the dimension.",
        source="Vaswani et al. 2017, section 3.5",
        page="positions",
        also=(
            "wavelengths",
            "frequency base",
        ),
    ),
)
