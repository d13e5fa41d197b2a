"""No name, link, README or redirect makes a hosted server read its own files or call an address of its network."""

from pathlib import Path

import pytest

from s2s import data, hub
from s2s.config import UserError, asker
from s2s.hub.access import check_address, endpoint
from s2s.ui.kit import cached
from tests.hostile.home import visiting
from tests.hub.standin import Fault, Hub, Repo
from tests.screen import opened, page_text

SECRET = "word of a file of the server"
CARD = """---
configs:
- config_name: default
  data_files: [{url}/secret.jsonl, ../../../etc/passwd, /etc/passwd, file:///etc/passwd, hf://datasets/a/b]
- config_name: other
  data_dir: {url}/
---
"""


@pytest.fixture
def server_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("S2S_HOSTED", "1")
    monkeypatch.setenv("S2S_SECRET", "x" * 32)
    path = tmp_path / "pairs.tsv"
    path.write_text(f"{SECRET}\t{SECRET}\n" * 20)
    monkeypatch.chdir(tmp_path)  # a folder may be called like a dataset
    (tmp_path / "team" / "plain").mkdir(parents=True)
    (tmp_path / "team" / "plain" / "train.tsv").write_text(path.read_text())
    return path


def test_no_name_reads_a_file_of_the_server(
    server_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(server_file)
    specs = (
        path,
        "pairs.tsv",
        f"{path}#src=1,tgt=2",
        f"text:{path}",
        f"pasted:{path}",
        f"disk:{server_file.parent}",
        f"file:{path}",
        f"{path},{path}",
        f"file://{path}",
        "../pairs.tsv",
        f"builtin:../../..{path}",
        f"synthetic:{path}",
        f"corpus:../..{path}",
        f"corpus:..%2f..{path}",
        f"hub:{path}",
        "hub:team/../plain",
        "hub:http://127.0.0.1:9/datasets/a/b",
        "hub:http://huggingface.co@127.0.0.1:9/datasets/a/b",
        "http://127.0.0.1:9/pairs.tsv",
        "http://169.254.169.254/latest/meta-data",
        f"\x00{path}",
        f"{path}\x00.tsv",
    )
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # closed
    for workspace in ("eve", ""):
        with visiting(monkeypatch, workspace):
            for spec in specs:
                for read in (data.load, data.splits, cached.preview):
                    with pytest.raises(UserError) as refused:
                        read(spec)
                    assert SECRET not in str(refused.value)


def test_no_link_shows_a_file_of_the_server(
    server_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with visiting(monkeypatch, "eve"):
        for page in ("data", "train"):
            screen = opened(page, set=f"source:text%3A{server_file}")
            assert not screen.exception
            assert "There is no dataset" in page_text(screen)
            assert SECRET not in str(screen.main)


def test_neither_a_readme_nor_a_redirect_leads_to_an_address_of_the_servers_network(
    server_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Hub({}) as inside, Hub({}) as outside:
        card = CARD.format(url=inside.url).encode()
        lines = b'{"src": "a", "tgt": "b"}\n' * 5
        away = f"{inside.url}/latest/meta-data"
        outside.repos["team/card"] = Repo({"README.md": card, "train.jsonl": lines})
        outside.repos["team/file"] = Repo({"t.jsonl": lines}, fault=Fault("resolve", location=away))
        outside.repos["team/moved"] = Repo({"t.jsonl": lines}, fault=Fault(location=away))
        monkeypatch.setenv("HF_ENDPOINT", outside.url)
        assert len(data.load("hub:team/card#split=train").pairs) == 5
        for name in ("team/file", "team/moved"):
            with pytest.raises(UserError, match="redirects to an address"):
                data.load(f"hub:{name}")
        assert outside.log
        assert not inside.log
        monkeypatch.delenv("S2S_HOSTED")  # one's own computer may ask its own network
        with pytest.raises(UserError):
            hub.preflight("team/moved")
        assert inside.log


@pytest.mark.parametrize(
    "url",
    (
        "http://huggingface.co/a https://127.0.0.1/a https://[::1]/a "
        "https://[::ffff:127.0.0.1]/a https://169.254.169.254/latest/meta-data "
        "https://10.0.0.1/ https://2130706433/ https://localhost/ file:///etc/passwd"
    ).split(),
)
def test_an_internal_address_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_HOSTED", "1")
    with pytest.raises(UserError, match="does not visit"):
        check_address(url)
    check_address("https://93.184.215.14/file")
    check_address(f"{endpoint()}/datasets/a/b")
    assert asker.is_hosted()
