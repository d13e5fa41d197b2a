"""Components: JavaScript and style in files of their own, each with a thin Python function. Knows nothing of models."""

from s2s.ui.canvas.copy_button import copy_button
from s2s.ui.canvas.diagram import DIAGRAM_WIDTH, Arrow, Box, BoxNote, Diagram, Label, diagram
from s2s.ui.canvas.diagram_svg import diagram_svg
from s2s.ui.canvas.downloads import mend_downloads
from s2s.ui.canvas.heads import heads_canvas, pack_heads, pooling
from s2s.ui.canvas.history import HISTORY, history_script
from s2s.ui.canvas.lines import attention_lines
from s2s.ui.canvas.navigation import mend_navigation
from s2s.ui.canvas.picture_button import picture_button
from s2s.ui.canvas.save_picture import plotly_script, save_picture
from s2s.ui.canvas.terms import SEARCH_BUTTON, glossary, seen_in, term_address
from s2s.ui.canvas.token_strip import Alternative, StripToken, token_strip
from s2s.ui.canvas.touch import touch_scrolling
