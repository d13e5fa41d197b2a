"""Names of files, after titles."""

from __future__ import annotations

import re


def file_name(title: str) -> str:
    """A title as a file's name: letters, digits and hyphens."""
    return re.sub(r"[^\w-]+", "-", title).strip("-")
