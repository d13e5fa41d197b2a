"""A random sample: the same everywhere, from the whole split, and no more is read than the limit."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import random
import zipfile
from collections import Counter
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from s2s.config import UserError
from s2s.data import load, with_sample
from s2s.data.formats import streams
from s2s.data.options import choose_indices
from s2s.data.repository import sampling
from tests.hub.standin import Hub, Repo

N = 2000


def sha(at: int) -> str:
    return hashlib.sha256(b"%d" % at).hexdigest()[:24]


SORTED = [
    (f"topic {at // 500} line {at:05} {sha(at)}", f"Thema {at // 500} Zeile {at:05}")
    for at in range(N)
]


def jsonl(rows: list[tuple[str, str]]) -> bytes:
    return b"".join(json.dumps({"en": src, "de": tgt}).encode() + b"\n" for src, tgt in rows)


def table(rows: list[tuple[str, str]], between: str) -> bytes:
    return "".join(f"{src}{between}{tgt}\n" for src, tgt in [("en", "de"), *rows]).encode()


def parquet(rows: list[tuple[str, str]], size: int = 50) -> bytes:
    file = io.BytesIO()
    columns = {"en": [src for src, _ in rows], "de": [tgt for _, tgt in rows]}
    pq.write_table(pa.table(columns), file, row_group_size=size, compression="none")
    return file.getvalue()


FILES = {
    "train.jsonl": jsonl(SORTED),
    "train.tsv": table(SORTED, "\t"),
    "train.csv": table(SORTED, ","),
    "train.jsonl.gz": gzip.compress(jsonl(SORTED)),
    "train.parquet": parquet(SORTED),
}


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    repos = {
        f"team/{name.replace('.', '-')}": Repo({name: content}) for name, content in FILES.items()
    }
    half = N // 2
    repos["team/shards"] = Repo(
        {"train-0.jsonl": jsonl(SORTED[:half]), "train-1.jsonl": jsonl(SORTED[half:])}
    )
    with Hub(repos) as standin:
        monkeypatch.setenv("HF_ENDPOINT", standin.url)
        yield standin


def topics(spec: str) -> Counter[str]:
    return Counter(pair.src.split()[1] for pair in load(spec).pairs)


@pytest.mark.parametrize("name", [*FILES, "shards"])
def test_a_sample_covers_a_sorted_split_and_the_first_rows_do_not(served: Hub, name: str) -> None:
    spec = f"hub:team/{name.replace('.', '-')}#src=en,tgt=de,rows=400"
    assert topics(spec) == {"0": 400}
    found = topics(f"{spec},sample=0")
    assert set(found) == set("0123")
    assert min(found.values()) > 60, "100 are expected of each topic, with a deviation of 8"


@pytest.mark.parametrize("name", ["train.jsonl.gz", "train.csv", "train.parquet"])
def test_a_sample_is_the_same_again_and_another_with_another_seed(served: Hub, name: str) -> None:
    spec = f"hub:team/{name.replace('.', '-')}#src=en,tgt=de,rows=50,sample="
    first = load(f"{spec}1")
    assert first.pairs == load(f"{spec}1").pairs
    assert first.pairs != load(f"{spec}2").pairs
    assert list(first.pairs) == sorted(first.pairs, key=lambda pair: pair.src), "in their order"
    assert len({pair.src for pair in first.pairs}) == 50
    assert "50 of 2,000 rows, drawn at random with seed 1." in first.notes


@pytest.mark.parametrize("name", [*FILES, "shards"])
def test_large_files_are_read_in_parts(
    served: Hub, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "SAMPLE_BYTES", 40_000)
    monkeypatch.setattr(sampling, "BLOCK", 2_000)
    monkeypatch.setattr(streams, "CHUNK", 4_000)
    corpus = load(f"hub:team/{name.replace('.', '-')}#src=en,tgt=de,rows=100,sample=0")
    assert len(corpus) == 100
    note = next(note for note in corpus.notes if "drawn" in note)
    assert note.startswith("100 of about ")
    about = int(note.split()[3].replace(",", ""))
    assert about == pytest.approx(N, rel=0.5)
    known = set(SORTED)
    assert all((pair.src, pair.tgt) in known for pair in corpus.pairs), "no line is torn"
    if not name.endswith("gz"):
        assert len({pair.src.split()[1] for pair in corpus.pairs}) >= 3


def test_a_csv_whose_fields_span_lines_is_read_from_its_start(
    served: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "SAMPLE_BYTES", 40_000)
    monkeypatch.setattr(sampling, "BLOCK", 2_000)
    monkeypatch.setattr(streams, "CHUNK", 4_000)
    quoted = [(f'"{src}\n"', f'"{tgt}"') for src, tgt in SORTED]
    served.repos["team/quoted"] = Repo({"train.csv": table(quoted, ",")})
    corpus = load("hub:team/quoted#src=en,tgt=de,rows=100,sample=0")
    assert {(pair.src.rstrip(), pair.tgt) for pair in corpus.pairs} < set(SORTED)
    assert any("the first 40 kB of its files" in note for note in corpus.notes)


def test_a_zip_whose_list_of_files_is_at_its_end_is_read_whole(
    served: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "SAMPLE_BYTES", 4_000)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("train.csv", table(SORTED, ","))
    served.repos["team/zipped"] = Repo({"train.zip": file.getvalue()})
    corpus = load("hub:team/zipped#src=en,tgt=de,rows=100,sample=0")
    assert len(corpus) == 100


def test_of_a_large_table_a_part_is_downloaded(
    served: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [(f"{at:05}" * 40, f"{at:05}" * 40) for at in range(20_000)]
    content = parquet(rows, 500)
    served.repos["team/large"] = Repo({"train.parquet": content})
    monkeypatch.setattr(sampling, "SAMPLE_BYTES", 400_000)
    corpus = load("hub:team/large#src=en,tgt=de,rows=100,sample=0")
    assert len(corpus) == 100
    assert served.sent < len(content) / 4, f"{served.sent:,} of {len(content):,}"
    assert any("row groups" in note for note in corpus.notes)


def test_further_references_change_no_row_of_a_sample(
    served: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "SAMPLE_BYTES", 20_000)
    rows = pq.read_table(io.BytesIO(FILES["train.parquet"]))
    further = rows.append_column("de2", pa.array(f"{at} {'x' * 2000}" for at in range(N)))
    file = io.BytesIO()
    pq.write_table(further, file, row_group_size=50, compression="none")
    served.repos["team/further"] = Repo({"train.parquet": file.getvalue()})
    alone, both = (
        load(f"hub:team/{name}#rows=40,sample=3") for name in ("train-parquet", "further")
    )
    assert both.pairs == alone.pairs
    assert all(len(pair.more) == 1 for pair in both.pairs)


def test_each_set_of_indices_is_equally_probable() -> None:
    found = Counter(tuple(choose_indices(5, 2, random.Random(seed))) for seed in range(2000))
    assert len(found) == 10
    assert all(abs(n - 200) < 70 for n in found.values()), "five standard deviations"
    assert list(choose_indices(3, 9, random.Random(0))) == [0, 1, 2]
    assert list(choose_indices(1_000_000, 3, random.Random(0))) == [375_932, 614_392, 902_652]


def test_local_tables_are_sampled_too() -> None:
    corpus = load("builtin:mini-en-fr#rows=2,sample=3")
    assert len(corpus) == 2
    assert corpus.pairs != load("builtin:mini-en-fr#rows=2").pairs
    assert "drawn at random with seed 3" in corpus.notes[-1]


def test_what_was_recorded_keeps_its_rows() -> None:
    assert with_sample("hub:a/b", 7) == "hub:a/b#sample=7"
    assert with_sample("hub:a/b#rows=5", 7) == "hub:a/b#rows=5,sample=7"
    assert with_sample("hub:a/b#sample=1", 7) == "hub:a/b#sample=1"
    assert with_sample("disk:a#rows=5", 7) == "disk:a#rows=5,sample=7"
    for of_all_rows in ("disk:a", "hub:a/b#rows=null"):
        assert with_sample(of_all_rows, 7) == of_all_rows
    recorded = f"hub:a/b#rows=5,revision={'0' * 40}"
    assert with_sample(recorded, 7) == recorded
    assert with_sample("builtin:en-fr#rows=5", 7) == "builtin:en-fr#rows=5"
    with pytest.raises(UserError, match="sample"):
        with_sample("hub:a/b#sample=-1", 7)
