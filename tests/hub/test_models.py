"""A model on the Hub: which names are accepted, which files are needed, and a sentence for each that is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from s2s import hub
from s2s.config import UserError
from tests.hub.checkpoints import CONFIG, FILES, NEEDED, WEIGHTS, without
from tests.hub.standin import Fault, Hub, Repo, commit

BOTH = ("model.safetensors", "pytorch_model.bin")
SHARDS = {
    "model.safetensors.index.json": b"{}",
    "model-00001-of-00002.safetensors": b"a",
    "model-00002-of-00002.safetensors": b"b",
}
HOSTILE = b"---\nlicense: '<script>alert(1)</script>'\nlanguage: ['**en**', ':red[de]']\n---\n"
MODELS = {
    "team/whole": Repo(FILES),
    "team/torch": Repo(without("model.safetensors")),
    "team/shards": Repo(without(*BOTH) | SHARDS),
    "team/hostile": Repo({**FILES, "README.md": HOSTILE}),
    "team/cardless": Repo(without("README.md")),
    "team/private": Repo(FILES, private=True),
    "team/gated": Repo(FILES, gated=True),
    "team/disabled": Repo(FILES, disabled=True),
    "team/busy": Repo(FILES, fault=Fault(status=429)),
    "team/broken": Repo(FILES, fault=Fault(status=503)),
    "team/cut": Repo(FILES, fault=Fault(reset=True)),
    "team/slow": Repo(FILES, fault=Fault(delay=3.0)),
    "team/drip": Repo(FILES, fault=Fault(match="resolve", drip=0.05)),
    "team/dataset": Repo({"train.jsonl": b"{}"}),
    "team/weightless": Repo(without(*BOTH)),
    "team/index": Repo(without(*BOTH) | {"model.safetensors.index.json": b"{}"}),
    "team/wordless": Repo(without("source.spm", "vocab.json")),
    "team/broken-config": Repo({**FILES, "config.json": b"{"}),
    "team/list-config": Repo({**FILES, "config.json": b"[1]"}),
    "team/large-config": Repo({**FILES, "config.json": b" " * 1_000_001}),
    "team/large": Repo(FILES, listed={"model.safetensors": 40_000_000_000}),
    "team/sizeless": Repo(FILES, listed={"model.safetensors": None}),
}


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with Hub({"team/pairs": Repo({"train.jsonl": b"{}"})}, MODELS) as standin:
        standin.renamed["whole"] = "team/whole"
        monkeypatch.setenv("HF_ENDPOINT", standin.url)
        monkeypatch.setenv("HF_TOKEN", "hf_stranger")
        yield standin


NAMES = {
    "owner/name": "owner/name",
    " t5-small ": "t5-small",
    "https://huggingface.co/Helsinki-NLP/opus-mt-en-de": "Helsinki-NLP/opus-mt-en-de",
    "https://hf.co/owner/name/tree/main?x=1#y": "owner/name",
    "https://huggingface.co/t5-small": "t5-small",
}
REFUSED = (
    "",
    " ",
    ".",
    "..",
    "/etc",
    "/etc/passwd",
    "./a",
    "../x/y",
    "~/x",
    "owner/name/extra",
    "a b",
    "owner/na--me",
    "owner/name.git",
    "C:\\models",
    "file:///etc/passwd",
    "s3://bucket/x",
    "hf://owner/name",
    "http://127.0.0.1/a/b",
    "https://evil.org/a/b",
    "https://huggingface.co@evil.org/a/b",
    "https://huggingface.co/datasets/a/b",
    "https://huggingface.co/spaces/a/b",
    "https://huggingface.co/",
    "http://[/a/b",
    "owner/" + "x" * 100,
    "owner/name\n/x",
)


@pytest.mark.parametrize(("given", "name"), NAMES.items())
def test_a_name_or_the_address_of_a_page_is_accepted(given: str, name: str) -> None:
    assert hub.check_model(given) == name


def test_the_address_of_an_older_version_is_not_read_as_the_newest(served: Hub) -> None:
    with pytest.raises(UserError, match="names the revision `abc`"):
        hub.preflight_model("https://huggingface.co/team/whole/tree/abc")
    assert served.log == []


@pytest.mark.parametrize("given", REFUSED)
def test_an_invalid_name_makes_no_request(served: Hub, given: str) -> None:
    with pytest.raises(UserError, match="is not a model's name; write it as owner/name"):
        hub.preflight_model(given)
    assert served.log == []


def test_two_requests_get_the_needed_files_and_what_the_card_says(served: Hub) -> None:
    found = hub.preflight_model("team/whole")
    assert len(served.log) == 2
    assert served.sent == len(FILES["config.json"])
    assert (found.id, found.sha) == ("team/whole", commit(FILES))
    assert sorted(file.path for file in found.files) == list(NEEDED)
    assert found.size == sum(len(FILES[path]) for path in NEEDED)
    assert dict(found.config) == CONFIG
    assert (found.license, found.languages) == ("apache-2.0", ("en", "de"))


def test_an_old_name_leads_to_the_new_one(served: Hub) -> None:
    found = hub.preflight_model("whole")
    assert found == hub.preflight_model("team/whole")
    assert found.size > len(WEIGHTS)


def test_torch_files_are_taken_where_there_is_no_safetensors_and_shards_together(
    served: Hub,
) -> None:
    torch_files = {file.path for file in hub.preflight_model("team/torch").files}
    assert torch_files == {*NEEDED} - {"model.safetensors"} | {"pytorch_model.bin"}
    shards = {file.path for file in hub.preflight_model("team/shards").files}
    assert shards == {*NEEDED} - {"model.safetensors"} | {*SHARDS}


def test_a_card_is_text_or_nothing(served: Hub) -> None:
    hostile = hub.preflight_model("team/hostile")
    assert hostile.license == "<script>alert(1)</script>"
    assert hostile.languages == ("**en**", ":red[de]")
    empty = hub.preflight_model("team/cardless")
    assert (empty.license, empty.languages) == ("", ())


MESSAGES = {
    "team/nowhere": "There is no model `team/nowhere` on the Hub, or it is private",
    "nowhere": "There is no model `nowhere` on the Hub",
    "team/pairs": "There is no model `team/pairs` on the Hub",
    "team/private": "There is no model `team/private` on the Hub, or it is private",
    "team/gated": "`team/gated` is gated; accept its terms",
    "team/disabled": "was disabled on the Hub; choose another model",
    "team/busy": "asks this server to slow down",
    "team/broken": r"The Hub failed \(503\) on the request for `team/broken`; try again in a while.$",
    "team/cut": "interrupted during the request for the model `team/cut`",
    "team/slow": "too slow.* the model `team/slow`",
    "team/drip": "too slow",
    "team/dataset": "`team/dataset` has no config.json",
    "team/weightless": "has no weights that can be read here",
    "team/index": "has no weights that can be read here",
    "team/wordless": "has no tokenizer",
    "team/broken-config": "config.json of `team/broken-config` is no valid JSON",
    "team/list-config": "holds no settings",
    "team/large-config": "larger than 1 MB",
    "team/sizeless": "unexpected answer to the request for the model `team/sizeless`",
    "team/large": "would download 40.0 GB, and at most 10.0 GB",
}


@pytest.mark.parametrize(("name", "said"), MESSAGES.items())
def test_each_model_that_cannot_be_opened_is_reported_before_its_weights_are_fetched(
    served: Hub, name: str, said: str
) -> None:
    with pytest.raises(UserError, match=said) as refused:
        hub.preflight_model(name, seconds=0.2 if "too slow" in said else 6.0)
    assert "dataset" not in str(refused.value).replace("team/dataset", "")
    assert len(served.log) <= 3
    assert served.sent <= 1_000_001


def test_a_hosted_server_has_its_own_limit(served: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_MAX_MODEL_BYTES", str(len(WEIGHTS)))
    with pytest.raises(UserError, match="choose a smaller one"):
        hub.preflight_model("team/whole")


def test_a_token_opens_a_gated_and_a_private_model(served: Hub) -> None:
    for name in ("team/gated", "team/private"):
        assert hub.preflight_model(name, "hf_granted").id == name
        with pytest.raises(UserError, match="may not read it"):
            hub.preflight_model(name, "hf_stranger")


def test_the_configuration_is_the_one_of_the_revision(served: Hub) -> None:
    newer = {**FILES, "config.json": json.dumps({"model_type": "t5"}).encode()}
    served.models["team/whole"] = Repo(FILES, branches={"next": newer})
    assert hub.preflight_model("team/whole").config["model_type"] == "marian"
    assert hub.preflight_model("team/whole", revision="next").config["model_type"] == "t5"
    with pytest.raises(UserError, match="no such revision"):
        hub.preflight_model("team/whole", revision="gone")
