from s2s.plots import theme, vocabulary_size


def test_a_line_a_kind():
    figure = vocabulary_size(
        {"char": [(50, 58.0)], "bpe": [(1000, 20.0), (4000, 15.0)]}, title="mine <b>"
    )
    assert [trace.name for trace in figure.data] == ["char", "bpe"]
    assert (list(figure.data[1].x), list(figure.data[1].y)) == ([1000, 4000], [20.0, 15.0])
    assert figure.layout.xaxis.type == "log"
    assert figure.layout.title.text == "mine &lt;b&gt;"
    assert {trace.marker.symbol for trace in figure.data} == {"circle", "diamond"}, (
        "distinguishable without colors, too"
    )


def test_more_kinds_than_colors():
    kinds = {str(n): [(n + 1, 1.0)] for n in range(20)}
    assert len(vocabulary_size(kinds, title="").data) == 20
    assert figure_colors(kinds) <= set(theme.CATEGORICAL)


def figure_colors(kinds):
    return {trace.line.color for trace in vocabulary_size(kinds, title="").data}


def test_nothing_measured():
    assert (
        vocabulary_size({}, title="").layout.annotations[0].text
        == "No tokenizer has been measured."
    )
    assert (
        vocabulary_size({"bpe": []}, title="").layout.annotations[0].text
        == "No tokenizer has been measured."
    )
