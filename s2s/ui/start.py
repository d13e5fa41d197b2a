"""What happens once, before the first visitor."""

from __future__ import annotations

import contextlib
import gc
import importlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse

FRAME = Path(__file__).parent / "frame.py"
HEAVY = ("torch", "pandas", "plotly.graph_objects", "plotly.express", "streamlit.elements.plotly_chart")


@contextlib.asynccontextmanager
async def warm_up(app: Any) -> AsyncIterator[None]:
    """Imports, the first demo and one translation, so that no visitor waits for them.

    What exists by then is frozen: Streamlit collects garbage after every run, and walking all of torch's objects each
    time costs 160 ms (measured).
    """
    for name in HEAVY:
        importlib.import_module(name)
    import torch

    from s2s import plots
    from s2s.ui import cached, known

    torch.set_num_threads(1)  # one page's model must not stop the others
    if demos := cached.run_ids()[:1]:
        opened = cached.open_run(demos[0])
        seen = cached.translation(opened, known.of(opened).examples[0]).seen
        plots.heatmap(seen.cross[-1].mean(0), seen.src_tokens, seen.tgt_tokens, title="").to_json()
    gc.collect()
    gc.freeze()
    yield


async def ready(request: Request) -> JSONResponse:
    """Answers once `warm_up` is done: for a host's health check."""
    return JSONResponse({"ready": True})
