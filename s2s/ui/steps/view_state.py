"""The state of Steps that no bound widget holds; links carry it in `set`, beside the strategy and its settings."""

from __future__ import annotations

import math
from dataclasses import dataclass

from s2s.ui.kit import ViewState, field, is_position, one_of

PRUNED = {"none": "none", "few": "the 3 best of each step", "all": "all"}
FORMULAS = ("power", "gnmt")


def is_number(text: str) -> bool:
    """Whether a link's text is a finite number."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


@dataclass(frozen=True)
class StepsView:
    """Positions and forced tokens belong to a sentence, nodes and ranking to one search."""

    view: str = field("tree")  # a row of VIEWS
    at: str = field("", scope="sentence")  # the position of the next token, from 1
    forced: str = field("", scope="sentence")  # ids that the target begins with: `6.152`
    node: str = field("", scope="search")  # of the tree
    rank_penalty: str = field("", is_number, scope="search")  # length_penalty of the ranking
    rank_formula: str = field("", one_of(*FORMULAS), scope="search")
    find: str = field("", is_position)  # the sentence that "Find one" found
    pruned: str = field("few", one_of(*PRUNED))  # the pruned prefixes that are drawn
    # the truncation inspector; empty: as START has it
    filter_temperature: str = field("", link="ruler_temperature")
    filter_top_h: str = field("", link="ruler_top_h")
    filter_top_k: str = field("", link="ruler_top_k")
    filter_top_p: str = field("", link="ruler_top_p")
    filter_min_p: str = field("", link="ruler_min_p")
    filter_typical_p: str = field("", link="ruler_typical_p")
    filter_epsilon_cutoff: str = field("", link="ruler_epsilon_cutoff")
    filter_eta_cutoff: str = field("", link="ruler_eta_cutoff")
    log_scale: str = field("", one_of("true"), link="ruler_log")


STATE = ViewState("steps", StepsView)
