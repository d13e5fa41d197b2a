"""What every picture's camera button opens: the browser makes SVG, PNG or PDF, in a chosen width and font."""

from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import FileResponse

from s2s.reports import library

FILE = Path(__file__)


def save_picture() -> None:
    """Mount the dialog once on a page: it listens to the camera buttons of all figures, and to the browser's Print."""
    SAVE_PICTURE(key="save picture", height=1)


async def plotly_script(request: Request) -> FileResponse:
    """Answers with the library that draws a figure for paper; a browser loads it when it first saves one."""
    return FileResponse(
        library.PLOTLY, media_type="text/javascript", headers={"Cache-Control": "max-age=86400"}
    )


SAVE_PICTURE = st.components.v2.component(
    "save_picture",
    html="""<dialog aria-label="Save the picture"><form method="dialog"><h2>Save the picture</h2>
<label>Format <select name="format"><option value="pdf">PDF</option><option value="svg">SVG</option>
<option value="png">PNG, 300 dpi</option></select></label>
<label>Width in cm <input name="width" type="number" min="3" max="60" step="0.1" value="8.5" required></label>
<label>Font <select name="face"><option value="sans">Helvetica, Arial</option><option value="serif">Times</option>
<option value="mono">Courier</option></select></label>
<label>Text size in pt <input name="points" type="number" min="4" max="30" step="0.5" value="8" required></label>
<p role="status"></p>
<footer><button type="button" value="cancel">Cancel</button><button name="save">Save</button></footer></form></dialog>
""",
    css=FILE.with_suffix(".css").read_text(encoding="utf-8"),
    js=FILE.with_name("save_pdf.js").read_text(encoding="utf-8")
    + FILE.with_name("paper.js").read_text(encoding="utf-8")
    + FILE.with_suffix(".js").read_text(encoding="utf-8"),
)
