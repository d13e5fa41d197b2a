"""Folders: what `save_to_disk` wrote, and tables; what is in them is said where it cannot be read."""

from __future__ import annotations

import io
import json
from pathlib import Path

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from s2s.config import UserError, asker
from s2s.data import Pair, absolute, load, parse_spec, splits
from s2s.data.repository import sampling

ROWS = [{"en": f"house {at}", "de": f"Haus {at}", "n": at} for at in range(60)]
EXPECTED = tuple(Pair(row["en"], row["de"]) for row in ROWS)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A saved dataset, and a saved dictionary of splits, one of which has no text."""
    rows = datasets.Dataset.from_list(ROWS)
    rows.save_to_disk(tmp_path / "one")
    both = {"train": rows, "validation": rows.select(range(5)), "numbers": rows.select_columns("n")}
    datasets.DatasetDict(both).save_to_disk(tmp_path / "both")
    return tmp_path


def test_a_saved_dataset_is_read(saved: Path) -> None:
    corpus = load(f"disk:{saved}/one")
    assert corpus.pairs == EXPECTED
    assert load(f"disk:{saved}/one#src=de,tgt=en").pairs[0] == Pair("Haus 0", "house 0")
    assert splits(f"disk:{saved}/one") == ("train",)
    assert absolute(f"disk:{saved}/one#rows=4").endswith("one#rows=4")


def test_a_dictionary_of_splits_is_read_by_split(saved: Path) -> None:
    assert splits(f"disk:{saved}/both") == ("train", "valid", "numbers")
    assert load(f"disk:{saved}/both#split=valid").pairs == EXPECTED[:5]
    with pytest.raises(
        UserError, match=r"no split of .*both` `test`; .*; it has train, valid, numbers\."
    ):
        load(f"disk:{saved}/both#split=test")
    with pytest.raises(UserError, match=r"no text column, only `n` \(int64\)"):
        load(f"disk:{saved}/both#split=numbers")


def test_rows_of_a_saved_dataset_are_the_first_or_drawn(saved: Path) -> None:
    first = load(f"disk:{saved}/one#rows=10")
    assert first.pairs == EXPECTED[:10]
    assert "The first 10 of 60 rows are used." in first.notes
    drawn = load(f"disk:{saved}/one#rows=10,sample=2")
    assert len(drawn) == 10
    assert drawn.pairs == load(f"disk:{saved}/one#rows=10,sample=2").pairs != first.pairs
    assert "10 of 60 rows, drawn at random with seed 2." in drawn.notes


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_a_folder_of_tables_is_read(saved: Path, suffix: str) -> None:
    folder = saved / suffix
    folder.mkdir()
    rows = datasets.Dataset.from_list(ROWS)
    write = {"parquet": rows.to_parquet, "csv": rows.to_csv, "jsonl": rows.to_json}[suffix]
    write(folder / f"train.{suffix}")
    rows.select(range(5)).to_parquet(saved / "v.parquet")
    (folder / "README.md").write_text("# nothing to read")
    assert load(f"disk:{folder}#src=en,tgt=de").pairs == EXPECTED
    drawn = load(f"disk:{folder}#rows=10,sample=2")
    assert "10 of 60 rows, drawn at random with seed 2." in drawn.notes


def test_what_is_not_read_of_a_folder_is_noted(tmp_path: Path) -> None:
    for name in ("y2020/a.csv", "y2020/a.jsonl", "y2021/a.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        is_table = name.endswith("csv")
        (tmp_path / name).write_text("en,de\na,b\n" if is_table else '{"en": "a", "de": "b"}\n')
    first = load(f"disk:{tmp_path}")
    assert "Of several formats of its files only .jsonl is read, not .csv." in first.notes
    note = "Only the configuration y2020 is read, not y2021; `#config=` chooses another."
    assert note in first.notes
    (tmp_path / "y2020" / "more.tmx").write_text("<tmx/>")
    note = "Its .tmx files are not read, because others have a better format."
    assert note in load(f"disk:{tmp_path}").notes
    chosen = load(f"disk:{tmp_path}#config=y2021")
    assert not any("is read, not" in one for one in chosen.notes)


def parquet(rows: int) -> bytes:
    out = io.BytesIO()
    side = pa.array(["a"] * rows, "string")
    pq.write_table(pa.table({"en": side, "de": side}), out)
    return out.getvalue()


TMX = '<tmx><body><tu><tuv xml:lang="en"><seg>a</seg></tuv><tuv xml:lang="de"><seg>b</seg></tuv></tu></body></tmx>'
SHARDS = {
    "jsonl": (b"", b'{"en": "a", "de": "b"}\n'),
    "json": (b"[]", b'[{"en": "a", "de": "b"}]'),
    "csv": (b"\n", b"en,de\na,b\n"),
    "tsv": (b"", b"en\tde\na\tb\n"),
    "txt": (b"", b"a\n"),
    "tmx": (b"<tmx><body></body></tmx>", TMX.encode()),
    "parquet": (parquet(0), parquet(1)),
}


@pytest.mark.parametrize("suffix", SHARDS)
@pytest.mark.parametrize("sample", ["", ",sample=1"])
def test_shards_without_rows_are_left_out(tmp_path: Path, suffix: str, sample: str) -> None:
    empty, full = SHARDS[suffix]
    (tmp_path / f"0.{suffix}").write_bytes(empty)
    (tmp_path / f"2.{suffix}").write_bytes(empty)
    spec = f"disk:{tmp_path}#rows=9{sample}"
    with pytest.raises(UserError, match=f"0.{suffix}` (is empty|has no translation unit)"):
        load(spec)
    (tmp_path / f"1.{suffix}").write_bytes(full)
    corpus = load(spec)
    assert len(corpus) == 1
    assert "2 files without rows were left out." in corpus.notes


def test_shards_without_rows_are_left_out_of_a_sample_of_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "SAMPLE_BYTES", 4000)
    (tmp_path / "0.json").write_text("[]")
    (tmp_path / "1.json").write_text(json.dumps(ROWS * 5))
    corpus = load(f"disk:{tmp_path}#src=en,tgt=de,rows=9,sample=1")
    assert len(corpus) == 9
    assert any("in the first 2 kB of its files" in note for note in corpus.notes)
    assert "1 file without rows was left out." in corpus.notes


@pytest.mark.usefixtures("_library_here")
def test_the_shards_of_a_saved_dataset_without_its_state_are_a_folder_of_tables(
    saved: Path,
) -> None:
    (saved / "one" / "state.json").unlink()
    (saved / "one" / "dataset_info.json").unlink()
    assert load(f"disk:{saved}/one#src=en,tgt=de").pairs == EXPECTED


def test_what_is_no_dataset_is_refused(saved: Path) -> None:
    with pytest.raises(UserError, match="There is no folder"):
        load(f"disk:{saved}/nowhere")
    (saved / "empty").mkdir()
    (saved / "empty" / "notes.pdf").write_bytes(b"x")
    with pytest.raises(UserError, match=r"has no file that can be read here; give a folder that"):
        load(f"disk:{saved}/empty")
    (saved / "one" / "dataset_info.json").write_text("{")
    with pytest.raises(UserError, match="is not a complete folder of `save_to_disk`"):
        load(f"disk:{saved}/one")
    pictures = datasets.Dataset.from_dict(
        {"image": [None], "label": [1]},
        features=datasets.Features({"image": datasets.Image(), "label": datasets.Value("int64")}),
    )
    pictures.save_to_disk(saved / "pictures")
    with pytest.raises(UserError, match=r"only `image` \(images or audio\), `label` \(int64\)"):
        load(f"disk:{saved}/pictures")


def test_a_visitor_of_a_hosted_server_reads_no_folder_of_it(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")
    with asker.acting_as("visitor"):
        for spec in (f"disk:{saved}/one", "disk:/", "disk:", f"disk:{saved}/nowhere#rows=1"):
            for read in (load, splits):
                with pytest.raises(UserError, match="names files of the server"):
                    read(spec)
    assert parse_spec(f"disk:{saved}/one").source == "disk"


def test_several_references_of_a_saved_dataset_are_kept(tmp_path: Path) -> None:
    rows = [
        {"source": "a", "ref": "b", "ref2": ["c", "d"], "note": "x"},
        {"source": "e", "ref": "f", "ref2": None, "note": "y"},
    ]
    datasets.Dataset.from_list(rows).save_to_disk(tmp_path / "columns")
    corpus = load(f"disk:{tmp_path}/columns")
    assert [(pair.src, pair.tgt, *pair.more) for pair in corpus.pairs] == [
        ("a", "b", "c", "d"),
        ("e", "f"),
    ]
    assert "`ref2`: a further reference, for Evaluate." in corpus.notes
    listed = [{"source": "a", "references": ["b", "c\nd", " "]}, {"source": "e", "references": []}]
    datasets.Dataset.from_list(listed).save_to_disk(tmp_path / "listed")
    corpus = load(f"disk:{tmp_path}/listed#rows=9,sample=1")
    assert [(pair.src, pair.tgt, *pair.more) for pair in corpus.pairs] == [("a", "b", "c d")]
    (tmp_path / "files").mkdir()
    datasets.Dataset.from_list(rows).remove_columns("ref2").add_column("ref2", ["c", ""]).to_csv(
        tmp_path / "files" / "train.csv"
    )
    corpus = load(f"disk:{tmp_path}/files")
    assert [(pair.src, pair.tgt, *pair.more) for pair in corpus.pairs] == [
        ("a", "b", "c"),
        ("e", "f"),
    ]
