"""The pictures of each encoding: the figure, its numbers, and a sentence or two on what it shows and what it cannot."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from s2s import plots
from s2s.analysis import positions as engine
from s2s.analysis.positions import ByOffset, Matrix
from s2s.config import Positions
from s2s.plots import LineSeries, downsampled
from s2s.ui.kit import cached
from s2s.ui.kit.captions import file_name
from s2s.ui.kit.charts import chart
from s2s.ui.kit.text import plain
from s2s.ui.positions.request import NAMES, Asked, PositionSettings

FAR = 100  # places that query and key are moved on together, to see that their score stays
DRAWN = 32  # pairs of random vectors
# degrees between the places where arms start, as far as there are positions, and how many arms
APART = 110
ARMS = 3


def drawn(figure: go.Figure, title: str, alt: str, numbers: Callable[[], str]) -> None:
    """A figure and its numbers to download."""
    name = file_name(title)
    chart(figure, alt=alt, file_name=name)
    st.download_button(
        "Numbers (CSV)",
        numbers,
        f"{name}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        key=f"numbers {name}",
    )


@st.cache_resource(
    max_entries=6, show_spinner=False
)  # arrays that nobody writes to: shared, not copied
def _waves(length: int, d_model: int, base: float, layout: str) -> Matrix:
    return engine.sinusoid_vectors(length, d_model, Positions(base=base, layout=layout))


@st.cache_resource(max_entries=12, show_spinner=False)
def _alike(of: tuple[object, ...], measure: str, _vectors: Matrix) -> tuple[Matrix, ByOffset]:
    """The matrix, made coarse where it is larger than a screen, and its diagonals."""
    given = engine.normalized(_vectors) if measure == "cosine" else _vectors
    few = downsampled(given, -(-len(given) // plots.MAX_MATRIX_ROWS))
    return engine.similarities(few), engine.by_offset(engine.similarities(given))


def _sinusoids(config: PositionSettings) -> Matrix:
    return _waves(config.length, config.d_model, config.base, config.layout)


def _turned_ones(config: PositionSettings) -> Matrix:
    """A query whose pairs are all (1, 0), at each position: the cosine and the sine of each angle."""
    vector = np.zeros(config.d_head, np.float32)
    vector[[first for first, _ in engine.wave_columns(config.d_head, config.layout)]] = 1
    return engine.rotated(vector, config.length, config.positions("rotary"))


def _pair(config: PositionSettings, width: int) -> int:
    """From 0; the last one where there are not so many."""
    return min(config.pair, width // 2) - 1


def sinusoidal_matrix(asked: Asked) -> None:
    """Position down, dimension across."""
    config = asked.settings
    values = _sinusoids(config)
    title = f"Sinusoidal · {config.length} positions of {config.d_model} columns, {config.layout}"
    _matrix(values, title, "position", "dimension")
    where = (
        "the left half holds sines, the right cosines"
        if config.layout == "halves"
        else "sine and cosine stand side by side"
    )
    st.caption(
        f"Each row is the vector that is added to the word in that place; {where}, and from fast to slow the waves grow longer."
        " Nothing here is learned, and it does not show what a model makes of it."
    )
    if config.d_model % 2:
        st.info(
            f"{config.d_model} columns are odd: the last sine has no cosine. The picture is the formula's; our models refuse such"
            f" a width and say so, because that one wave could not be turned (see Rotation). Take {config.d_model + 1}.",
            icon=":material/looks_one:",
        )


def learned_matrix(asked: Asked) -> None:
    """The run's table."""
    if (found := _table(asked)) is None:
        return
    values = found
    title = f"Learned · {cached.title(asked.run.folder.id)} · {len(found)} positions of {found.shape[1]} columns"
    _matrix(values, title, "position", "dimension")
    longest = asked.run.recipe.data.max_length
    st.caption(
        "Each row is a vector that training found for that place. Rows that no sentence reached still hold what they were drawn"
        f" with, and this run trained on at most {longest} tokens; a place beyond the table cannot be read at all."
    )


def rotary_matrix(asked: Asked) -> None:
    """Position down, column of the turned query across."""
    config = asked.settings
    title = f"Rotary · query of (1, 0) pairs, {config.length} positions, {config.layout}"
    _matrix(_turned_ones(config), title, "position", "column of the query")
    st.caption(
        "Rotary adds no vector: it turns queries and keys. This is what becomes of a query whose pairs all point the same way at"
        " first. A real query starts elsewhere in each pair, so its picture differs; the angles are these."
    )


def alibi_matrix(asked: Asked) -> None:
    """Head down, distance across."""
    config = asked.settings
    values = np.outer(-engine.slopes(config.heads), np.arange(config.length)).astype(np.float32)
    title = f"ALiBi · what {config.heads} heads take off at {config.length} distances"
    figure = plots.matrix(
        values, title=title, across="distance", down="head", signed=False
    ).update_traces(y0=1)
    named = {"distance": np.arange(config.length)} | {
        f"head {head}": row for head, row in enumerate(values, 1)
    }
    drawn(figure, title, f"Heatmap: {title}", lambda: plots.columns_csv(named))
    st.caption(
        "Each row is a head: so much is added to its score before the softmax, 0 for the word itself, less the farther away."
        " The words' own scores, which may outweigh it, are not in the picture."
    )


def relative_matrix(asked: Asked) -> None:
    """Query down, key across: the bucket."""
    config = asked.settings
    places = np.arange(config.length)
    found = engine.buckets(
        (places[None] - places[:, None]).ravel(), config.positions("relative"), is_causal=False
    )
    values = found.reshape(config.length, config.length).astype(np.float32)
    title = f"T5 · which of {config.buckets} buckets, query by key, {config.length} positions"
    figure = plots.matrix(
        values, title=title, across="key", down="query", signed=False, coarse_columns=True
    )
    drawn(figure, title, f"Heatmap: {title}", lambda: plots.matrix_csv(values, "query"))
    st.caption(
        "In the encoder every pair of places with the same colour shares one learned score a head. The colours name buckets; how"
        " large the scores are is learned, and stands under Distance if this page's run has them."
    )


def _matrix(values: Matrix, title: str, down: str, across: str) -> None:
    figure = plots.matrix(values, title=title, across=across, down=down)
    drawn(figure, title, f"Heatmap: {title}", lambda: plots.matrix_csv(values, down))


def sinusoidal_waves(asked: Asked) -> None:
    """One pair and three others, then the wavelengths of all."""
    config = asked.settings
    _waves_of(_sinusoids(config), config, config.d_model, "Sinusoidal", ("sine", "cosine"))
    st.caption(
        "Each dimension is one wave. Fast ones tell neighbours apart and soon repeat, slow ones tell near from far: together no"
        " two places are alike. Which of them a model reads, the picture does not say."
    )
    _lengths(config, config.d_model, "Sinusoidal")


def rotary_waves(asked: Asked) -> None:
    """The same of a turned query."""
    config = asked.settings
    _waves_of(
        _turned_ones(config), config, config.d_head, "Rotary", ("first column", "second column")
    )
    st.caption(
        "The two columns of a pair as it turns: a wave, and the same a quarter of a turn later. Only differences of angles count."
    )
    _lengths(config, config.d_head, "Rotary")


def learned_waves(asked: Asked) -> None:
    """Five columns of the run's table."""
    if (found := _table(asked)) is None:
        return
    columns = sorted({int(place) for place in np.linspace(0, found.shape[1] - 1, 5)})
    lines = [
        LineSeries(f"dimension {column}", np.arange(len(found)), found[:, column])
        for column in columns
    ]
    _lines(lines, f"Learned · {len(columns)} of {found.shape[1]} dimensions", "position", "value")
    st.caption(
        "No formula made these, and they have no wavelength: neighbours can be told apart, but nothing says which comes next."
    )


def _waves_of(
    values: Matrix, config: PositionSettings, width: int, name: str, sides: tuple[str, str]
) -> None:
    pairs = engine.wave_columns(width, config.layout)
    chosen = _pair(config, width)
    lengths = engine.wavelengths(width, config.base)
    x = np.arange(len(values))
    others = sorted({int(place) for place in np.linspace(0, len(pairs) - 1, 4)} - {chosen})
    lines = [
        LineSeries(f"pair {chosen + 1}, {side}", x, values[:, column])
        for side, column in zip(sides, pairs[chosen], strict=True)
    ]
    lines += [
        LineSeries(
            f"pair {other + 1}, a turn in {_long(lengths[other])}", x, values[:, pairs[other][0]]
        )
        for other in others
    ]
    _lines(
        lines,
        f"{name} · pair {chosen + 1} of {len(pairs)}: a turn in {_long(lengths[chosen])} positions",
        "position",
        "value",
    )


def _long(wavelength: float) -> str:
    """`6.28`, `54,410`."""
    return f"{wavelength:.3g}" if wavelength < 100 else f"{wavelength:,.0f}"


def _lengths(config: PositionSettings, width: int, name: str) -> None:
    lengths = engine.wavelengths(width, config.base)
    title = f"{name} · wavelengths from {_long(lengths[0])} to {_long(lengths[-1])} positions"
    line = LineSeries("wavelength", np.arange(1, len(lengths) + 1), lengths.astype(np.float32))
    _lines([line], title, "pair", "positions a turn", is_log=True)


def _lines(
    lines: Sequence[LineSeries], title: str, across: str, up: str, *, is_log: bool = False
) -> None:
    """Lines over the same places, and a column each to download."""
    figure = plots.line_chart(lines, title=title, across=across, up=up, is_log=is_log)
    named = {across: np.asarray(lines[0].x)} | {
        f"{line.name} {part}".strip(): values for line in lines for part, values in _parts(line)
    }
    drawn(figure, title, f"Lines: {title}", lambda: plots.columns_csv(named))


def _parts(line: LineSeries) -> list[tuple[str, Matrix]]:
    parts = (("", line.y), ("low", line.low), ("high", line.high))
    return [(part, np.asarray(values)) for part, values in parts if len(values)]


def sinusoidal_distance(asked: Asked) -> None:
    """How alike two places are, and that it is a matter of their offset alone."""
    config = asked.settings
    of = (config.length, config.d_model, config.base, config.layout)
    found = _likeness("Sinusoidal", config, *_alike(of, config.measure, _sinusoids(config)))
    st.caption(
        f"How alike two places are depends on their offset alone: over all pairs the spread is at most {found:.1g}, rounding. It falls"
        " with distance and then swings; forwards and backwards look the same, so the direction must come from elsewhere."
    )


def learned_distance(asked: Asked) -> None:
    """The same of the run's table, where nothing says that it must be so."""
    if (found := _table(asked)) is None:
        return
    of = (str(asked.run.folder.path), asked.run.step)
    spread = _likeness("Learned", asked.settings, *_alike(of, asked.settings.measure, found))
    st.caption(
        f"Trained vectors owe nothing to the offset: over pairs that stand equally far apart they differ by up to {spread:.2g} (the"
        " shade). A bright band along the diagonal says that neighbours became alike; where training never came, all but the"
        " diagonal is as random as the vectors were drawn."
    )


def _likeness(name: str, config: PositionSettings, alike: Matrix, offsets: ByOffset) -> float:
    """Both pictures; the widest spread of any offset."""
    what = {"dot": "dot product", "cosine": "cosine"}[config.measure]
    length = len(offsets.mean)
    _lines(
        [LineSeries("mean", np.arange(length), offsets.mean, offsets.low, offsets.high)],
        f"{name} · {what} of two positions by their offset", "offset", what,
    )  # fmt: skip
    step = -(-length // plots.MAX_MATRIX_ROWS)
    cells = f", means of {step} by {step}" if step > 1 else " positions"
    title = f"{name} · {what} of {length} by {length}{cells}"
    figure = plots.matrix(alike, title=title, across=_blocks(step), down=_blocks(step))
    drawn(figure, title, f"Heatmap: {title}", lambda: plots.matrix_csv(alike, _blocks(step)))
    return float((offsets.high - offsets.low).max())


def _blocks(step: int) -> str:
    return f"position / {step}" if step > 1 else "position"


def rotary_distance(asked: Asked) -> None:
    """q . k by distance."""
    config = asked.settings
    positions, queries, keys = config.positions("rotary"), *_queries_keys(config)
    scores = engine.rotary_scores(queries, keys, config.length, positions)
    moved = engine.rotary_scores(queries, keys, config.length, positions, FAR)
    mean = scores.mean(0)
    spread = scores.std(0) if len(scores) > 1 else np.zeros(0, np.float32)
    low, high = (mean - spread, mean + spread) if len(spread) else ((), ())
    of = {
        "alike": f"{DRAWN} random vectors, q = k",
        "unlike": f"{DRAWN} random pairs",
        "ones": "query and key all ones",
    }
    title = f"Rotary · q·k / √{config.d_head} by distance, {of[config.vectors]}"
    _lines(
        [LineSeries("mean", np.arange(config.length), mean, low, high)],
        title,
        "places that the key is behind",
        "score",
    )
    st.caption(
        f"The same two vectors, farther and farther apart. PositionEffect on together by {FAR} places, no score changes by more than"
        f" {np.abs(moved - scores).max():.1g}: only the distance counts. Vectors that are alike match best nearby; unlike ones show"
        " no such fall, so this is a leaning and not a rule. The shade is one standard deviation."
    )


def _queries_keys(config: PositionSettings) -> tuple[Matrix, Matrix]:
    if config.vectors == "ones":
        ones = np.ones((1, config.d_head), np.float32)
        return ones, ones
    queries = engine.random_vectors(DRAWN, config.d_head, seed=1)
    return queries, queries if config.vectors == "alike" else engine.random_vectors(
        DRAWN, config.d_head, seed=2
    )


def alibi_distance(asked: Asked) -> None:
    """Slopes by head, and what they take off."""
    slopes = engine.slopes(asked.settings.heads)
    heads = np.arange(1, len(slopes) + 1)
    _lines(
        [LineSeries("slope", heads, slopes)],
        f"ALiBi · the slopes of {len(slopes)} heads",
        "head",
        "slope",
        is_log=True,
    )
    power = 2 ** int(np.log2(len(slopes)))
    between = f" {len(slopes)} is no power of two: from head {power + 1} on they lie between those of the first {power}."
    rest = between if power < len(slopes) else ""
    st.caption(
        f"Fixed, not learned: each head takes its slope times the distance off the score.{rest} Steep heads see neighbours only,"
        " flat ones nearly all."
    )
    x = np.arange(asked.settings.length)
    some = sorted({int(place) for place in np.linspace(0, len(slopes) - 1, 6)})
    lines = [LineSeries(f"head {head + 1}", x, np.exp(-slopes[head] * x)) for head in some]
    _lines(
        lines,
        f"ALiBi · what the penalty leaves of a weight, {len(some)} of {len(slopes)} heads",
        "distance",
        "share",
    )
    st.caption(
        "If all words matched equally well, weights would fall like this. In a model they do not match equally well."
    )


def relative_distance(asked: Asked) -> None:
    """The bucket of every distance, and the run's scores."""
    config = asked.settings
    positions = asked.settings.positions("relative")
    x = np.arange(-config.length + 1, config.length)
    lines = [
        LineSeries(name, x, engine.buckets(x, positions, is_causal=is_causal).astype(np.float32))
        for name, is_causal in (("both ways (encoder)", False), ("one way (decoder)", True))
    ]
    _lines(
        lines,
        f"T5 · the bucket of every distance, {config.buckets} buckets to {config.max_distance}",
        "key minus query",
        "bucket",
    )
    st.caption(
        "Near distances have a bucket each, farther ones share, and from the largest on all are one. The decoder never looks ahead"
        " and spends all its buckets on the past. A bucket's number means nothing; its score is learned."
    )
    scores = engine.bucket_scores(asked.run.model)
    if scores is None:
        st.caption(
            f"{plain(cached.title(asked.run.folder.id))} has no such scores; Longer than trained trains a twin that has."
        )
        return
    own = engine.buckets(x, asked.run.recipe.model.positions, is_causal=False)
    lines = [
        LineSeries(f"head {head + 1}", x, scores[own, head])
        for head in range(min(6, scores.shape[1]))
    ]
    _lines(
        lines,
        f"Relative · scores that {cached.title(asked.run.folder.id)} learned",
        "key minus query",
        "added to the score",
    )
    st.caption(
        "The encoder's, from the run above: where a line is high, that head likes to look so far. Far ones were rarely trained."
    )


def sinusoidal_rotation(asked: Asked) -> None:
    """One pair on its circle, and the identity in a number."""
    config = asked.settings
    values = _sinusoids(config)
    positions = config.positions("sinusoidal")
    chosen = _pair(config, config.d_model)
    sine, cosine = engine.wave_columns(config.d_model, config.layout)[chosen]
    _turns(values[:, [cosine, sine]], config, chosen, ("cosine", "sine"), "Sinusoidal")
    gap = engine.rotation_error(values, config.offset, positions)
    st.metric(
        f"PE(pos + {config.offset}) minus the turned PE(pos), largest of all numbers", f"{gap:.1e}"
    )
    odd = (
        " The lone last sine of an odd width is left out: it has nothing to be turned with."
        if config.d_model % 2
        else ""
    )
    st.caption(
        f"From wherever one starts, {config.offset} places on is the same turn of the pair, and so it is in all"
        f" {config.d_model // 2} pairs at once: one matrix leads from each of {config.length - config.offset} places to the one"
        f" {config.offset} on, but for rounding.{odd} That a model could use it does not prove that it does."
    )


def rotary_rotation(asked: Asked) -> None:
    """One pair of a query as it turns."""
    config = asked.settings
    chosen = _pair(config, config.d_head)
    columns = list(engine.wave_columns(config.d_head, config.layout)[chosen])
    _turns(
        _turned_ones(config)[:, columns],
        config,
        chosen,
        ("first column", "second column"),
        "Rotary",
    )
    queries, keys = (engine.random_vectors(DRAWN, config.d_head, seed=seed) for seed in (1, 2))
    positions = config.positions("rotary")
    scores = [
        engine.rotary_scores(queries, keys, config.offset + 1, positions, start)[:, -1]
        for start in (0, FAR)
    ]
    gap = np.abs(scores[1] - scores[0]).max()
    st.metric(
        f"q·k {config.offset} apart, at the start and {FAR} places on: the largest difference",
        f"{gap:.1e}",
    )
    st.caption(
        f"The pair of a query turns by the same angle from place to place, and so does the key's. Between two that stand {config.offset}"
        " apart the angle is always the same, so their product does not know where the sentence began. The number is of"
        f" {DRAWN} random queries and keys."
    )


def _turns(
    points: Matrix, config: PositionSettings, chosen: int, axes: tuple[str, str], name: str
) -> None:
    room = len(points) - 1 - config.offset
    width = config.d_model if name == "Sinusoidal" else config.d_head
    length = engine.wavelengths(width, config.base)[chosen]
    turn = 360 * config.offset / length
    stride = min(room // (ARMS - 1), max(1, round(APART / 360 * length)))
    starts = sorted({arm * stride for arm in range(ARMS)})
    title = f"{name} · pair {chosen + 1} of {width // 2}: {config.offset} places on is {turn % 360:.1f}°"
    figure = plots.rotations(points, config.offset, starts, title=title, axes=axes)
    named = {"position": np.arange(len(points))} | {
        axis: points[:, place] for place, axis in enumerate(axes)
    }
    drawn(
        figure,
        title,
        f"Positions of one pair of columns on a circle: {title}",
        lambda: plots.columns_csv(named),
    )


def _table(asked: Asked) -> Matrix | None:
    """The run's vectors, as many as are asked for; where it has none, what to do."""
    found = engine.position_table(asked.run.model)
    if found is None:
        kind = NAMES[asked.run.recipe.model.positions.kind]
        st.info(
            f"{plain(cached.title(asked.run.folder.id))} has no learned table to show: its positions are {kind}. Choose a run with"
            " learned ones above, or train one: Longer than trained makes one in a minute.",
            icon=":material/table_rows:",
        )
        return None
    return found[: asked.settings.length]
