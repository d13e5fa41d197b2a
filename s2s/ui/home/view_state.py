"""The state of Home that links carry in `set`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from s2s.ui.kit import ViewState, field, one_of

MOST_SENTENCES = 6  # that are translated


def _are_ids(text: str) -> bool:
    return re.fullmatch(r"\d{1,9}(\.\d{1,9})*", text, re.ASCII) is not None


@dataclass(frozen=True)
class HomeView:
    """The fields of Home's link: the sentence looked at, the word replaced in its translation, and a part of the
    map.
    """

    sentence: str = field("", one_of(*map(str, range(1, MOST_SENTENCES + 1))), scope="text")
    forced: str = field("", _are_ids, scope="sentence")  # ids that the target begins with: `6.152`
    part: str = field("", scope="sentence", link="from")  # of a large map: `33.1`


STATE = ViewState("home", HomeView)
