"""The page States."""

from s2s.ui.states import reproduce, same_word
from s2s.ui.states.request import fill_first_sentence, read_request
from s2s.ui.states.views import LABELS, VIEWS
