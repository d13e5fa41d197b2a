"""How large the house is; `python -m tests.ratchet` writes the figures down, which may only fall.

A figure rises only with the feature that is worth it: `python -m tests.ratchet --for "FEATURE"`.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
FILE = ROOT / "tests" / "ratchet.json"
SLACK = 0.01  # by which share a recorded figure may lie above the measured one
WORD = re.compile(r"\b[A-Za-z_]\w*\b")
# As Python 3.11 tokenizes, where an f-string is one string.
TOKEN = re.compile(
    r"(?P<between>\#[^\n]*|\\\n|\s+)"
    r"|(?:[rbfu]{0,2}(?:'''(?:\\.|[^\\])*?'''|\"\"\"(?:\\.|[^\\])*?\"\"\"|'(?:\\.|[^\\'\n])*'|\"(?:\\.|[^\\\"\n])*\"))"
    r"|\.?\d(?:e[+-]\d|[\w.])*|\w+"
    r"|\*\*=|//=|>>=|<<=|\.\.\.|!=|->|:=|\*\*|//|>>|<<|[-+*/%&@|^<>=]=|.",
    re.DOTALL | re.IGNORECASE,
)


class Tokens(NamedTuple):
    """The tokens of a file, and how many lines have one."""

    texts: list[str]
    n_lines: int


def tokens(text: str) -> Tokens:
    """Names, operators, numbers and strings."""
    texts: list[str] = []
    rows: set[int] = set()
    row = 0
    for match in TOKEN.finditer(text):
        if match.lastgroup is None:
            texts.append(match[0])
            rows.add(row)
        row += match[0].count("\n")
    return Tokens(texts, len(rows))


def measure() -> dict[str, float]:
    """The figures of s2s/, pages/ and streamlit_app.py, of benchmarks/ and of CHANGELOG.md."""
    paths = [*(ROOT / "s2s").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    texts = [path.read_text() for path in (*paths, ROOT / "streamlit_app.py")]
    each = [tokens(text) for text in texts]
    n_tokens = sum(len(found.texts) for found in each)
    named: list[str] = []
    n_narrators = 0
    n_classes = 0
    for found in each:
        words = found.texts
        following = zip(words, words[1:], words[2:], strict=False)
        for first, second, third in following:
            if first == "def":
                named.append(second)
            n_narrators += (first, second, third) == ("->", "str", ":")
            n_classes += first == "class"
    counts = Counter(WORD.findall("\n".join(texts)))
    plain = [name for name in named if not name.startswith("__")]
    n_once = sum(counts[name] == 2 for name in plain)  # its `def` and one other place
    return {
        "lines": sum(text.count("\n") for text in texts),
        "tokens": n_tokens,
        "tokens per line with tokens": round(n_tokens / sum(found.n_lines for found in each), 1),
        "files": len(texts),
        "functions": len(named),
        "functions named once, percent": round(100 * n_once / len(plain), 1),
        "narrators": n_narrators,
        "classes": n_classes,
        "modules under 40 lines": sum(text.count("\n") < 40 for text in texts),
        "st.session_state": sum(text.count("st.session_state") for text in texts),
        "lines of benchmarks": sum(
            path.read_text().count("\n") for path in (ROOT / "benchmarks").rglob("*.py")
        ),
        # up to there each change that a user sees has its line
        "bytes of CHANGELOG.md": max(8_000, (ROOT / "CHANGELOG.md").stat().st_size),
    }


def recorded() -> dict[str, dict[str, object]]:
    """Per figure its `value`, and the features for which it was raised."""
    content: dict[str, dict[str, object]] = json.loads(FILE.read_text())
    return content


def differences(figures: Mapping[str, float], values: Mapping[str, float]) -> list[str]:
    """A sentence for each figure that has risen, or fallen without being written down."""
    found = []
    for name in sorted({*figures, *values}):
        now, before = figures.get(name), values.get(name)
        if now is None or before is None:
            found.append(f"{name}: recorded {before}, measured {now}")
        elif now > before:
            found.append(
                f"{name} rose from {before:,} to {now:,}: lower it, or write down the feature that is worth it with"
                ' `python -m tests.ratchet --for "FEATURE"`'
            )
        elif now < before * (1 - SLACK):
            found.append(
                f"{name} fell from {before:,} to {now:,}: write it down with `python -m tests.ratchet`"
            )
    return found


def main(feature: str) -> int:
    """Write today's figures; 2 where one has risen without a feature."""
    before = recorded() if FILE.exists() else {}
    content = {}
    for name, value in measure().items():
        row = dict(before.get(name, {"value": value}))
        if value > float(str(row["value"])):
            if not feature:
                sentence = (
                    f'{name} rose from {row["value"]} to {value}; say why with --for "FEATURE".'
                )
                print(sentence, file=sys.stderr)
                return 2
            reasons = row.get("raised for", [])
            assert isinstance(reasons, list)
            row["raised for"] = [*reasons, feature]
        content[name] = {**row, "value": value}
    FILE.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--for", dest="feature", default="", help="for which a figure may rise")
    sys.exit(main(parser.parse_args().feature))
