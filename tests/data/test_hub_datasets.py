"""Pairs of the hub: every format, no byte more than asked for, and a sentence for whatever goes wrong."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import traceback
from collections.abc import Callable, Iterator, Sequence

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from s2s import hub
from s2s.config import UserError
from s2s.data import Pair, hub_datasets, load, splits
from s2s.data.hub_samples import sample_hub_dataset
from s2s.data.sources import parse_spec
from tests.hub.standin import Fault, Hub, Repo, commit

WORLD = [
    ("the red house", "la maison rouge"),
    ('say "hi", now', "dis « salut »"),
    ("שלום", "السلام"),
    ("猫が寝ている", "แมวนอน"),
    ("👩‍👧", "e\u0301"),
]
EXPECTED = tuple(Pair(*texts) for texts in WORLD)
Write = Callable[[Sequence[tuple[str, str]]], bytes]


def jsonl(rows: Sequence[tuple[str, str]]) -> bytes:
    return b"".join(
        json.dumps({"id": n, "en": src, "fr": tgt}).encode() + b"\n"
        for n, (src, tgt) in enumerate(rows)
    )


def nested(rows: Sequence[tuple[str, str]]) -> bytes:
    return b"".join(
        json.dumps({"translation": {"fr": tgt, "en": src}}).encode() + b"\n" for src, tgt in rows
    )


def parquet(rows: Sequence[tuple[str, str]], size: int = 1000) -> bytes:
    file = io.BytesIO()
    translation = [{"en": src, "fr": tgt} for src, tgt in rows]
    table = pa.table(
        {
            "id": list(range(len(rows))),
            "noise": [f"{n:03}" * 100 for n in range(len(rows))],
            "translation": translation,
        }
    )
    pq.write_table(table, file, row_group_size=size, compression="none", use_dictionary=False)
    return file.getvalue()


def csv(rows: Sequence[tuple[str, str]]) -> bytes:
    quoted = [[text.replace('"', '""') for text in row] for row in [("en", "fr"), *rows]]
    return "".join(f'"{src}","{tgt}"\n' for src, tgt in quoted).encode()


FORMATS: dict[str, Write] = {
    "train.jsonl": jsonl,
    "train.jsonl.gz": lambda rows: gzip.compress(jsonl(rows)),
    "nested.jsonl": nested,
    "train.json": lambda rows: json.dumps([{"en": src, "fr": tgt} for src, tgt in rows]).encode(),
    "train.csv": csv,
    "train.tsv": lambda rows: "".join(
        f"{src}\t{tgt}\n" for src, tgt in [("en", "fr"), *rows]
    ).encode(),
    "data/train-0.parquet": parquet,
}
MANY = [
    tuple(hashlib.sha256(f"{n} {side}".encode()).hexdigest() * 2 for side in ("src", "tgt"))
    for n in range(10_000)
]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    repos = {
        f"team/format{n}": Repo({name: write(WORLD)})
        for n, (name, write) in enumerate(FORMATS.items())
    }
    both = {
        "train-0.jsonl": jsonl(MANY[:3]),
        "train-1.jsonl": jsonl(MANY[3:6]),
        "dev.jsonl": jsonl(WORLD),
    }
    repos["team/sharded"] = Repo(both)
    with Hub(repos) as standin:
        monkeypatch.setenv("HF_ENDPOINT", standin.url)
        yield standin


@pytest.mark.parametrize("n", range(len(FORMATS)), ids=list(FORMATS))
def test_every_format_gives_the_same_pairs(served: Hub, n: int) -> None:
    corpus = load(f"hub:team/format{n}#src={'translation.' if n in (2, 6) else ''}en")
    assert corpus.pairs == EXPECTED
    assert corpus.spec.startswith(f"hub:team/format{n}")
    assert "revision" in corpus.notes[0]
    assert load(f"hub:team/format{n}").pairs in (
        EXPECTED,
        tuple(Pair(one.tgt, one.src) for one in EXPECTED),
    )


def test_splits_have_their_common_names_and_shards_follow_each_other(served: Hub) -> None:
    with hub.using(""):
        assert splits("hub:team/sharded") == ("train", "valid")
        assert [pair.src for pair in load("hub:team/sharded").pairs] == [src for src, _ in MANY[:6]]
        assert load("hub:team/sharded", "valid").pairs == EXPECTED
        assert load("hub:team/sharded#split=valid").pairs == EXPECTED
        assert len(load("hub:team/sharded#rows=4")) == 4
    asked = [request for request in served.log if "/api/" in request.path]
    assert len(asked) == 1, "looked up once within a visit"


def test_a_revision_is_read_as_it_was(served: Hub) -> None:
    old = served.repos["team/sharded"].files
    served.repos["team/sharded"] = Repo({"train.jsonl": jsonl(WORLD)}, branches={"old": old})
    spec = f"hub:team/sharded#rows=2,revision={commit(old)}"
    assert [pair.src for pair in load(spec).pairs] == [src for src, _ in MANY[:2]]
    assert load("hub:team/sharded").pairs == EXPECTED
    with pytest.raises(UserError, match="no such revision"):
        load(f"hub:team/sharded#revision={'0' * 40}")


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("train.jsonl", jsonl),
        ("train.jsonl.gz", FORMATS["train.jsonl.gz"]),
        ("train.parquet", parquet),
    ],
)
def test_no_more_is_fetched_than_the_rows_need(served: Hub, name: str, write: Write) -> None:
    content = write(MANY)
    served.repos["team/large"] = Repo({name: content})
    assert len(load("hub:team/large#rows=20")) == 20
    assert served.sent < len(content) / 4, f"{served.sent:,} of {len(content):,}"


def test_of_a_table_only_the_two_columns_are_fetched(served: Hub) -> None:
    content = parquet(MANY[:4000])
    served.repos["team/large"] = Repo({"train.parquet": content})
    assert len(load("hub:team/large#rows=4000")) == 4000
    assert served.sent < len(content) * 0.9, "`noise` is more than half of the file"


def test_columns_are_chosen_by_name_by_number_or_by_guess(served: Hub) -> None:
    assert load("hub:team/format0#src=fr,tgt=en").pairs[0] == Pair(
        "la maison rouge", "the red house"
    )
    assert load("hub:team/format0#src=3,tgt=2").pairs[0] == Pair("la maison rouge", "the red house")
    assert any("named after languages" in note for note in load("hub:team/format0").notes)
    with pytest.raises(UserError, match="no column of `team/format0` `frr`; the nearest are `fr`"):
        load("hub:team/format0#src=frr")
    assert load("hub:team/format0#src=id,tgt=fr").pairs[0].src.isdecimal()


def test_of_several_targets_the_first(served: Hub) -> None:
    served.repos["team/several"] = Repo(
        {"train.jsonl": b'{"sentence": "a", "corrections": ["b", "c"]}\n'}
    )
    corpus = load("hub:team/several")
    assert corpus.pairs == (Pair("a", "b"),)
    assert corpus.pairs[0].more == ("c",)
    assert any("several targets" in note for note in corpus.notes)


REFERENCES = [
    {"source": "a", "ref1": "b", "ref2": "c", "ref3": "d", "score": 3},
    {"source": "e", "ref1": "f", "ref2": "", "ref3": "g", "score": 1},
    {"source": "h", "ref1": "i", "ref2": None, "ref3": None, "score": 2},
    {"source": "j", "ref1": "", "ref2": "k", "ref3": "l", "score": 2},
]


def references_in(kind: str) -> bytes:
    table = datasets.Dataset.from_list(REFERENCES)
    out = io.BytesIO()
    {"parquet": table.to_parquet, "csv": table.to_csv, "jsonl": table.to_json}[kind](out)
    return out.getvalue()


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl"])
@pytest.mark.parametrize("options", ["", "#rows=9,sample=1"])
def test_numbered_columns_are_further_references(served: Hub, kind: str, options: str) -> None:
    served.repos[f"team/references-{kind}"] = Repo({f"train.{kind}": references_in(kind)})
    corpus = load(f"hub:team/references-{kind}{options}")
    found = [(pair.src, pair.tgt, *pair.more) for pair in corpus.pairs]
    assert found == [("a", "b", "c", "d"), ("e", "f", "g"), ("h", "i")]
    assert "`ref2`, `ref3`: further references, for Evaluate." in corpus.notes
    other = load(f"hub:team/references-{kind}#src=source,tgt=ref3")
    assert (other.pairs[0].tgt, *other.pairs[0].more) == ("d", "b", "c")


MESSAGES: dict[str, tuple[dict[str, bytes], str]] = {
    "no text": (
        {"train.jsonl": b'{"id": 1, "label": 2}\n'},
        r"has no text column here, only `id` \(numbers\), `label`",
    ),
    "no pair": (
        {"train.jsonl": b'{"a": "x", "b": "y", "c": "z"}\n'},
        "are ambiguous; its text columns are `a`, `b`, `c`",
    ),
    "no row": ({"train.jsonl": b'{"src": "x", "tgt": ""}\n'}, "no row with text in both columns"),
    "no JSON": ({"train.jsonl": b'{"src": "x", "tgt": "y"}\n{"src"\n'}, "not JSON"),
    "no parquet": ({"train.parquet": b"PAR1 and no more"}, "not a complete .parquet file"),
    "empty": ({"train.csv": b""}, "empty"),
    "bomb": (
        {"train.jsonl.gz": gzip.compress(b'{"src": "' + b"x" * 30_000_000)},
        "longer than|200 times",
    ),
}


@pytest.mark.parametrize("case", MESSAGES)
def test_what_cannot_be_read_is_said(served: Hub, case: str) -> None:
    files, said = MESSAGES[case]
    served.repos["team/odd"] = Repo(files)
    with pytest.raises(UserError, match=said):
        load("hub:team/odd")


@pytest.mark.parametrize("name", ["jsonl", "parquet"])
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault(match="resolve", reset=True), "interrupted"),
        (Fault(match="resolve", status=503), "failed"),
    ],
)
def test_a_hub_that_fails_while_a_file_is_read(
    served: Hub, name: str, fault: Fault, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("s2s.hub.remote.PAUSE", 0.01)
    write: Write = {"jsonl": jsonl, "parquet": parquet}[name]
    served.repos["team/failing"] = Repo({f"train.{name}": write(WORLD)}, fault=fault)
    with pytest.raises(UserError, match=said):
        load("hub:team/failing")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("hub:/etc/passwd", "write it as owner/name"),
        ("hub:json", "write it as owner/name"),
        ("hub:http://127.0.0.1:80/x", "write it as owner/name"),
        ("hub:team/format0#src=", "no key and value"),
        ("hub:team/format0#rows=0", "rows"),
        ("hub:team/format0#colour=red", "colour"),
    ],
)
def test_what_is_no_spec_costs_no_request(served: Hub, spec: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        load(spec)
    assert served.log == []


def test_an_unknown_configuration_or_split_names_the_nearest(served: Hub) -> None:
    with pytest.raises(
        UserError, match="no configuration of `team/format0` `defualt`; the nearest are `default`"
    ):
        load("hub:team/format0:defualt")
    with pytest.raises(UserError, match=r"no split .* `vaild`; the nearest are `valid`"):
        load("hub:team/sharded#split=vaild")


def test_an_address_is_a_place_too(served: Hub) -> None:
    assert load(f"hub:{served.url}/datasets/team/format0").pairs == EXPECTED
    assert parse_spec("hub:team/format0:x").location == "team/format0:x"
    assert hub_datasets.split_config("https://huggingface.co/datasets/a/b/viewer/c") == ("a/b", "")
    assert hub_datasets.split_config("a/b:de-en") == ("a/b", "de-en")


def test_a_sample_shows_all_columns_and_five_rows(served: Hub) -> None:
    content = parquet(MANY)
    served.repos["team/large"] = Repo({"train.parquet": content})
    found = hub_datasets.sample(hub.preflight("team/large"), "default", "train")
    assert served.sent < len(content) / 2, f"{served.sent:,} of {len(content):,}"
    assert [column.name for column in found.columns] == [
        "id",
        "noise",
        "translation.en",
        "translation.fr",
    ]
    assert len(found.rows) == 5
    assert found.rows[4][2:] == MANY[4]
    table = hub_datasets.sample(hub.preflight("team/format4"), "default", "train")
    assert [column.name for column in table.columns] == ["en", "fr"]
    assert table.rows[0] == WORLD[0], "row 1 holds the names"
    served.repos["team/shards"] = Repo({"train-0.jsonl": b"", "train-1.jsonl": jsonl(WORLD)})
    shards = hub_datasets.sample(hub.preflight("team/shards"), "default", "train")
    assert shards.rows[0][1:] == WORLD[0], "the first shard has no rows"


@pytest.mark.system
def test_a_sample_of_another_process_is_the_same(served: Hub) -> None:
    token = "_".join(("hf", "granted"))
    served.repos["team/own"] = Repo({"train.parquet": parquet(WORLD)}, gated=True)
    found = hub.preflight("team/own", token)
    sample = sample_hub_dataset(found, "default", "train", token)
    assert len(sample.rows) == 5
    assert sample == hub_datasets.sample(found, "default", "train", token)
    served.repos["team/numbers"] = Repo({"train.jsonl": b'{"a": 1}'})
    with pytest.raises(UserError, match="has no text column here"):
        sample_hub_dataset(hub.preflight("team/numbers"), "default", "train")


@pytest.mark.system
def test_a_sample_without_the_memory_for_it_ends_in_its_own_process(
    served: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("s2s.processes.bounds.LIBRARY_MEMORY", 50_000_000)
    with pytest.raises(UserError, match="too much memory"):
        sample_hub_dataset(hub.preflight("team/format6"), "default", "train")


@pytest.mark.system
def test_a_sample_keeps_a_token_to_itself(served: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    token = "_".join(("hf", "granted"))
    served.repos["team/own"] = Repo({"train.jsonl": jsonl(WORLD)}, gated=True)
    found = hub.preflight("team/own", token)
    monkeypatch.setattr("s2s.data.hub_samples.SECONDS", 0.01)
    with pytest.raises(UserError, match="did not arrive within") as late:
        sample_hub_dataset(found, "default", "train", token)
    assert token not in "".join(traceback.format_exception(late.value))


def test_a_token_reaches_the_reading_and_never_the_spec(served: Hub) -> None:
    served.repos["team/own"] = Repo({"train.jsonl": jsonl(WORLD)}, private=True)
    with pytest.raises(UserError, match="or it is private"):
        load("hub:team/own")
    with hub.using("hf_granted"):
        corpus = load("hub:team/own")
    assert corpus.pairs == EXPECTED
    assert "hf_granted" not in repr(corpus)


@pytest.mark.network
def test_a_small_set_of_the_real_hub() -> None:
    corpus = load("hub:Helsinki-NLP/opus_books:de-en#rows=100")
    assert len(corpus) > 90
