"""The face of s2s.data is light: heavy libraries are imported only when a file needs them."""

import subprocess
import sys

import pytest

HEAVY = ("torch", "pandas", "pyarrow", "datasets", "huggingface_hub", "streamlit")


@pytest.mark.system
def test_the_face_imports_no_heavy_library() -> None:
    code = f"import sys, s2s.data, s2s.hub, s2s.tokenizers; print([n for n in {HEAVY} if n in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "[]\n"
