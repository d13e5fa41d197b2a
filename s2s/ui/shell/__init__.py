"""What surrounds every page: navigation, header, notices, the Share button, style. The frame is run as a script."""

from s2s.ui.shell.addresses import base_path, ready_paths, routes
from s2s.ui.shell.bundles import Bundles
from s2s.ui.shell.curated_views import CURATED_VIEWS, small_picture
from s2s.ui.shell.expiry_banner import forget_expiring, keep_button
from s2s.ui.shell.guard import Guard
from s2s.ui.shell.lesson import lesson_progress
from s2s.ui.shell.lesson_builder import pages_to_add
from s2s.ui.shell.lesson_panel import step_link
from s2s.ui.shell.lesson_sharing import lesson_sharing, show_lesson_link
from s2s.ui.shell.measured import Measured, note_script_error
from s2s.ui.shell.operator import identify_operator, is_operator
from s2s.ui.shell.pages import PAGES, page, page_link
from s2s.ui.shell.share_button import page_url
from s2s.ui.shell.short_link_route import find as find_link
from s2s.ui.shell.visitors import account, browser_key, identify, is_framed, user
from s2s.ui.shell.warm_up import FRAME, warm_up
