from s2s.plots import logit_lens
from s2s.questions import LensCell

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
