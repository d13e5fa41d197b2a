from s2s.plots import pieces, theme


def test_a_line_a_kind():
    figure = pieces({"char": [(50, 58.0)], "bpe": [(1000, 20.0), (4000, 15.0)]}, title="mine <b>")
    assert [trace.name for trace in figure.data] == ["char", "bpe"]
    assert (list(figure.data[1].x), list(figure.data[1].y)) == ([1000, 4000], [20.0, 15.0])
    assert figure.layout.xaxis.type == "log"
    assert figure.layout.title.text == "mine &lt;b&gt;"
    assert {trace.marker.symbol for trace in figure.data} == {"circle", "diamond"}, (
        "told apart without colours, too"
    )


def test_more_kinds_than_colours():
    kinds = {str(n): [(n + 1, 1.0)] for n in range(20)}
    assert len(pieces(kinds, title="").data) == 20
    assert figure_colours(kinds) <= set(theme.CATEGORICAL)


def figure_colours(kinds):
    return {trace.line.color for trace in pieces(kinds, title="").data}


def test_nothing_measured():
    assert pieces({}, title="").layout.annotations[0].text == "No tokenizer has been measured."
    assert (
        pieces({"bpe": []}, title="").layout.annotations[0].text
        == "No tokenizer has been measured."
    )
