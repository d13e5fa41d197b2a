"""The script that runs at every visit: page settings, navigation, header, then the page."""

from __future__ import annotations

import streamlit as st

from s2s.config import UserError
from s2s.links.share import LESSON
from s2s.ui.canvas import mend_navigation, save_picture
from s2s.ui.kit import address, cached, forget_shown, forms, in_view, pickers
from s2s.ui.shell import lesson, lesson_class
from s2s.ui.shell.arrival import show_arrival
from s2s.ui.shell.expiry_banner import show_expiry
from s2s.ui.shell.gallery_notice import lead_on, show_once_published
from s2s.ui.shell.header import header, show_attribution, title_of
from s2s.ui.shell.lesson_builder import lesson_builder
from s2s.ui.shell.lesson_panel import lesson_panel
from s2s.ui.shell.notices import (
    read_address,
    show_notices,
    show_operator_notice,
    write_run_label,
)
from s2s.ui.shell.pages import LESSONS, in_menu, kept_values, menu, rows, run_meant
from s2s.ui.shell.share_button import home_url, share_button
from s2s.ui.shell.style import ICON, apply_style
from s2s.ui.shell.visitors import show_frame, show_identity

# before the navigation, which would fetch an icon from Google
st.set_page_config(page_icon=ICON, layout="wide")
read_address()
pages = rows()
page = st.navigation(menu(pages))
row = next(row for row in pages if row.url_path == page.url_path)
if row not in in_menu(pages):
    page = st.navigation(menu(pages, row.url_path))  # which marks the entry of its tab
lead_on(row)
st.set_page_config(page_title=(title := title_of(row)))
is_other_page = address.turn_page(row.url_path, row.keys)
if is_other_page and row.url_path == LESSONS:
    address.read_again("set")  # the menu opens the list of lessons, not the tab that was used last
cached.begin_run()
lesson.read_from_url(row, is_other_page=is_other_page)
lesson_class.read_from_url()

forget_shown()
apply_style()
if not show_identity():
    st.stop()
in_view.clear()
panel = st.container()
share_container, is_ready = header(row)
with panel:
    lesson_panel(row)
show_frame()
show_operator_notice()
show_once_published()
is_replaced = show_arrival(row.url_path, str(st.session_state.get("run") or ""))
notices = st.container()
show_expiry(row)
if is_ready and not is_replaced:
    try:
        page.run()
    except UserError as error:  # about no single control: a sentence longer than the positions, say
        forms.show_error(error)
    except cached.PendingError as pending:  # what the page is about is still decoded
        pending.draw()
if title != title_of(row):  # the page has chosen its sentence or run
    st.set_page_config(page_title=title_of(row))
if is_ready:
    show_attribution()
save_picture()
with notices:
    said = show_notices(row.url_path)
if row.keys:  # what is the visitor's alone has no link
    with share_container:
        share_button(row)
    with panel:
        lesson_builder(row, home_url(row))
if row.run:
    pickers.check_address(run_meant(row, st.query_params))  # the page may have written more there
mend_navigation(row.url_path, kept_values(pages), str(st.session_state.get(LESSON) or ""))
write_run_label(said)
cached.release_unasked()
