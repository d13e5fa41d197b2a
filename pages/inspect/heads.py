"""Many sentences: what each attention head does over them, and whether it matters."""

from s2s.ui.heads import VIEWS, read_page

view, page = read_page({slug: row.label for slug, row in VIEWS.items()})
VIEWS[view].show(page)
