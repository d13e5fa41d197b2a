from urllib.parse import parse_qs, urlsplit

import pytest

from s2s.links.share import KEYS, MAX_LENGTH, Column, link, pack, printable, read, unpack


def test_a_link_is_read_back_as_the_same_view() -> None:
    view = {
        "run": "demo-en-fr",
        "src": "the cat & the dog = 1? #é",
        "layer": "2",
        "head": "mean",
        "set": "num_beams:5,top_p:0.9",
    }
    address = link("https://example.org/app/compare?old=1#there", view)
    assert address.startswith("https://example.org/app/compare?v=1&run=demo-en-fr&")
    back = read(parse_qs(urlsplit(address).query))
    assert back.view == view
    assert back.problems == ()


def test_the_root_has_its_slash() -> None:
    assert link("http://localhost:8501", {"run": "a"}) == "http://localhost:8501/?v=1&run=a"
    assert link("", {}) == "/?v=1"


def test_values_come_in_a_fixed_order_and_empty_ones_stay() -> None:
    assert link("/", {"head": "1", "src": "", "run": "a"}) == "/?v=1&run=a&src=&head=1"
    assert read({"src": [""]}).view == {"src": ""}


def test_a_key_that_no_view_has_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="no view has the key `colour`"):
        link("/", {"colour": "red"})


@pytest.mark.parametrize("value", ["x" * (MAX_LENGTH + 1), "a\x00b", "a\u202eb", "a\ud800b"])
def test_what_cannot_be_shown_is_left_out_and_said(value: str) -> None:
    back = read({"src": value})
    assert len(back.view["src"]) <= MAX_LENGTH
    assert back.view["src"] == printable(back.view["src"])
    assert any("`src`" in sentence for sentence in back.problems)


def test_foreign_keys_are_passed_over_and_the_last_of_several_counts() -> None:
    assert read({"utm_source": "x", "run": ["a", "b"]}).view == {"run": "b"}


def test_a_link_of_another_version_says_so() -> None:
    assert "another version" in read({"v": "2", "run": "a"}).problems[0]


def test_every_key_travels() -> None:
    for key in KEYS:
        assert read(parse_qs(urlsplit(link("/", {key: "1"})).query)).view == {key: "1"}


def test_lines_become_one() -> None:
    assert printable("the cat\nsits") == "the cat sits"


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"num_beams": "5", "length_penalty": "-0.5"},
        {"source": "builtin:en-fr"},
        {"source": "a,b%2C.csv#src=1,tgt=2", "preset": "x:y!z"},
        {"empty": ""},
    ],
)
def test_settings_travel_in_one_value(settings: dict[str, str]) -> None:
    assert unpack(pack(settings)) == settings
    column = Column("3f9c", "1200", "greedy", settings)
    assert Column.read(str(column)) == column


def test_a_column_is_written_as_the_design_says() -> None:
    assert (
        str(Column("demo-en-fr", "1500", "beam", {"num_beams": "4"}))
        == "demo-en-fr@1500!beam!num_beams:4"
    )
    assert Column.read("demo-en-fr") == Column("demo-en-fr", "", "beam", {})
    assert Column.read("!!") == Column("", "", "beam", {})


@pytest.mark.parametrize(
    "hostile", ["", ":", ",,,", "a", ":b", "%", "a:%zz,b", "<script>:alert(1)"]
)
def test_a_hostile_value_is_read_without_a_fuss(hostile: str) -> None:
    assert all(key.strip() for key in unpack(hostile))


def test_a_run_with_its_checkpoint_is_read_as_the_two_keys() -> None:
    assert read({"run": "demo-en-fr@1500"}).view == {"run": "demo-en-fr", "step": "1500"}
    assert read({"run": "one@2", "step": "7"}).view == {"run": "one", "step": "7"}
    for other in ("a@400 · 3f9c", "one@", "@4", "one@x"):
        assert read({"run": other}).view == {"run": other}
