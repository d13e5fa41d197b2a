"""The script that makes Back and Forward go by a person's changes; it must run before Streamlit's own."""

from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse

HISTORY = "history.js"


async def history_script(request: Request) -> FileResponse:
    """Answers with the script for Back and Forward."""
    headers = {"cache-control": "no-cache"}
    path = Path(__file__).with_suffix(".js")
    return FileResponse(path, media_type="text/javascript", headers=headers)
