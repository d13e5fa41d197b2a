import pytest

from s2s.plots import PLOTS, TreeNode, tree, visible_nodes
from s2s.plots.tree import REST, STATES, node_rows, tree_width


def twig(number: int, parent: int, step: int, state: str = "kept", **more: object) -> TreeNode:
    usual = {
        "token": f"t{number}",
        "total": f"−{number}.00",
        "order": number,
        "rank": None,
        "is_best": False,
    }
    usual["hover"] = (f"<b>{number}</b>",)
    return TreeNode(number=number, parent=parent, step=step, state=state, **{**usual, **more})


# The best path is 0, 2, 5, 8; the others hang on 1 and 2.
TWIGS = [
    twig(0, -1, 0, is_best=True),
    twig(1, 0, 1),
    twig(2, 0, 1, is_best=True),
    twig(3, 0, 1, "pruned"),
    twig(4, 1, 2),
    twig(5, 2, 2, is_best=True),
    twig(6, 2, 2, "pruned"),
    twig(7, 4, 3, "truncated", rank=2),
    twig(8, 5, 3, "finished", rank=1, is_best=True),
    twig(9, 5, 3, "pruned"),
]


def test_the_best_path_is_straight_and_no_lines_cross() -> None:
    found = node_rows(TWIGS)
    assert [found[number] for number in (0, 2, 5, 8)] == [0, 0, 0, 0]
    for step in (1, 2, 3):
        here = sorted((one for one in TWIGS if one.step == step), key=lambda one: found[one.number])
        assert [found[one.number] for one in here] == list(range(len(here)))
        parents = [found[one.parent] for one in here]
        assert parents == sorted(parents)


def test_every_node_is_a_point_with_its_number_and_the_shape_of_its_state() -> None:
    figure = tree(TWIGS, title="mine & yours\nsecond", inspected=6)
    points = {trace.name: trace for trace in figure.data if trace.customdata is not None}
    for state, look in STATES.items():
        trace = points[look.label]
        assert list(trace.customdata) == [one.number for one in TWIGS if one.state == state]
        assert trace.marker.symbol == look.symbol
    assert len({look.symbol for look in STATES.values()}) == len(STATES)
    (ring,) = (trace for trace in figure.data if trace.name == "inspected")
    assert (ring.x, ring.y) == ((2,), (node_rows(TWIGS)[6],))
    assert figure.layout.title.text == "mine &amp; yours<br>second"
    assert figure.layout.width == tree_width(3)
    thick = max(
        (trace for trace in figure.data if trace.mode == "lines"),
        key=lambda trace: trace.line.width,
    )
    assert set(thick.y) - {None} == {0}


def test_the_legend_has_the_colors_of_the_drawing() -> None:
    figure = tree(TWIGS, title="", inspected=6)
    legend = {trace.name: trace for trace in figure.data if trace.showlegend is not False}
    assert legend.keys() == {
        "inspected",
        "chosen: the output",
        *(look.label for look in STATES.values()),
    }
    points = {trace.name: trace for trace in figure.data if trace.customdata is not None}
    for look in STATES.values():
        drawn = points[look.label].marker
        assert legend[look.label].marker.symbol == drawn.symbol
        assert legend[look.label].marker.color == REST
        assert set(drawn.color) <= {REST, legend["chosen: the output"].marker.color}
    assert legend["chosen: the output"].marker.color in points["kept"].marker.color


def test_texts_are_drawn_as_they_stand() -> None:
    figure = tree([twig(0, -1, 0), twig(1, 0, 1, token="<img src=x>&", is_best=True)], title="")
    texts = [text for trace in figure.data if trace.customdata is not None for text in trace.text]
    assert "<b>&lt;img src=x&gt;&amp;</b>" in texts
    assert [text for trace in figure.data for text in trace.hovertext or ()] == [
        "&lt;b&gt;0&lt;/b&gt;",
        "&lt;b&gt;1&lt;/b&gt;",
    ]


@pytest.mark.parametrize(
    ("n_kept", "n_pruned", "also", "numbers"),
    [
        (9, 9, 0, set(range(10))),
        (9, 0, 0, {0, 1, 2, 4, 5, 7, 8}),
        (1, 0, 0, {0, 1, 2, 4, 5, 8}),
        (0, 0, 0, {0, 2, 5, 8}),
        (0, 0, 9, {0, 2, 5, 8, 9}),
        (0, 0, 7, {0, 1, 2, 4, 5, 7, 8}),
        (0, 1, 0, {0, 2, 3, 5, 6, 8, 9}),
    ],
)
def test_what_is_left_out(n_kept: int, n_pruned: int, also: int, numbers: set[int]) -> None:
    shown = visible_nodes(TWIGS, n_kept, n_pruned, also=also)
    assert {one.number for one in shown} == numbers
    assert all(one.parent == -1 or one.parent in numbers for one in shown)


def test_nothing_to_show_says_why() -> None:
    assert "There is no search to show" in tree(TWIGS[:1], title="").layout.annotations[0].text
    assert PLOTS["tree"].draw is tree
