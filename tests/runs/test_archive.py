"""A run as a zip and back: the same bits; and what is not one is refused, before anything of it is kept."""

import gzip
import io
import json
import math
import pickle
import re
import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from s2s.config import UserError
from s2s.jobs import kept_pairs
from s2s.library.checkpoints import load
from s2s.runs import RunFolder, archive, attention_history, inspection, json_shapes, source_words
from s2s.settings import SHIPPED
from tests.conftest import full_disk, make_run
from tests.runs.zips import LEFT_OUT, Files, files_of, manifest_of, safetensors, with_json, zipped

NEWEST = "checkpoints/step-00000030.safetensors"
STATE = "checkpoints/step-00000030.state.safetensors"
ATTENTION = "attention/step-00000030.safetensors"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return RunFolder(make_run(tmp_path_factory.mktemp("zips") / "run", {}))


@pytest.fixture
def files(run: RunFolder) -> Files:
    return files_of(run)


def unpacked(content: io.BytesIO, path: Path, name: str = "x.zip") -> RunFolder:
    return archive.unpack(archive.opened(content, name), path, lambda folder: None)


def refused(content: io.BytesIO, path: Path, message: str) -> None:
    with pytest.raises(UserError, match=message) as error:
        unpacked(content, path)
    assert str(error.value).count("\n") == 0
    assert list(path.parent.iterdir()) == []


def test_a_run_comes_back_with_the_same_files(run: RunFolder, tmp_path: Path) -> None:
    out = io.BytesIO()
    said = {"limits": ["Knows digits only."], "good": [["1 2", "2 1", "2 1"]], "bad": []}
    run.amend(lambda about: {"attribution": "By whoever wrote them.", "card": said})
    archive.write(run, out)
    back = unpacked(out, tmp_path / "back")
    for name in archive.names(run):
        if name != "recipe.json":
            assert (back.path / name).read_bytes() == (run.path / name).read_bytes(), name
    left = {"owner", "command"}  # who opens the run writes its own
    about = {key: value for key, value in run.about().items() if key not in left}
    assert back.about() == about
    assert {ATTENTION, NEWEST, STATE, "samples.jsonl"} <= {*archive.names(back)}
    assert sorted(each.name for each in tmp_path.iterdir()) == ["back"]
    sources = ["1 2 3", "9 8 7 6"]
    for strategy in ("greedy", "beam"):
        found = [load(each.path).translate(sources, strategy) for each in (run, back)]
        first, second = [[(one.text, one.log_prob, one.score) for one in each] for each in found]
        assert first == second


def test_every_demo_is_a_run_that_comes_back(tmp_path: Path) -> None:
    folder = RunFolder(SHIPPED / "demo-tasks")
    out = io.BytesIO()
    archive.write(folder, out)
    back = unpacked(out, tmp_path / "back")
    assert archive.names(back) == archive.names(folder)
    assert archive.size(folder) == sum(len(content) for content in files_of(folder).values()) + len(
        '"owner": "local",\n '
    )


def test_what_is_hidden_linked_or_foreign_stays_at_home(run: RunFolder, tmp_path: Path) -> None:
    path = tmp_path / "run"
    make_run(path, {})
    (path / "notes.txt").write_text("private")
    (path / ".lock").touch()
    (path / "samples.jsonl").unlink()
    (path / "samples.jsonl").symlink_to("/etc/passwd")
    (path / "metrics.jsonl").write_bytes(b'{"kind": "train", "step": 1}\n{"kind": "tra')
    found = files_of(RunFolder(path))
    assert {*found} == {*files_of(run)} - {"samples.jsonl"}
    assert found["metrics.jsonl"] == b'{"kind": "train", "step": 1}\n'
    assert "owner" not in json.loads(found["recipe.json"])


def test_a_folder_that_is_no_run_is_not_zipped(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not a run"):
        archive.write(RunFolder(tmp_path), io.BytesIO())


def test_the_kept_pairs_of_a_run_belong_to_it(files: Files, tmp_path: Path) -> None:
    assert kept_pairs.FILE == inspection.PAIRS
    content = gzip.compress(b'[1, ""]\n["a", "b"]')
    back = unpacked(zipped({**files, kept_pairs.FILE: content}), tmp_path / "back")
    assert (back.path / kept_pairs.FILE).read_bytes() == content


Change = Callable[[Files], Files]
NAMES = {
    "../evil.json": r"holds `\.\./evil\.json`, which is no file of a run",
    "/etc/passwd": r"holds `/etc/passwd`, which is no file of a run",
    "C:\\run\\recipe.json": "which is no file of a run",
    "checkpoints/../../x.safetensors": "which is no file of a run",
    "checkpoints\\step-00000040.safetensors": "which is no file of a run",
    "checkpoints/step-000000040.safetensors": "which is no file of a run",
    "checkpoints/step-٠٠٠٠٠٠٤٠.safetensors": "which is no file of a run",
    "run/recipe.json": "which is no file of a run",
    ".lock": "which is no file of a run",
    "Recipe.json": "which is no file of a run",
    "recipe.json ": "which is no file of a run",
    "logs/": "which is no file of a run",
    "evil.sh": "which is no file of a run",
    "checkpoints/step-00000040.pt": "a kind of file that can run code",
    "model.PKL": "a kind of file that can run code",
}


@pytest.mark.parametrize("name", NAMES)
def test_names_that_no_run_has_are_refused(files: Files, tmp_path: Path, name: str) -> None:
    refused(zipped({**files, name: b"x"}), tmp_path / "back", NAMES[name])


def test_a_name_that_ends_early_is_refused(files: Files, tmp_path: Path) -> None:
    """Python reads a name up to its first NUL."""
    name = "status.json!.exe"
    content = zipped({**files, name: b"{}"}, manifest_of({**files, "status.json": b"{}"}))
    del files["status.json"]
    content = zipped({**files, name: b"{}"}, manifest_of({**files, "status.json": b"{}"}))
    hidden = io.BytesIO(content.getvalue().replace(name.encode(), b"status.json\x00.exe"))
    refused(hidden, tmp_path / "back", r"`status\.json\?\.exe`, which is no file of a run")


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_links_and_devices_are_refused(files: Files, tmp_path: Path, kind: int) -> None:
    info = zipfile.ZipInfo("samples.jsonl")
    info.external_attr = (kind | 0o777) << 16
    content = zipped({**files, "samples.jsonl": b"/etc/passwd"}, infos={"samples.jsonl": info})
    refused(content, tmp_path / "back", r"`samples\.jsonl` in `x\.zip` is a link or a device")


def test_a_name_twice_is_refused(files: Files, tmp_path: Path) -> None:
    content = zipped(files)
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(content, "a") as found:
        found.writestr("recipe.json", files["recipe.json"])
    refused(content, tmp_path / "back", r"`x\.zip` holds `recipe\.json` twice")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"`x\.zip` is not a complete \.zip file"),
        (b"PK\x03\x04 cut", r"`x\.zip` is not a complete \.zip file"),
        (zipped({}, b"").getvalue(), r"`x\.zip` holds no run: it has no manifest\.json; give one"),
        (zipped({"a.txt": b"x"}, b"").getvalue(), r"`x\.zip` holds no run: it has no manifest"),
        (zipped({}).getvalue(), r"`x\.zip` holds no run: it has no recipe\.json"),
    ],
)
def test_a_zip_of_something_else_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    refused(io.BytesIO(content), tmp_path / "back", message)


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (b"[]", "`manifest.json` in `x.zip` is not the list of a run's files"),
        (b"{", "is not the list"),
        (b'{"format": 1, "kind": "lesson", "files": {}}', "is not the list"),
        (b'{"format": 1, "kind": "run", "files": {"recipe.json": {"bytes": "1"}}}', "is not the"),
        (b'{"format": 2}', "has format 2, newer than the 1 known here; update this program"),
        (b'{"format": 1, "kind": "run", "files": {}}', "is not the file that its manifest.json"),
    ],
)
def test_a_manifest_that_does_not_fit_is_refused(
    files: Files, tmp_path: Path, manifest: bytes, message: str
) -> None:
    refused(zipped(files, manifest), tmp_path / "back", re.escape(message))


def test_other_bytes_than_the_manifest_lists_are_refused(files: Files, tmp_path: Path) -> None:
    manifest = manifest_of(files)
    path = tmp_path / "back"
    missing = {name: content for name, content in files.items() if name != STATE}
    refused(zipped(missing, manifest), path, f"`{STATE}` in `x.zip` is not the file that")
    longer = {**files, NEWEST: files[NEWEST] + b"\0"}
    refused(zipped(longer, manifest), path, f"`{NEWEST}` in `x.zip` is not the file that")
    other = {**files, NEWEST: files[NEWEST][:-1] + b"\x7f"}
    refused(zipped(other, manifest), path, f"`{NEWEST}` in `x.zip` has another SHA-256")


@pytest.mark.parametrize("where", ["content", "header", "list"])
def test_a_damaged_zip_is_refused(files: Files, tmp_path: Path, where: str) -> None:
    content = bytearray(zipped(files).getvalue())
    found = zipfile.ZipFile(io.BytesIO(content)).getinfo(NEWEST)
    if where == "content":
        content[found.header_offset + 30 + len(NEWEST) + 5000] ^= 0xFF
    elif where == "header":
        content[found.header_offset] ^= 0xFF
    else:
        at = content.rindex(archive.archives.END)
        struct.pack_into("<L", content, at + 16, found.header_offset)
    refused(io.BytesIO(content), tmp_path / "back", r"is damaged|is not the list of a run's files")


def test_files_that_overlap_are_refused(files: Files, tmp_path: Path) -> None:
    """Many members may name the same compressed bytes, and unpack to far more than the zip has."""
    content = bytearray(zipped(files).getvalue())
    for info in zipfile.ZipFile(io.BytesIO(content)).infolist():
        if info.filename == "metrics.jsonl":
            at = content.rindex(b"metrics.jsonl") - 46
            struct.pack_into("<L", content, at + 20, len(content))
    refused(io.BytesIO(content), tmp_path / "back", "`x.zip` is damaged: its files overlap")


def test_a_decompression_bomb_is_refused(files: Files, tmp_path: Path) -> None:
    info = zipfile.ZipInfo("metrics.jsonl")
    info.compress_type = zipfile.ZIP_DEFLATED
    bomb = zipped({**files, "metrics.jsonl": bytes(11_000_000)}, infos={"metrics.jsonl": info})
    refused(bomb, tmp_path / "back", "decompresses to more than 100 times its size")


def test_files_larger_than_any_run_has_are_refused(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = [part._replace(most=100) for part in archive.PARTS]
    monkeypatch.setattr(archive, "PARTS", small)
    refused(zipped(files), tmp_path / "back", "bytes, and such files have at most 100")


@pytest.mark.parametrize("way", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_files_compressed_in_other_ways_are_refused(files: Files, tmp_path: Path, way: int) -> None:
    info = zipfile.ZipInfo("recipe.json")
    info.compress_type = way
    with pytest.raises(
        UserError, match=r"recipe\.json. in .* is compressed as no file of a run is"
    ):
        archive.opened(zipped(files, infos={"recipe.json": info}), "a.zip")


def test_an_encrypted_zip_is_refused(files: Files, tmp_path: Path) -> None:
    content = bytearray(zipped(files).getvalue())
    content[content.rindex(b"PK\x01\x02") + 8] |= 1
    refused(io.BytesIO(content), tmp_path / "back", "is encrypted; compress it again without")


RECIPES = {
    "format": (7, r"has format 7, newer than the 1 known here; update this program"),
    "recipe": ([], "its recipe.json holds no recipe"),
    "created": ("yesterday", "lacks required fields"),
    "tags": ("abc", "`recipe.json` in `x.zip` says something that no run does, in `tags`"),
    "comment": (5, "in `comment`"),
    "source": ({}, "in `source`"),
    "data": ({"notes": []}, "in `data`"),
    "init_from": ({"run": "a"}, "in `init_from`"),
    "changes": ([{"lr": 1.0}], "in `changes`"),
    "imported": ({"family": "t5"}, "in `imported`"),
    "starting_settings": ({"num_beams": [1]}, "in `starting_settings`"),
    "versions": ({"torch": 2}, "in `versions`"),
    "warnings": (["x" * 30_000], "in `warnings`"),
    "name": (LEFT_OUT, "lacks `name`, which every run has"),
}


@pytest.mark.parametrize("key", RECIPES)
def test_a_recipe_with_other_content_is_refused(files: Files, tmp_path: Path, key: str) -> None:
    value, message = RECIPES[key]
    changed = with_json(files, "recipe.json", **{key: value})
    refused(zipped(changed), tmp_path / "back", message)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'"d_model": 16', b'"d_model": 1e9', "d_model"),
        (b'"d_model": 16', b'"d_model": 32', "weights of another shape"),
        (b'"start": 1', b'"start": 99', "says something that no run does, in `model.ids`"),
        (b'"suppressed": ""', b'"suppressed": "1,99"', "in `model.ids`"),
        (b'"suppressed": ""', b'"suppressed": "x"', "give ids separated by commas"),
        (b'"steps": 30', b'"steps": NaN', "says something that no run does"),
        (b'"d_model": 16', b'"d_model": 16, "evil": 1', "no setting `evil`"),
        (b'"name": "', b'"name": "\\ud800', "says something that no run does"),
        (b'"machine"', b'"machine": ' + b"[" * 50_000 + b', "x"', "says something that no run"),
    ],
)
def test_a_recipe_of_other_settings_is_refused(
    files: Files, tmp_path: Path, old: bytes, new: bytes, message: str
) -> None:
    assert old in files["recipe.json"]
    changed = {**files, "recipe.json": files["recipe.json"].replace(old, new, 1)}
    refused(zipped(changed), tmp_path / "back", message)


def pickled() -> bytes:
    return pickle.dumps({"weight": print})


WEIGHTS: dict[str, tuple[str, Callable[[bytes], bytes], str]] = {
    "cut": (NEWEST, lambda content: content[:-9], "is no complete .safetensors file"),
    "header": (NEWEST, lambda content: b"\xff" * 8 + content[8:], "is no complete .safetensors"),
    "pickle": (NEWEST, lambda content: pickled(), "is no complete .safetensors file"),
    "other": (NEWEST, lambda content: safetensors({"a": ("F32", [2, 3])}), "of another shape"),
    "not a number": (NEWEST, lambda content: content[:-4] + b"\xff" * 4, "no finite numbers"),
    "infinite": (NEWEST, lambda content: content[:-4] + b"\0\0\x80\x7f", "no finite numbers"),
    "too large": (NEWEST, lambda content: content[:-1] + b"\x7e", "no finite numbers"),
    "huge": (NEWEST, lambda content: safetensors({"a": ("F32", [2**40])}, 64), "no complete"),
    "state": (STATE, lambda content: content[:-9], "is no complete .safetensors file"),
    "state names": (STATE, lambda content: safetensors({"os.system": ("F32", [2])}), "shape"),
    "state size": (
        STATE,
        lambda content: safetensors({"0.exp_avg": ("F32", [2_000_000])}),
        "of another shape",
    ),
    "trained": (STATE, lambda content: safetensors({"trained.a": ("F32", [2])}), "shape"),
    "attention": (ATTENTION, lambda content: content[:-9], f"`{ATTENTION}` in `x.zip` says"),
    "tokenizer": ("tokenizer.json", lambda content: b"{}", "is not a tokenizer file"),
    "vocabulary": (
        "tokenizer.json",
        lambda content: content.replace(b'["', b'["' + b'a","' * 300_000, 1),
        "entries, and a vocabulary has at most 300,000",
    ),
    "surrogate": (
        "tokenizer.json",
        lambda content: content.replace(b'"pieces": ["', b'"pieces": ["\\ud800'),
        "says something that no run does",
    ),
    "status": ("status.json", lambda content: b'{"step": -1}', "`status.json` in `x.zip` says"),
    "state of status": ("status.json", lambda content: b'{"state": "x"}', "which is unknown here"),
    "pairs": (kept_pairs.FILE, lambda content: b"x", f"`{kept_pairs.FILE}` in `x.zip` says"),
}


@pytest.mark.parametrize("case", WEIGHTS)
def test_files_with_other_content_are_refused(files: Files, tmp_path: Path, case: str) -> None:
    name, change, message = WEIGHTS[case]
    content = files.get(name, b"")
    changed = change(content)
    assert changed != content
    refused(zipped({**files, name: changed}), tmp_path / "back", re.escape(message))


def test_pairs_that_decompress_to_too_much_are_refused(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspection, "MOST_PAIRS", 1000)
    content = zipped({**files, kept_pairs.FILE: gzip.compress(b"x" * 2000)})
    refused(content, tmp_path / "back", f"`{kept_pairs.FILE}` in `x.zip` says something")


def test_attention_of_other_heads_is_refused(files: Files, tmp_path: Path) -> None:
    other = RunFolder(make_run(tmp_path / "other", {"model.n_heads": 8}))
    changed = {**files, ATTENTION: files_of(other)[ATTENTION]}
    with pytest.raises(UserError, match=f"`{ATTENTION}` in `x.zip` says something that no run"):
        unpacked(zipped(changed), tmp_path / "back")
    assert attention_history.saved_steps(other)


def test_lines_that_no_training_writes_are_left_out(files: Files, tmp_path: Path) -> None:
    good = {
        name: files[name].splitlines(keepends=True) for name in ("metrics.jsonl", "samples.jsonl")
    }
    bad = [
        b'{"kind": "train", "step": 1, "loss": 1e400}\n',
        b'{"kind": "train", "step": -1}\n',
        b'{"kind": "train", "step": 1, "loss": NaN}\n',
        b'{"kind": {}, "step": 1}\n',
        b'{"step": 1, "source": "\\ud800", "reference": "", "text": ""}\n',
        b'{"step": 1, "source": [], "reference": "", "text": ""}\n',
        b'{"kind": "train", "step": ' + b"9" * 40 + b"}\n",
        b"[" * 20_000 + b"\n",
        b"\xff\xfe\n",
        b"{",
    ]
    changed = {
        name: b"".join([*lines[:3], *bad[:5], *lines[3:], *bad[5:]]) for name, lines in good.items()
    }
    back = unpacked(zipped({**files, **changed}), tmp_path / "back")
    for name, lines in good.items():
        assert (back.path / name).read_bytes() == b"".join(lines)


def test_samples_of_long_sentences_stay(files: Files, tmp_path: Path) -> None:
    sample = {"step": 1, "source": "a" * 50_000, "reference": "b", "text": "c" * 30_000}
    content = json.dumps(sample).encode() + b"\n"
    back = unpacked(zipped({**files, "samples.jsonl": content}), tmp_path / "back")
    assert (back.path / "samples.jsonl").read_bytes() == content


def test_names_tags_and_notes_are_cleaned(files: Files, tmp_path: Path) -> None:
    changed = with_json(
        files,
        "recipe.json",
        name="a\u202eb\n" + "x" * 200,
        tags=["\x00", *["t\u2066" * 30] * 12],
        comment="one\u202e\n" + "y" * 5000,
        owner="somebody else",
        command="rm -rf ~",
        unknown={"a": 1},
    )
    about = unpacked(zipped(changed), tmp_path / "back").about()
    assert about["name"] == "ab " + "x" * 77
    assert about["tags"] == ["t" * 30] * 10
    assert about["comment"] == "one\n" + "y" * 1996
    assert not {"owner", "command", "unknown"} & about.keys()


def test_a_folder_that_holds_something_is_left_alone(run: RunFolder, tmp_path: Path) -> None:
    out = io.BytesIO()
    archive.write(run, out)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("full", "file", "link"):
        with pytest.raises(UserError, match="exists already; give a folder that does not exist"):
            unpacked(out, tmp_path / name)
    (tmp_path / "empty").mkdir()
    assert load(unpacked(out, tmp_path / "empty").path).step == 30


def test_a_full_disk_is_a_sentence_and_leaves_nothing(files: Files, tmp_path: Path) -> None:
    with full_disk(20_000):
        refused(zipped(files), tmp_path / "back", "`x.zip` cannot be unpacked .*Nothing of it")


def test_a_diverged_perplexity_is_a_number_and_what_no_float_holds_is_none() -> None:
    line = {"kind": "valid", "loss": 300.0, "perplexity": math.exp(300.0)}
    assert json_shapes.parsed(json.dumps(line).encode()) == line
    for wrong in (b"9007199254740993", b"1e999", b"NaN"):
        with pytest.raises(ValueError, match="number"):
            json_shapes.parsed(wrong)


@pytest.mark.parametrize(
    "said",
    [
        {"card": {"good": [["one cell"]]}},
        {"card": {"bad": [["a", "b", 3]]}},
        {"card": {"limits": ["x" * 2001]}},
        {"card": {"limits": ["x"] * 11}},
        {"card": {"other": []}},
        {"card": "text"},
        {"attribution": "x" * 501},
    ],
)
def test_a_card_that_no_page_could_show_is_refused(
    files: Files, tmp_path: Path, said: dict[str, object]
) -> None:
    content = zipped(with_json(files, "recipe.json", **said))
    refused(content, tmp_path / "back", "recipe.json")


def test_a_list_of_too_many_words_is_refused(files: Files, tmp_path: Path) -> None:
    words = "".join(f"{number:x}\n" for number in range(source_words.MOST + 1))
    content = zipped({**files, "words.txt": words.encode()})
    refused(content, tmp_path / "back", "words.txt.*at most 200,000 are read")
