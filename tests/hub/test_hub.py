"""The hub: what is refused unasked, what a preflight costs and says, and what is fetched of a file."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from s2s import hub
from s2s.config import UserError
from s2s.data import load
from s2s.hub import remote
from s2s.hub.layout import File, arrange
from tests.hub.standin import Fault, Hub, Repo, commit
from tests.logged import logged

SECRET = "hf_granted"
LINES = b"".join(b'{"source": "%d", "target": "%d"}\n' % (n, -n) for n in range(60_000))
CARD = b"""---
license: cc-by-4.0
configs:
- config_name: de-en
  data_files:
  - split: train
    path: de-en/train-*
  - split: validation
    path: de-en/dev.jsonl
- config_name: fr-en
  default: true
  data_files: fr-en/*.jsonl
- config_name: elsewhere
  data_files: http://127.0.0.1:9/secret.jsonl
- config_name: above
  data_files: ../../etc/passwd.txt
dataset_info:
- config_name: de-en
  splits:
  - name: train
    num_examples: 3
---
# A set
"""
LISTED = {
    "README.md": CARD,
    "de-en/train-00001-of-00002.jsonl": b"{}\n",
    "de-en/train-00000-of-00002.jsonl": b"{}\n",
    "de-en/dev.jsonl": b"{}\n",
    "fr-en/a.jsonl": b"{}\n",
    "fr-en/a.csv": b"x,y\n",
}
PLAIN = {"train.jsonl": LINES, "README.md": b"# no card"}
REPOS = {
    "team/listed": Repo(LISTED),
    "team/plain": Repo(PLAIN),
    "team/private": Repo(PLAIN, private=True),
    "team/gated": Repo(PLAIN, gated=True),
    "team/disabled": Repo(PLAIN, disabled=True),
    "team/script": Repo({"script.py": b"raise SystemExit"}),
    "team/converted": Repo(
        {"converted.py": b"raise SystemExit", "train.txt": b"raw"},
        branches={
            "refs/convert/parquet": {
                "de-en/train/0000.parquet": b"PAR1",
                "de-en/validation/0000.parquet": b"PAR1",
            }
        },
    ),
    "team/images": Repo({"a.7z": b"7z", "README.md": b"# pictures", "license.txt": b"free"}),
    "team/busy": Repo(PLAIN, fault=Fault(status=429)),
    "team/broken": Repo(PLAIN, fault=Fault(status=503)),
    "team/odd": Repo(PLAIN, fault=Fault(truncate=20)),
    "team/slow": Repo(PLAIN, fault=Fault(delay=3.0)),
    "team/drip": Repo(PLAIN, fault=Fault(drip=0.05)),
    "team/cut": Repo(PLAIN, fault=Fault(reset=True)),
}


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """The hub of these tests, and a token of the host that must not leave it."""
    with Hub(REPOS) as standin:
        monkeypatch.setenv("HF_ENDPOINT", standin.url)
        monkeypatch.setenv("HF_TOKEN", "hf_stranger")
        monkeypatch.setattr(remote, "PAUSE", 0.02)
        yield standin


NAMES = {
    "owner/name": "owner/name",
    "  owner/name/ ": "owner/name",
    "Helsinki-NLP/opus-100": "Helsinki-NLP/opus-100",
    "https://huggingface.co/datasets/owner/name": "owner/name",
    "https://huggingface.co/datasets/owner/na.me/viewer/de-en/train?row=3#x": "owner/na.me",
    "http://hf.co/datasets/owner/name/": "owner/name",
    "hf://datasets/owner/name@main": "owner/name",
    "https://huggingface.co/datasets/owner/name/tree/main/data": "owner/name",
}
REFUSED = [
    *(
        "",
        " ",
        "csv",
        "json",
        "squad",
        ".",
        "..",
        "/etc",
        "/etc/passwd",
        "./a/b",
        "../x/y",
        "a/../b",
        "~/x",
        "owner/name/extra",
        "a b/c",
    ),
    *(
        "owner/..",
        "owner/na..me",
        "owner/na--me",
        "-owner/name",
        "owner/name.",
        "owner/name.git",
        "owner/näme",
        "owner/name\n/x",
        "owner\0/name",
    ),
    *(
        "s3://bucket/x",
        "file:///etc/passwd",
        "hf://models/owner/name",
        "http://127.0.0.1/x",
        "http://evil.org/datasets/owner/name",
    ),
    *(
        "https://huggingface.co/owner/name",
        "https://huggingface.co/datasets/owner",
        "https://huggingface.co@evil.org/datasets/a/b",
    ),
    *(
        "http://[/datasets/a/b",
        "owner/" + "x" * 100,
        "C:\\data/x",
        "owner/name?x=1",
        "owner/%2e%2e",
    ),
]


@pytest.mark.parametrize(("given", "name"), NAMES.items())
def test_a_name_or_a_url_is_accepted(given: str, name: str) -> None:
    assert hub.check(given) == name


@pytest.mark.parametrize(
    ("given", "revision"),
    [
        ("hf://datasets/team/plain@v1.0", "v1.0"),
        ("hf://datasets/team/plain@v1.0/data", "v1.0"),
        ("https://huggingface.co/datasets/team/plain/tree/v1.0/{}", "v1.0"),
        ("https://huggingface.co/datasets/team/plain/commit/" + "a" * 40, "a" * 40),
        ("https://huggingface.co/datasets/team/plain/tree/refs/pr/3", "refs/pr/3"),
    ],
)
def test_the_address_of_an_older_version_is_not_read_as_the_newest(
    given: str, revision: str, served: Hub
) -> None:
    with pytest.raises(UserError, match=f"names the revision `{revision}`"):
        hub.preflight(given)
    with pytest.raises(UserError, match="names the revision"):
        load(f"hub:{given}")
    assert served.log == []
    found = hub.preflight(given, revision=commit(served.repos["team/plain"].files))
    assert found.id == "team/plain"


def test_an_invalid_name_makes_no_request(served: Hub) -> None:
    for name in REFUSED:
        with pytest.raises(UserError, match="write it as owner/name"):
            hub.preflight(name)
    with pytest.raises(UserError, match="is not a valid revision"):
        hub.preflight("team/plain", revision="../main")
    with pytest.raises(UserError, match="not an access token") as refused:
        hub.preflight("team/plain", "hf_a\r\nX-Evil: 1")
    assert "Evil" not in str(refused.value)
    assert served.log == []


def test_one_request_gets_configurations_splits_and_sizes(served: Hub) -> None:
    found = hub.preflight("team/listed")
    assert len(served.log) == 1
    assert found.sha == commit(LISTED)
    assert found.license == "cc-by-4.0"
    assert list(found.configs) == ["fr-en", "de-en"], "the default first"
    assert [file.path for file in found.split("de-en", "train").files] == sorted(
        path for path in LISTED if "train-" in path
    )
    assert (found.split("de-en", "train").rows, found.split("de-en", "train").size) == (3, 6)
    assert list(found.splits("de-en")) == ["train", "valid"]
    assert [file.path for file in found.split("", "train").files] == ["fr-en/a.jsonl"]
    assert found.notes == ("Its README names files outside the dataset; these are not read.",)


def test_an_unknown_configuration_or_split_suggests_the_nearest(served: Hub) -> None:
    found = hub.preflight("team/listed")
    with pytest.raises(
        UserError, match="no configuration of `team/listed` `de-an`; the nearest are `de-en`"
    ):
        found.splits("de-an")
    with pytest.raises(
        UserError, match="no split of `team/listed` `trian`; the nearest are `train`"
    ):
        found.split("de-en", "trian")


def test_a_dataset_script_is_never_run_and_its_parquet_copy_is_read(served: Hub) -> None:
    found = hub.preflight("team/converted")
    assert len(served.log) == 2
    assert {config: list(splits) for config, splits in found.configs.items()} == {
        "de-en": ["train", "valid"]
    }
    assert found.sha == commit(REPOS["team/converted"].branches["refs/convert/parquet"])
    assert "never run" in found.notes[-1]


MESSAGES = {
    "team/nowhere": "There is no dataset `team/nowhere` on the Hub, or it is private",
    "team/private": "There is no dataset `team/private` on the Hub, or it is private",
    "team/gated": "`team/gated` is gated; accept its terms",
    "team/disabled": "`team/disabled` was disabled",
    "team/script": "is a script, which is never run here",
    "team/images": "has no file that can be read here",
    "team/busy": "asks this server to slow down",
    "team/broken": r"The Hub failed \(503\)",
    "team/odd": "interrupted",
    "team/slow": "too slow",
    "team/drip": "too slow",
    "team/cut": "interrupted",
}


@pytest.mark.parametrize(("name", "said"), MESSAGES.items())
def test_each_failure_is_reported_after_at_most_two_requests(
    served: Hub, name: str, said: str
) -> None:
    with pytest.raises(UserError, match=said):
        hub.preflight(name, seconds=0.1 if said == "too slow" else 4.0)
    assert len(served.log) <= 2


def test_every_failure_has_its_own_message(served: Hub) -> None:
    sentences = set()
    for name in MESSAGES.keys() - {"team/slow", "team/drip", "team/odd", "team/cut"}:
        with pytest.raises(UserError) as refused:
            hub.preflight(name)
        sentences.add(str(refused.value).replace(name, ""))
    assert len(sentences) == len(MESSAGES) - 4 - 1, (
        "only a missing one and a private one are alike: the hub does not tell them apart"
    )


def test_a_closed_port_is_reported_as_an_unreachable_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as bound:
        port = bound.getsockname()[1]
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{port}")
    with pytest.raises(UserError, match="cannot be reached from this server"):
        hub.preflight("team/plain")


def test_a_disabled_hub_gets_no_request(served: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(UserError, match="disabled on this server"):
        hub.preflight("team/plain")
    assert served.log == []


def test_a_token_opens_private_and_gated_datasets_and_is_never_shown(served: Hub) -> None:
    with logged() as records:
        private = hub.preflight("team/private", SECRET)
        gated = hub.preflight("team/gated", SECRET)
        assert (private.private, gated.gated, len(served.log)) == (True, True, 3)
        opened = hub.open_file(gated, "train.jsonl", token=SECRET, budget=hub.Budget(10**6, 5.0))
        assert opened.read(5) == LINES[:5]
        said = [repr(private), repr(gated), repr(opened)]
        for name, token, sentence in (
            ("team/private", "hf_stranger", "this token may not read it"),
            ("team/gated", "hf_stranger", "gated and this token may not"),
            ("team/plain", "hf_wrong", "does not know this access token"),
            ("team/broken", SECRET, "failed"),
            ("team/cut", SECRET, "interrupted"),
        ):
            with pytest.raises(UserError, match=sentence) as refused:
                hub.preflight(name, token)
            said.append(f"{refused.value!r} {refused.value.__cause__!r}")
    lines = [record.getMessage() for record in records]
    assert lines
    assert not any(
        token in text for text in [*said, *lines] for token in (SECRET, "hf_stranger", "hf_wrong")
    )


def test_the_hosts_own_token_is_not_used(served: Hub) -> None:
    assert hub.token() == ""
    with hub.using(SECRET):
        assert hub.token() == SECRET
    assert hub.token() == ""
    with pytest.raises(
        UserError, match="gated; accept"
    ):  # with HF_TOKEN of the host it would be "this token may not"
        hub.preflight("team/gated")
    assert os.environ["HF_HUB_DISABLE_IMPLICIT_TOKEN"] == "1"


# Files


def plain(name: str = "team/plain") -> hub.Dataset:
    """A dataset known without a request."""
    return hub.Dataset(name, commit(PLAIN), arrange([File("train.jsonl", len(LINES))], {}).configs)


def test_a_remote_file_reads_and_seeks_like_one_on_disk(served: Hub, tmp_path: Path) -> None:
    local = tmp_path / "train.jsonl"
    local.write_bytes(LINES)
    remote = hub.open_file(plain(), "train.jsonl", budget=hub.Budget(10**8, 20.0))
    with local.open("rb") as same:
        for offset, whence, n in (
            (0, 0, 10),
            (-8, 2, 8),
            (-8, 2, 100),
            (70_000, 0, 200_000),
            (-5, 1, 9),
            (10**9, 0, 5),
            (3, 0, 1),
            (65_530, 0, 20),
        ):
            assert remote.seek(offset, whence) == same.seek(offset, whence)
            assert remote.read(n) == same.read(n)
            assert remote.tell() == same.tell()
        same.seek(0)
        remote.seek(0)
        assert remote.readline() == same.readline()
        assert remote.read() == same.read()


def test_a_file_of_unknown_size_reads_too(served: Hub) -> None:
    dataset = hub.Dataset(
        "team/plain", commit(PLAIN), arrange([File("train.jsonl", 0)], {}).configs
    )
    assert hub.open_file(dataset, "train.jsonl", budget=hub.Budget(10**8, 20.0)).read() == LINES
    assert hub.open_file(dataset, "train.jsonl", budget=hub.Budget(10**8, 20.0)).seek(0, 2) == len(
        LINES
    )


def test_only_what_is_read_is_fetched(served: Hub) -> None:
    with hub.open_file(plain(), "train.jsonl", budget=hub.Budget(10**8, 20.0)) as remote:
        assert remote.readline() == LINES.partition(b"\n")[0] + b"\n"
    assert 0 < served.sent <= 1 << 16
    assert len(served.log) == 1
    assert commit(PLAIN) in served.log[0].path, "the revision is pinned"


def test_recently_fetched_bytes_are_cached(served: Hub) -> None:
    remote = hub.open_file(plain(), "train.jsonl", budget=hub.Budget(10**8, 20.0))
    for offset in (0, 500_000, 10, 500_020, 65_000):
        remote.seek(offset)
        assert remote.read(100) == LINES[offset : offset + 100]
    assert len(served.log) == 2


def test_an_interrupted_download_resumes(served: Hub) -> None:
    served.repos["team/plain"] = Repo(PLAIN, fault=Fault(match="resolve", truncate=50_000, times=2))
    budget = hub.Budget(10**8, 20.0)
    assert hub.open_file(plain(), "train.jsonl", budget=budget).read() == LINES
    assert budget.spent == len(LINES), "nothing is fetched twice"


# What the server does, what the sentence says, and the seconds that reading may take.
FAULTS = {
    "cut": (Fault(match="resolve", truncate=100), "interrupted", 20.0),
    "dropped": (Fault(match="resolve", reset=True), "interrupted", 20.0),
    "failing": (Fault(match="resolve", status=500), "Hub failed", 20.0),
    "gone": (Fault(match="resolve", status=404), "404|gone", 20.0),
    "slow": (Fault(match="resolve", delay=1.0), "too slow|not read within", 0.1),
    "dripping": (Fault(match="resolve", drip=0.01), "not read within 0.3 seconds", 0.3),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failing_file_is_reported_after_at_most_three_requests(served: Hub, fault: str) -> None:
    served.repos["team/plain"], sentence, seconds = (
        Repo(PLAIN, fault=FAULTS[fault][0]),
        *FAULTS[fault][1:],
    )
    with pytest.raises(UserError, match=sentence):
        hub.open_file(plain(), "train.jsonl", budget=hub.Budget(10**8, seconds)).read()
    assert len(served.log) <= 3


def test_the_byte_budget_is_never_exceeded(served: Hub) -> None:
    budget = hub.Budget(200_000, 20.0)
    with pytest.raises(UserError, match="`team/plain` would download more than 0 MB"):
        hub.open_file(plain(), "train.jsonl", budget=budget).read()
    assert served.sent < 200_000 + 2 * len(LINES)
