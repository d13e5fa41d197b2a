"""Formats that `datasets` reads in a process of its own: the pairs, the limits, and what it is never handed."""

from __future__ import annotations

import io
import json
import os
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from s2s import hub
from s2s.config import UserError
from s2s.data import Caps, Pair, load
from s2s.data.hub_samples import sample_hub_dataset
from tests.hub.standin import Hub, Repo

ROWS = [(f"house {at}", f"maison {at}") for at in range(130)]
EXPECTED = tuple(Pair(*row) for row in ROWS)
NESTED = [
    [{"en": src, "fr": tgt}, {"en": f"{src}!", "fr": f"{tgt} !"}] if at % 2 else None
    for at, (src, tgt) in enumerate(ROWS[:4])
]


def tar(rows: list[tuple[str, str]]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for at, (src, tgt) in enumerate(rows):
            parts = {"en.txt": src.encode(), "fr.txt": tgt.encode(), "jpg": b"no picture"}
            for extension, content in parts.items():
                member = tarfile.TarInfo(f"{at:05}.{extension}")
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


def arrow(table: pa.Table) -> bytes:
    out = io.BytesIO()
    with pa.ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table)
    return out.getvalue()


def zipped(files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def jsonl(rows: list[tuple[str, str]]) -> bytes:
    return b"".join(json.dumps({"en": src, "fr": tgt}).encode() + b"\n" for src, tgt in rows)


SIDES = [list(side) for side in zip(*ROWS, strict=True)]
FILES = {
    "train.tar.gz": tar(ROWS),
    "train.arrow": arrow(pa.table({"en": SIDES[0], "fr": SIDES[1], "n": list(range(130))})),
    "train.jsonl.zst": pa.compress(jsonl(ROWS), "zstd", asbytes=True),
    "texts.zip": zipped({"t.en": "\n".join(SIDES[0]), "t.fr": "\n".join(SIDES[1])}),
}


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    repos = {
        f"team/{name.partition('.')[2].replace('.', '-')}": Repo({name: content})
        for name, content in FILES.items()
    }
    with Hub(repos) as standin:
        monkeypatch.setenv("HF_ENDPOINT", standin.url)
        yield standin


@pytest.mark.usefixtures("_library_here")
@pytest.mark.parametrize("name", ["tar-gz", "arrow", "jsonl-zst", "zip"])
def test_the_pairs_of_other_formats(served: Hub, name: str) -> None:
    assert load(f"hub:team/{name}").pairs == EXPECTED
    served.log.clear()
    drawn = load(f"hub:team/{name}#rows=20,sample=1")
    assert len(drawn) == 20
    assert "20 of 130 rows, drawn at random with seed 1." in drawn.notes
    assert set(drawn.pairs) < set(EXPECTED)
    asked = {request.path.partition("?")[0] for request in served.log}
    assert len(asked) == 3, "the dataset, the parquet copy that it lacks, and one file"


def test_texts_in_a_zip_must_have_the_same_number_of_lines(tmp_path: Path) -> None:
    sides = {"t.en": "a\nb\nc\nd\n", "t.fr": "x\ny\n", "t.de": "p\nq\nr\ns\n"}
    (tmp_path / "texts.zip").write_bytes(zipped(sides))
    assert len(load(f"disk:{tmp_path}#src=de,tgt=en")) == 4
    uneven = "`t.en in .*zip` has 4 lines and `t.fr in .*zip` has 2, but line N of one must"
    for sample in ("", ",sample=1"):
        with pytest.raises(UserError, match=uneven):
            load(f"disk:{tmp_path}#src=fr,tgt=en,rows=9{sample}")


@pytest.mark.system
def test_a_sample_of_another_format(served: Hub) -> None:
    """A process of its own, which starts another."""
    found = sample_hub_dataset(hub.preflight("team/tar-gz"), "default", "train")
    assert [column.name for column in found.columns] == ["en.txt", "fr.txt", "jpg"]
    assert found.rows[0] == ("house 0", "maison 0", "")


@pytest.mark.usefixtures("_library_here")
def test_shards_without_rows_are_left_out(served: Hub) -> None:
    table = pa.table({"en": SIDES[0], "fr": SIDES[1]})
    shards = {"train-0.arrow": arrow(table.slice(0, 0)), "train-1.arrow": arrow(table)}
    served.repos["team/shards"] = Repo(shards)
    for sample in ("", ",sample=1"):
        corpus = load(f"hub:team/shards#rows=200{sample}")
        assert corpus.pairs == EXPECTED
        assert "1 file without rows was left out." in corpus.notes
    served.repos["team/nothing"] = Repo({"train.arrow": shards["train-0.arrow"]})
    with pytest.raises(UserError, match=r"`team/nothing/train\.arrow` is empty; choose another"):
        load("hub:team/nothing")


@pytest.mark.usefixtures("_library_here")
def test_translations_in_a_list_are_pairs(served: Hub, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    table = pa.table({"translations": pa.array(NESTED)})
    pq.write_table(table, tmp_path / "t.parquet")
    rows = b"".join(json.dumps({"translations": row}).encode() + b"\n" for row in NESTED)
    contents = {"train.parquet": (tmp_path / "t.parquet").read_bytes(), "train.jsonl": rows}
    for name, content in {**contents, "train.arrow": arrow(table)}.items():
        served.repos["team/nested"] = Repo({name: content})
        corpus = load("hub:team/nested")
        assert [pair.src for pair in corpus.pairs] == ["house 1", "house 1!", "house 3", "house 3!"]
        assert any("each text of the list is a pair" in note for note in corpus.notes)


@pytest.mark.usefixtures("_library_here")
@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("train.tar", os.urandom(4000), r"not a \.tar archive of examples"),
        (
            "train.arrow",
            arrow(pa.table({"image": [{"bytes": b"x", "path": "a.png"}], "n": [1]})),
            r"only `image` \(images or audio\), `n` \(int64\)",
        ),
        ("train.jsonl.zst", FILES["train.jsonl.zst"][:60], "damaged or incomplete|not JSON"),
    ],
)
def test_what_is_damaged_or_has_no_text(served: Hub, name: str, content: bytes, said: str) -> None:
    served.repos["team/odd"] = Repo({name: content})
    with pytest.raises(UserError, match=said):
        load("hub:team/odd")


@pytest.mark.usefixtures("_library_here")
def test_members_of_an_archive_that_point_elsewhere_are_not_followed(served: Hub) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, kind in (("0.txt", tarfile.SYMTYPE), ("2.txt", tarfile.LNKTYPE)):
            link = tarfile.TarInfo(name)
            link.type = kind
            link.linkname = "/etc/passwd"
            archive.addfile(link)
        outside = tarfile.TarInfo("../../1.txt")
        outside.size = 3
        archive.addfile(outside, io.BytesIO(b"abc"))
    served.repos["team/links"] = Repo({"train.tar": out.getvalue()})
    assert load("hub:team/links").pairs == (Pair("abc", "abc"),)


@pytest.mark.usefixtures("_library_here")
def test_bytes_are_limited(served: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("s2s.data.hub_datasets.Caps", lambda: Caps(bytes=2000))
    with pytest.raises(UserError, match="would download more than"):
        load("hub:team/arrow")


@pytest.mark.system
def test_memory_is_limited(served: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("s2s.processes.bounds.LIBRARY_MEMORY", 60_000_000)
    with pytest.raises(UserError, match=r"more memory than the reader may use|of memory"):
        load("hub:team/arrow")


def test_a_builder_is_never_named_by_a_dataset(served: Hub, tmp_path: Path) -> None:
    """A README may point anywhere: only listed files are read, and only by their extension."""
    secret = tmp_path / "secret.txt"
    secret.write_text("secret\n")
    card = f"---\nconfigs:\n- config_name: a\n  data_files: {secret}\n---\n".encode()
    served.repos["team/odd"] = Repo({"README.md": card, "pickle.pkl": b"x", "odd.py": b"x"})
    with pytest.raises(UserError, match="is a script, which is never run here"):
        load("hub:team/odd")


@pytest.mark.usefixtures("_library_here")
@pytest.mark.parametrize(
    ("column", "names", "said"),
    [
        (["a", "b\0"], ["en", "fr"], r"Row 2 of `.*train\.arrow` has a NUL character"),
        (["a", "b"], ["fr", "fr"], r"train\.arrow` has 2 columns named `fr`; give each"),
        ([b"a", b"b\xff"], ["en", "fr"], r"train\.arrow` has a text that is not UTF-8"),
    ],
)
def test_what_no_text_or_table_has_is_said(
    tmp_path: Path, column: list[str], names: list[str], said: str
) -> None:
    texts = pa.array(column)
    columns = [
        texts if texts.type == pa.string() else texts.view(pa.string()),
        pa.array(["x", "y"]),
    ]
    (tmp_path / "train.arrow").write_bytes(arrow(pa.Table.from_arrays(columns, names)))
    with pytest.raises(UserError, match=said):
        load(f"disk:{tmp_path}")
