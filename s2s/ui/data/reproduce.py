"""The code that recomputes what Data says of a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from s2s.config import Recipe
from s2s.ui.data.sources import ChosenDataset
from s2s.ui.kit import reproduce

ABOUT = "The Python reads the dataset and recomputes the counts and the numbers of this view."
OF_DATASET = "Run it where s2s is installed and this dataset is stored."
OF_UPLOAD = (
    "Run it where s2s is installed and this file is stored; a saved dataset is read by its SPEC."
)


class ViewCode(NamedTuple):
    """What computes a section of the profile: names of s2s.data, and lines."""

    data: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()


# by the label of the view
CODE: Mapping[str, ViewCode] = MappingProxyType(
    {
        "Cleaning": ViewCode(
            ("enabled_rules", "profile_section"),
            (
                'report = profile_section(spec, "lint", recipe.data)',
                "counts = {rule: found.n for rule, found in report.found.items()}",
                "n_dropped = report.dropped(enabled_rules(recipe.data.clean))",
                "n_left = report.n_pairs - n_dropped",
                "print(counts, n_dropped, n_left)",
            ),
        ),
        "Statistics": ViewCode(
            ("profile_section",),
            (
                'statistics = profile_section(spec, "statistics", recipe.data)',
                "print(statistics)",
            ),
        ),
        "Tokens": ViewCode(
            ("profile_section",),
            (
                'found = profile_section(spec, "pieces", recipe.data)',
                'for row in found["rows"]:',
                "    print(row.kind, row.too_long, row.src, row.tgt)",
            ),
        ),
        "Task": ViewCode(
            (),
            (
                "too_long = share_too_long(recipe, preview)",
                "print(too_long)  # of the pairs, about",
            ),
        ),
    }
)


def show(chosen: ChosenDataset, view: str, preset: str, recipe: Recipe) -> None:
    """The folded section."""
    needs = OF_DATASET if chosen.spec else OF_UPLOAD
    reproduce.section(ABOUT, lambda: ("", python(chosen, view, preset, recipe)), needs)


def python(chosen: ChosenDataset, view: str, preset: str, recipe: Recipe) -> str:
    """Its `preview` has the counts and lengths, the rest is the view's."""
    code = CODE.get(view, ViewCode())
    line = reproduce.recipe_line(preset, recipe) if code.lines else ""
    imports = [
        *(["import s2s"] if code.lines else []),
        *(["from s2s.config import override"] if "override(" in line else []),
        reproduce.imported("s2s.data", {"load_preview", *code.data}),
        *(["from s2s.jobs import share_too_long"] if view == "Task" else []),
    ]
    return "\n".join(
        [
            *imports,
            "",
            f"spec = {reproduce.quoted(chosen.spec or chosen.profile.spec)}",
            *([line] if line else []),
            "preview = load_preview(spec)",
            "print(preview.n_pairs, preview.src_median, preview.tgt_median)",
            *code.lines,
        ]
    )
