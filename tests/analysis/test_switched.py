import pytest

from s2s.analysis import KINDS, Head
from s2s.analysis.switched import from_text, to_text
from s2s.config import UserError

HEADS = [Head(kind, layer, head) for kind in KINDS for layer in range(2) for head in range(3)]
ONE_HEAD = [Head("cross", 0, 0), Head("cross", 1, 0)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "cross.1.3=off",
        "cross.1.3=off encoder.2=mean",
        "cross=off decoder.1.1=off decoder.1.2=mean decoder.1.3=off",
        "cross=uniform decoder=off encoder=mean",
    ],
)
def test_text_to_heads_and_back(text: str) -> None:
    switched, unknown = from_text(text, HEADS)
    assert not unknown
    assert to_text(switched, HEADS) == text


def test_a_kind_and_a_layer_are_all_their_heads() -> None:
    switched, _ = from_text("cross=off encoder.2=mean", HEADS)
    assert len(switched) == 9
    assert switched[Head("cross", 1, 2)] == "off"
    assert [head for head, name in switched.items() if name == "mean"] == HEADS[9:12]
    separately = "decoder.1.1=off decoder.1.2=off decoder.1.3=off"
    assert to_text(from_text(separately, HEADS)[0], HEADS) == "decoder.1=off"


def test_the_only_head_of_a_layer_keeps_its_number() -> None:
    assert to_text({ONE_HEAD[1]: "off"}, ONE_HEAD) == "cross.2.1=off"
    assert to_text(dict.fromkeys(ONE_HEAD, "off"), ONE_HEAD) == "cross=off"


@pytest.mark.parametrize(
    "part",
    ["cross.3=off", "cross.1.4=off", "cross.0.1=off", "side=off", "cross=louder", "cross.1.2", "=off", "cross..2=off"],
)  # fmt: skip
def test_what_the_model_does_not_have_is_told_apart(part: str) -> None:
    assert from_text(f"cross.1.1=off {part}", HEADS) == ({HEADS[0]: "off"}, [part])


def test_interventions_can_be_restricted() -> None:
    assert from_text("cross.1.1=mean", HEADS, ("off",)) == ({}, ["cross.1.1=mean"])


def test_more_parts_than_a_link_holds_are_an_error() -> None:
    many = [Head("cross", 0, head) for head in range(202)]
    every_other = dict.fromkeys(many[::2], "off")
    sentence = (
        "101 heads are switched one by one, and a link holds at most 100; switch whole layers"
    )
    with pytest.raises(UserError, match=sentence):
        to_text(every_other, many)
    with pytest.raises(UserError, match=sentence):
        from_text("cross.1.1=off " * 101, many)
    assert to_text(dict.fromkeys(many, "off"), many) == "cross=off"
