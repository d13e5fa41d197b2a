import numpy as np
import pytest

from s2s.plots import HeadGrid, head_roles, head_roles_animation

VALUES = np.array([[0.0, 0.5, 1.0], [0.25, 0.75, 0.9]])
WORDS = [["mixed", "next", "<b>"], ["prev", "first", "end"]]
HOVERS = [["a", "b", "<i>"], ["d", "e", "f"]]
GRID = HeadGrid("encoder", WORDS, VALUES, HOVERS)


def wide(n_heads: int) -> HeadGrid:
    words = [["previous"] * n_heads]
    return HeadGrid("decoder", words, np.full((1, n_heads), 0.5), [["x"] * n_heads])


def test_a_cell_holds_its_role_in_words_and_its_strength() -> None:
    figure = head_roles([GRID, wide(2)], title="run <b>")
    colors, texts, _, others = figure.data
    np.testing.assert_allclose(colors.z, VALUES)
    cells = dict(zip(zip(texts.y, texts.x, strict=True), texts.text, strict=True))
    assert cells[0, 0] == "mixed"
    assert cells[0, 1] == "next<br>50%"
    assert cells[0, 2] == "&lt;b&gt;<br>100%"
    assert cells[1, 2] == "end<br>90%"
    assert set(others.text) == {"previous<br>50%"}
    assert colors.hovertext[0][2] == "&lt;i&gt;"
    assert len(set(texts.textfont.color)) == 2  # legible on dark and on bright cells
    assert [note.text for note in figure.layout.annotations] == ["encoder", "decoder"]
    assert "run &lt;b&gt;" in figure.layout.title.text
    assert figure.layout.yaxis.ticktext == ("1", "2")


def test_narrow_cells_hold_two_letters_and_values_without_words_are_numbers() -> None:
    assert set(head_roles([wide(9)], title="t").data[1].text) == {"pr"}
    assert set(head_roles([wide(9)._replace(words=[[""] * 9])], title="t").data[1].text) == {"50"}
    assert set(head_roles([wide(8)._replace(words=[[""] * 8])], title="t").data[1].text) == {"50%"}


def test_the_animation_has_a_frame_per_step() -> None:
    pictures = {step: [GRID._replace(values=VALUES * share)] for step, share in ((5, 0.5), (10, 1))}
    figure = head_roles_animation(pictures, title="run")
    assert [frame.name for frame in figure.frames] == ["5", "10"]
    for frame, share in zip(figure.frames, (0.5, 1), strict=True):
        np.testing.assert_allclose(frame.data[0].z, VALUES * share, atol=1e-6)
        assert f"step {frame.name}" in frame.layout.title.text
    assert "step 5" in figure.layout.title.text
    assert [stop.label for stop in figure.layout.sliders[0].steps] == ["5", "10"]


@pytest.mark.parametrize("empty", [head_roles([], title="t"), head_roles_animation({}, title="t")])
def test_without_heads_the_picture_says_so(empty) -> None:
    assert not empty.data
    assert "no heads" in empty.layout.annotations[0].text
