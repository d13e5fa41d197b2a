from s2s import plots
from s2s.plots.token_losses import MAX_LABELS, TokenLoss

REFERENCE = [
    TokenLoss("le", 0.1),
    TokenLoss("<i>chat</i>", 2.0, ", rank 3"),
    TokenLoss("</s>", 0.2),
]
PREDICTED = [
    TokenLoss("le", 0.1),
    TokenLoss("chien", 0.5),
    TokenLoss("dort", 0.7),
    TokenLoss("</s>", 0.1),
]


def test_both_are_drawn_place_by_place() -> None:
    figure = plots.token_losses(REFERENCE, PREDICTED, 1, title="run · step 1")
    forced, free = figure.data
    assert list(forced.y) == [0.1, 2.0, 0.2]
    assert list(free.y) == [0.1, 0.5, 0.7, 0.1]
    assert forced.customdata[1] == "2. &lt;i&gt;chat&lt;/i&gt; (reference), rank 3"
    assert free.customdata[1] == "2. chien (own translation)"
    assert figure.layout.xaxis.range[1] > 3
    assert figure.layout.title.text == "run · step 1"


def test_the_first_difference_has_a_line_and_a_label() -> None:
    figure = plots.token_losses(REFERENCE, PREDICTED, 1, title="")
    assert [line.x0 for line in figure.layout.shapes] == [0.5]
    assert [note.text for note in figure.layout.annotations] == [
        "they first differ here<br>◇ chien"
    ]
    low, high = figure.layout.yaxis.range
    assert low < 0  # a diamond at 0 is whole
    assert high > 1.2 * max(token.loss for token in (*REFERENCE, *PREDICTED))  # the label's room
    assert not plots.token_losses(REFERENCE, REFERENCE, None, title="").layout.shapes


def test_of_many_tokens_some_are_named() -> None:
    figure = plots.token_losses(REFERENCE * 40, PREDICTED, 1, title="")
    assert len(figure.layout.xaxis.tickvals) == len(figure.layout.xaxis.ticktext) <= MAX_LABELS
    assert len(figure.data[0].y) == 120


def test_without_a_reference_it_says_why() -> None:
    assert "no reference" in plots.token_losses([], [], None, title="").layout.annotations[0].text
