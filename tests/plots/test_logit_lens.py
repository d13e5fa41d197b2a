import csv
import io

from s2s.plots import logit_lens
from s2s.plots.logit_lens import LensCell, logit_lens_csv

LA = LensCell(("la", "<b>"), (0.75, 0.25), 1, 0.75)
LE = LensCell(("le", "la"), (0.5, 0.25), 2, 0.25)
GUESSES = [[LE, LA], [LA, LA], [LE, LE]]
LAYERS = ["embeddings", "layer 1"]


def test_cells_are_the_likeliest_tokens_and_a_frame_marks_the_written_one() -> None:
    figure = logit_lens(GUESSES, ["la", "la", "</s>"], LAYERS, title="t")
    cells, words = figure.data
    assert cells.z.tolist() == [[0.5, 0.75], [0.75, 0.75], [0.5, 0.5]]
    assert list(words.text) == ["le", "la", "la", "la", "le", "le"]
    assert [(round(shape.x0 + 0.47), round(shape.y0 + 0.44)) for shape in figure.layout.shapes] == [
        (1, 0),
        (0, 1),
        (1, 1),
    ]
    assert figure.layout.yaxis.ticktext[2] == "&lt;/s&gt;"
    hover = cells.customdata[0][1]
    assert "0.250 &lt;b&gt;" in hover
    assert "rank 1" in hover
    assert len({shape.line.color for shape in figure.layout.shapes}) == 1


def test_no_target() -> None:
    assert "no target" in logit_lens([], [], LAYERS, title="t").layout.annotations[0].text


def test_the_table_has_every_place_and_layer() -> None:
    rows = [*csv.DictReader(io.StringIO(logit_lens_csv(GUESSES, ["=la", "la", "x"], LAYERS)))]
    assert len(rows) == 6
    assert (rows[0]["written"], rows[0]["layer"], rows[0]["rank"]) == ("'=la", "embeddings", "2")
    assert (rows[1]["token_2"], rows[1]["share_2"]) == ("<b>", "0.25")
