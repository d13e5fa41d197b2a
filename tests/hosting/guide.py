"""docs/hosting.md: its sections, their commands, and its table of variables."""

import re

from tests.hosting.dockerfile import ROOT

TEXT = (ROOT / "docs" / "hosting.md").read_text()


def section(title: str) -> str:
    """From a heading to the next one of its level or above."""
    marks, rest = re.split(rf"(?m)^(##+) {re.escape(title)}\n", TEXT)[1:]
    return re.split(rf"(?m)^#{{1,{len(marks)}}} ", rest)[0]


def commands(title: str) -> list[str]:
    """The shell commands of a section, one string per block."""
    return re.findall(r"(?ms)^```sh\n(.*?)^```", section(title))


def variables() -> list[str]:
    """The first column of the table, in order."""
    return re.findall(r"(?m)^\| `(S2S_\w+)` \|", section("Environment variables"))
