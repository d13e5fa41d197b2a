"""The page States."""

from s2s.ui.states.page import fill_first_sentence, show
from s2s.ui.states.view_state import STATE
