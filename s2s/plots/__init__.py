"""Arrays and labels in, `go.Figure` out; every function is a row of PLOTS. Knows nothing of models or screens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import plotly.graph_objects as go

from s2s.plots import (
    card,
    evaluation_charts,
    evaluation_scores,
    evaluation_view,
    svg,
    svg_curves,
    svg_heads,
    svg_sheet,
    theme,
    training_view,
)
from s2s.plots.attention import heatmap, heatmap_data, numbered, static_heatmap
from s2s.plots.attention_view import part_names
from s2s.plots.bars import bars, compact_number
from s2s.plots.costs import costs
from s2s.plots.curves import Curve, CurveOptions, StepMark, curve_points, curves
from s2s.plots.dataset_charts import (
    coverage,
    length_ratio,
    sentence_lengths,
    vocabulary_growth,
    vocabulary_size,
    word_frequencies,
)
from s2s.plots.diagram import DIAGRAM_WIDTH, Diagram
from s2s.plots.evaluation_charts import SCATTER, SWEEP, TRADEOFF
from s2s.plots.grids import HeadValues, NumberGrid, head_values, number_grids
from s2s.plots.head_importance_view import HeadPoint, head_scatter
from s2s.plots.head_roles import HOW_TO_READ as HEAD_ROLES
from s2s.plots.head_roles import HeadGrid, head_roles, head_roles_animation
from s2s.plots.learning import (
    ALIGNMENT_ERROR,
    ENTROPY,
    ROLE_STRENGTHS,
    alignment_error,
    attention_animation,
    entropy,
    role_strengths,
)
from s2s.plots.logit_lens import logit_lens
from s2s.plots.masks_view import mask
from s2s.plots.mean_spread import CAPTION as MEAN_SPREAD
from s2s.plots.mean_spread import SeedScores, mean_spread
from s2s.plots.model_diagram import diagram_of
from s2s.plots.parallel_coordinates import CAPTION as PARALLEL
from s2s.plots.parallel_coordinates import ParallelAxis, parallel_coordinates
from s2s.plots.picture import (
    AllHeads,
    ComparedRows,
    ComparedTexts,
    DrawnFigure,
    LinkedTokens,
    NamedFile,
    Picture,
    TokenRows,
)
from s2s.plots.positions import (
    extrapolation,
    line_chart,
    matrix,
    paired_bars,
    rotations,
)
from s2s.plots.runs_view import short_names
from s2s.plots.same_word import similarity
from s2s.plots.samples_view import CAPTION as UTILITY
from s2s.plots.samples_view import utility
from s2s.plots.schedule import expected_quality, schedule
from s2s.plots.score_plots import TradeoffPoint, sentence_scores, sweep_curve, tradeoff
from s2s.plots.search_view import drawn_nodes
from s2s.plots.states import states
from s2s.plots.tensor import largest, tensor
from s2s.plots.token_losses import CAPTION as TOKEN_LOSSES
from s2s.plots.token_losses import token_losses
from s2s.plots.tree import CAPTION as TREE
from s2s.plots.tree import TreeNode, tree, visible_nodes
from s2s.plots.truncation import CAPTION as TRUNCATION
from s2s.plots.truncation import truncation
from s2s.plots.walk_decoder import ranked_tokens
from s2s.plots.walk_learning import gradient_flow
from s2s.plots.walk_tensors import activations
from s2s.words import fine_percent


class Plot(NamedTuple):
    """One row of the registry: the function that draws it, and a caption that says how to read it."""

    draw: Callable[..., go.Figure]
    caption: str


PLOTS: Mapping[str, Plot] = MappingProxyType(
    {
        "attention": Plot(
            heatmap,
            "Each row is one predicted token; its weights, which sum to 1, show how much attention goes to each token.",
        ),
        "curves": Plot(
            curves,
            "Lower is better. Where validation loss rises while training loss falls, the model memorizes.",
        ),
        "entropy": Plot(
            entropy,
            ENTROPY,
        ),
        "alignment_error": Plot(
            alignment_error,
            ALIGNMENT_ERROR,
        ),
        "head_roles": Plot(
            head_roles,
            HEAD_ROLES,
        ),
        "role_strengths": Plot(
            role_strengths,
            ROLE_STRENGTHS,
        ),
        "parallel_coordinates": Plot(
            parallel_coordinates,
            PARALLEL,
        ),
        "mean_spread": Plot(
            mean_spread,
            MEAN_SPREAD,
        ),
        "sentence_lengths": Plot(
            sentence_lengths,
            "How many sentences have a given number of words. Where the shapes differ, one language uses more words.",
        ),
        "vocabulary_size": Plot(
            vocabulary_size,
            "A larger vocabulary makes shorter sequences and a larger model; where a line gets flat, it helps little.",
        ),
        "length_ratio": Plot(
            length_ratio,
            "Faithful translations form a narrow peak; inspect the pairs far from it on either side.",
        ),
        "schedule": Plot(
            schedule,
            "The step size of each update: it rises during the warmup, then falls as the schedule says.",
        ),
        "expected_quality": Plot(
            expected_quality,
            "Most runs like this one should end within the shaded prediction interval; outside is unusual, not wrong.",
        ),
        "vocabulary_growth": Plot(
            vocabulary_growth,
            "The steeper a line still is on the right, the more new words further sentences will bring.",
        ),
        "word_frequencies": Plot(
            word_frequencies,
            "A few words make up most of any dataset; inspect words here that do not belong.",
        ),
        "truncation": Plot(truncation, TRUNCATION),
        "token_losses": Plot(token_losses, TOKEN_LOSSES),
        "tree": Plot(tree, TREE),
        "utility": Plot(utility, UTILITY),
        "coverage": Plot(
            coverage,
            "The rest, up to 100%, are words that occur less often in the training set.",
        ),
        "tradeoff": Plot(
            tradeoff,
            TRADEOFF,
        ),
        "number_grids": Plot(
            number_grids,
            "One cell per number; the frame marks the best one of its table.",
        ),
        "sentence_scores": Plot(
            sentence_scores,
            SCATTER,
        ),
        "states": Plot(
            states,
            "Points that are close are similar along the two axes; the axes say how much of the variance they explain.",
        ),
        "similarity": Plot(
            similarity,
            "Compare the thick line with the others: similarity counts where it exceeds that of any two words.",
        ),
        "logit_lens": Plot(
            logit_lens,
            "Each row is one produced token, each column a layer; a frame marks layers that already predict it.",
        ),
        "tensor": Plot(
            tensor,
            "One row per token, one cell per number: dark is 0, yellow above, blue below; empty: −∞.",
        ),
        "activations": Plot(
            activations,
            "The gray bars show this layer's real inputs; only there does it matter whether the curves differ.",
        ),
        "gradient_flow": Plot(
            gradient_flow,
            "1: the same size as at the decoder's output; far below, a layer hardly learns; far above, it is unstable.",
        ),
        "ranked_tokens": Plot(
            ranked_tokens,
            "One bar per token, the largest on top; greedy search chooses the striped one.",
        ),
        "bars": Plot(bars, "The longer a bar, the more parameters that component has."),
        "costs": Plot(
            costs,
            "Both scales are logarithmic: a line twice as steep as another grows with its square.",
        ),
        "mask": Plot(
            mask,
            "Each row is a query, each column a key: ✓ it may attend to it, ✕ it may not.",
        ),
        "matrix": Plot(
            matrix,
            "Dark is 0, yellow above, blue below.",
        ),
        "line_chart": Plot(
            line_chart,
            "Each line is one dimension, head or measure by position; a shade shows the range of its values.",
        ),
        "rotations": Plot(
            rotations,
            "The same rotation leads from each thick mark to its partner: an offset is an angle, wherever it starts.",
        ),
        "head_values": Plot(
            head_values,
            "One cell per head: brighter is larger. A number in parentheses may be 0: its 95 % interval includes 0.",
        ),
        "head_scatter": Plot(
            head_scatter, "One point per head, with the 95 % interval of its height."
        ),
        "paired_bars": Plot(
            paired_bars, "Where only one of two bars is visible, the other is close to 0."
        ),
        "extrapolation": Plot(
            extrapolation,
            "To the right of the shade are lengths that training never showed; an encoding whose line falls there does"
            " not extrapolate.",
        ),
        "sweep_curve": Plot(
            sweep_curve,
            SWEEP,
        ),
    }
)
