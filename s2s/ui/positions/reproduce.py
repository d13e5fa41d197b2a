"""The code that recomputes the pictures of Positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from s2s.jobs import ExtrapolationSettings
from s2s.ui.kit import reproduce
from s2s.ui.positions.figures import N_RANDOM, SHIFT
from s2s.ui.positions.request import EncodingRequest
from s2s.ui.positions.settings import PositionSettings

ABOUT = "The Python recomputes the numbers of this view."
OWN_MODULE = "from s2s.analysis import positions"
GIVEN = ("settings", "queries", "keys", "distances", "at")  # names of what goes into the numbers
# encodings whose picture needs a run
OF_RUNS = {("learned", view) for view in ("matrix", "waves", "distance")} | {
    ("relative", "distance")
}


def encodings(view: str, kinds: Sequence[str], request: EncodingRequest) -> None:
    """The folded section of the encodings that have a picture in a view."""
    if not kinds:
        return
    has_run = any((kind, view) in OF_RUNS for kind in kinds)
    load = [f"run = {reproduce.load_call(request.run)}"] if has_run else []

    def code() -> tuple[str, str]:
        lines = [line for kind in kinds for line in CODE[kind](request.settings, view)]
        text = "\n".join(lines)
        imports = [
            *(["import numpy as np", ""] if "np." in text else []),
            *(["import s2s"] if has_run else []),
            OWN_MODULE,
            *(["from s2s.config import Positions"] if "Positions(" in text else []),
        ]
        return "", "\n".join([*imports, "", *load, text, reproduce.print_line(lines, GIVEN)])

    reproduce.section(ABOUT, code, reproduce.OF_RUN if has_run else reproduce.ANYWHERE)


def _sinusoidal(settings: PositionSettings, view: str) -> list[str]:
    n = settings.length
    width = settings.d_model
    lines = [
        _waves(settings),
        f"sinusoidal = positions.sinusoid_vectors({n}, {width}, settings)",
    ]
    if view == "waves":
        lines.append(f"wavelengths = positions.wavelengths({width}, settings.base)")
    elif view == "distance":
        lines += _similarity("sinusoidal", settings)
    elif view == "rotation":
        lines += [
            *_angle("sinusoidal", settings, width),
            f"error = positions.rotation_error(sinusoidal, {settings.offset}, settings)",
        ]
    return lines


def _waves(settings: PositionSettings) -> str:
    return f"settings = Positions(layout={settings.layout!r}, base={settings.base!r})"


def _similarity(name: str, settings: PositionSettings) -> list[str]:
    vectors = f"positions.normalized({name})" if settings.measure == "cosine" else name
    return [
        f"{name}_similarity = positions.similarities({vectors})  # (positions, positions)",
        f"{name}_by_offset = positions.by_offset({name}_similarity)  # mean, low, high",
    ]


def _angle(name: str, settings: PositionSettings, width: int) -> list[str]:
    """Of one pair of columns, and its points."""
    pair = min(settings.pair, width // 2) - 1
    return [
        f"period = positions.wavelengths({width}, settings.base)[{pair}]",
        f"angle = 360 * {settings.offset} / period % 360  # degrees",
        f"columns = positions.wave_columns({width}, settings.layout)[{pair}]",
        f"{name}_circle = {name}[:, list(columns)]",
    ]


def _learned(settings: PositionSettings, view: str) -> list[str]:
    lines = [f"learned = positions.position_table(run.model)[: {settings.length}]"]
    return [*lines, *_similarity("learned", settings)] if view == "distance" else lines


def _rotary(settings: PositionSettings, view: str) -> list[str]:
    width = settings.d_head
    lines = [_waves(settings)]
    if view != "distance":
        lines.append(f"rotary = positions.rotated_query({width}, {settings.length}, settings)")
    if view == "waves":
        lines.append(f"rotary_wavelengths = positions.wavelengths({width}, settings.base)")
    elif view == "distance":
        lines += [*_vectors(settings), *_scores(settings.length, "")]
        lines += ["mean, deviation = scores.mean(0), scores.std(0)"]
        lines += ["low, high = mean - deviation, mean + deviation"]
    elif view == "rotation":
        lines += _angle("rotary", settings, width)
        lines += _random_vectors(width, 2)
        lines += _scores(settings.offset + 1, "[:, -1]")
    return lines


def _scores(length: int, which: str) -> list[str]:
    """At the first positions and SHIFT later."""
    call = f"positions.rotary_scores(queries, keys, {length}, settings"
    return [
        f"scores = {call}){which}",
        f"shifted = {call}, {SHIFT}){which}",
        "change = np.abs(shifted - scores).max()",
    ]


def _vectors(settings: PositionSettings) -> list[str]:
    if settings.vectors == "ones":
        return [f"queries = keys = np.ones((1, {settings.d_head}), np.float32)"]
    if settings.vectors == "alike":
        return [*_random_vectors(settings.d_head, 1), "keys = queries"]
    return _random_vectors(settings.d_head, 2)


def _random_vectors(width: int, n: int) -> list[str]:
    names = ("queries", "keys")[:n]
    return [
        f"{name} = positions.random_vectors({N_RANDOM}, {width}, seed={seed})"
        for seed, name in enumerate(names, 1)
    ]


def _alibi(settings: PositionSettings, view: str) -> list[str]:
    return [
        f"slopes = positions.slopes({settings.heads})",
        f"penalties = np.outer(-slopes, np.arange({settings.length}))  # (heads, distances)",
        "left = np.exp(penalties)  # the share of a weight",
    ]


def _relative(settings: PositionSettings, view: str) -> list[str]:
    config = f"Positions(buckets={settings.buckets}, max_distance={settings.max_distance})"
    n = settings.length
    lines = [f"settings = {config}"]
    if view == "matrix":
        return [
            *lines,
            f"at = np.arange({n})",
            "distances = at - at[:, None]  # key minus query",
            "found = positions.buckets(distances.ravel(), settings, is_causal=False)",
            f"buckets = found.reshape({n}, {n})",
        ]
    return [
        *lines,
        f"distances = np.arange({1 - n}, {n})  # key minus query",
        "both_directions = positions.buckets(distances, settings, is_causal=False)",
        "backwards_only = positions.buckets(distances, settings, is_causal=True)",
        "learned_scores = positions.bucket_scores(run.model)  # (buckets, heads), or None",
        "own = positions.buckets(distances, run.recipe.model.positions, is_causal=False)",
        "by_distance = None if learned_scores is None else learned_scores[own]",
    ]


# by the kind of encoding
CODE: Mapping[str, Callable[[PositionSettings, str], list[str]]] = MappingProxyType(
    {
        "sinusoidal": _sinusoidal,
        "learned": _learned,
        "rotary": _rotary,
        "alibi": _alibi,
        "relative": _relative,
    }
)


def beyond_training_length(
    experiment: ExtrapolationSettings, score: str, own: Sequence[str]
) -> None:
    """The folded section of runs that were trained here, else of the shipped results; `score`: digits or whole."""
    if not own and experiment != ExtrapolationSettings(experiment.task):
        return
    task = reproduce.quoted(experiment.task)
    if own:
        runs = ", ".join(map(reproduce.quoted, own))
        imports = ["import s2s", "from s2s.jobs import extrapolation"]
        results = f"results = [extrapolation.measure(s2s.load(run), {task}) for run in ({runs},)]"
        about = "The Python tests each of these runs again on lines of every length."
    else:
        imports = ["from s2s.demo import shipped_results"]
        results = f"results = shipped_results({task})"
        about = (
            "The Python reads the results that come with s2s; the button above measures them again."
        )
    lines = [
        "import numpy as np",
        "",
        *imports,
        "",
        results,
        "lines = {}  # of each encoding: mean, lowest and highest of its runs",
        "for kind in {one.kind: 0 for one in results}:",
        f"    rows = np.array([one.{score} for one in results if one.kind == kind], np.float32)",
        "    lines[kind] = [100 * rows.mean(0), 100 * rows.min(0), 100 * rows.max(0)]  # %",
        "print(lines)",
    ]
    needs = reproduce.OF_RUN if own else reproduce.ANYWHERE
    reproduce.section(about, lambda: ("", "\n".join(lines)), needs)
