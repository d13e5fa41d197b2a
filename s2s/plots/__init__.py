"""Arrays and labels in, `go.Figure` out. Knows nothing of models or screens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import plotly.graph_objects as go

from s2s.plots import standalone, svg, theme
from s2s.plots.activations import activations
from s2s.plots.alignment_marks import mark_alignment
from s2s.plots.attention import attention_csv, csv_cell, geometry, heatmap, numbered
from s2s.plots.bars import bars, compact_number
from s2s.plots.costs import costs
from s2s.plots.coverage import coverage
from s2s.plots.curves import DASHES, Curve, CurveOptions, StepMark, curve_points, curves
from s2s.plots.expected_quality import expected_quality
from s2s.plots.gradient_flow import gradient_flow
from s2s.plots.learning import alignment_error, attention_animation, entropy
from s2s.plots.length_ratio import length_ratio
from s2s.plots.logit_lens import LensCell, logit_lens, logit_lens_csv
from s2s.plots.mask import mask
from s2s.plots.parallel_coordinates import ParallelAxis, format_value, parallel_coordinates
from s2s.plots.positions import (
    MAX_MATRIX_ROWS,
    LineSeries,
    columns_csv,
    downsampled,
    extrapolation,
    line_chart,
    matrix,
    matrix_csv,
    paired_bars,
    rotations,
)
from s2s.plots.ranked_tokens import ranked_tokens
from s2s.plots.schedule import schedule
from s2s.plots.sentence_lengths import sentence_lengths
from s2s.plots.similarity import CosineSeries, similarity, similarity_csv
from s2s.plots.states import COLORINGS, StateLayer, StatePoint, states, states_csv
from s2s.plots.static_heatmap import static_heatmap
from s2s.plots.sweep_curve import SweepLine, sweep_curve
from s2s.plots.tensor import tensor, tensor_csv, tensor_hover
from s2s.plots.token_losses import TokenLoss, token_losses
from s2s.plots.tradeoff import TradeoffPoint, tradeoff
from s2s.plots.tree import TreeNode, tree, tree_width, visible_nodes
from s2s.plots.truncation import FilterResult, fine_percent, truncation
from s2s.plots.utility import Floats, utility
from s2s.plots.vocabulary_growth import vocabulary_growth
from s2s.plots.vocabulary_size import vocabulary_size
from s2s.plots.word_frequencies import word_frequencies


class Plot(NamedTuple):
    """One row of the registry: what draws it, and one sentence that says how to read it."""

    draw: Callable[..., go.Figure]
    caption: str


PLOTS: Mapping[str, Plot] = MappingProxyType(
    {
        "attention": Plot(
            heatmap,
            "Each row is one word being written; its cells, which sum to 1, say where the model looks for it.",
        ),
        "curves": Plot(
            curves,
            "Lower is better. Where validation turns up while training goes down, the model learns by heart.",
        ),
        "entropy": Plot(
            entropy,
            "Dotted: looks everywhere alike; 0: at one token alone. A head whose line falls makes up its mind.",
        ),
        "alignment_error": Plot(
            alignment_error,
            "Lower is better: at 0 each word being written looks most at what it translates.",
        ),
        "parallel_coordinates": Plot(
            parallel_coordinates,
            "Follow one line from its settings to its scores; on every score, up is better.",
        ),
        "sentence_lengths": Plot(
            sentence_lengths,
            "How many texts have so many words. Where the shapes differ, one side says the same with more of them.",
        ),
        "vocabulary_size": Plot(
            vocabulary_size,
            "More pieces make shorter texts and a larger model; where a line turns flat, more of them bring little.",
        ),
        "length_ratio": Plot(
            length_ratio,
            "A narrow hill is a faithful translation; pairs far from it, left or right, are worth a look.",
        ),
        "schedule": Plot(
            schedule,
            "How large a step the weights take: it climbs through the warm-up, then falls as the schedule says.",
        ),
        "expected_quality": Plot(
            expected_quality,
            "Most trainings of this kind should end within the band; beside it is unusual, not wrong.",
        ),
        "vocabulary_growth": Plot(
            vocabulary_growth,
            "The steeper the line still is on the right, the more new words the next texts will bring.",
        ),
        "word_frequencies": Plot(
            word_frequencies,
            "A few words make up most of any text; a word here that does not belong is worth a look.",
        ),
        "truncation": Plot(
            truncation,
            "Under each filter: squares stay, rings go, the thick line is its cut. Solid bars stay under all together.",
        ),
        "token_losses": Plot(
            token_losses,
            "The taller a bar, the less the model expected that word of the reference; diamonds: its own.",
        ),
        "tree": Plot(
            tree,
            "Left to right, token by token: the thick line is what was returned, a cross what was let go. Below each token stands the"
            " log-probability of all up to it; the nearer to 0, the better.",
        ),
        "utility": Plot(
            utility,
            "Each row is a text that was drawn, each column one that it is compared with; the brighter, the more alike. The row with"
            " the highest mean wins.",
        ),
        "coverage": Plot(
            coverage,
            "What is missing to 100 % are words that the model has not met so often before it is tested on them.",
        ),
        "tradeoff": Plot(
            tradeoff,
            "Up and to the right is best (TER: down). Who has nobody there is best at some price.",
        ),
        "states": Plot(
            states,
            "Points that lie together are alike in what the two axes show; how much that is stands on them.",
        ),
        "similarity": Plot(
            similarity,
            "Read the thick line against the others: what is alike is more alike than any two words are.",
        ),
        "logit_lens": Plot(
            logit_lens,
            "Each row is a word being written, layer by layer to the right; a frame: that layer would write it, too.",
        ),
        "tensor": Plot(
            tensor,
            "Each row is one token, each cell one number: grey is 0, the darker the lower (black: −∞), the brighter the higher.",
        ),
        "activations": Plot(
            activations,
            "Under the grey bars lies what this layer really hands in; there the curves differ, or do not.",
        ),
        "gradient_flow": Plot(
            gradient_flow,
            "At 1 as much gradient arrives as set out at the end; far below, a layer hardly learns, far above, it jumps.",
        ),
        "ranked_tokens": Plot(
            ranked_tokens,
            "One bar a token of the vocabulary, the largest on top; the striped one is written.",
        ),
        "bars": Plot(
            bars, "The longer a bar, the more of the machine's numbers stand in that part."
        ),
        "costs": Plot(
            costs,
            "Both scales are logarithmic: a line twice as steep as another grows with its square.",
        ),
        "mask": Plot(
            mask,
            "Each row is a token that looks, each column one that could be looked at: ✓ it may, ✕ it may not.",
        ),
        "matrix": Plot(
            matrix,
            "Grey is 0 where numbers have a sign; the brighter, the higher, the darker, the lower.",
        ),
        "line_chart": Plot(
            line_chart,
            "Each line is one dimension, head or measure, place by place; a shade is how far its numbers spread.",
        ),
        "rotations": Plot(
            rotations,
            "The same turn leads from each thick mark to its partner: an offset is an angle, wherever one starts.",
        ),
        "paired_bars": Plot(
            paired_bars, "Where only one of the two bars can be seen, the other is nearly 0."
        ),
        "extrapolation": Plot(
            extrapolation,
            "Right of the shade is what no training showed; where a line falls there, that encoding does not carry on.",
        ),
        "sweep_curve": Plot(
            sweep_curve,
            "Where the line falls although more is searched, the model prefers texts that people do not.",
        ),
    }
)
