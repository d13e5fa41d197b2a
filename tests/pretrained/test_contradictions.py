"""A checkpoint whose files contradict its family translates as transformers does, or says what differs."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from tokenizers import processors

import s2s
from s2s.cli import main
from s2s.config import UserError
from s2s.jobs.model_import import import_folder
from s2s.pretrained import open_tokenizers, read_model
from s2s.runs import Run
from s2s.tokenizers import open_pretrained, surrounded
from tests.pretrained.checkpoints import make_checkpoint
from tests.pretrained.contradicting import (
    IDS,
    MODELS,
    SOURCES,
    USUAL,
    Written,
    amend,
    make,
    template,
    their_translations,
)

END = IDS["</s>"]
BOTH = template("<s>", "$A", "</s>")
AROUND: Mapping[str, processors.PostProcessor | None] = MappingProxyType(
    {
        "end": template("$A", "</s>"),
        "start": template("<s>", "$A"),
        "nothing": template("$A"),
        "no post-processor": None,
        "many": template("<sep>", "<s>", "$A", "</s>", "<sep>"),
        "another": template("$A", "<sep>"),
        "language": template("en_XX", "$A", "</s>"),
        "language at the end": template("$A", "</s>", "__en__"),
        "BERT's": processors.BertProcessing(("</s>", END), ("<s>", IDS["<s>"])),
        "RoBERTa's": processors.RobertaProcessing(("</s>", END), ("<s>", IDS["<s>"])),
        "sequence": processors.Sequence([processors.ByteLevel(), template("$A", "</s>")]),
    }
)
GENERATION: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "no first token": {},
        "a first token": {"forced_bos_token_id": IDS["<s>"]},
        "a word first": {"forced_bos_token_id": IDS["cat"]},
        "another start": {"decoder_start_token_id": IDS["dogs"]},
        "a start by `bos_token_id`": {"decoder_start_token_id": None, "bos_token_id": IDS["<s>"]},
        "another end": {"eos_token_id": IDS["w5"]},
        "an end in a list": {"eos_token_id": [END]},
        "another padding": {"pad_token_id": IDS["w3"]},
        "suppressed at the start": {"begin_suppress_tokens": [*range(10, 40)]},
        "suppressed after a first token": {
            "forced_bos_token_id": IDS["<s>"],
            "begin_suppress_tokens": [*range(10, 40)],
        },
        "suppressed": {"suppress_tokens": [*range(2), *range(5, 30)]},
        "no end": {"suppress_tokens": [END]},
        "bad words": {"bad_words_ids": [[END], [3], [38, 5], [5, 5], *([id] for id in range(12))]},
        "a least length": {"min_length": 6},
        "fewest new tokens": {"min_new_tokens": 6, "min_length": 2},
        "most new tokens": {"max_new_tokens": 4},
        "no repeated n-grams": {"no_repeat_ngram_size": 2},
        "no n-grams of the source": {"encoder_no_repeat_ngram_size": 1},
        "a repetition penalty": {"repetition_penalty": 1.7},
        "a length penalty": {"length_penalty": -1.0, "early_stopping": True},
        "renormalized": {"renormalize_logits": True, "suppress_tokens": [*range(2), *range(5, 30)]},
        "renormalized after a penalty": {"renormalize_logits": True, "repetition_penalty": 1.7},
        "a forced end": {"forced_eos_token_id": END},
    }
)


def opened(folder: Path) -> Run:
    import_folder(folder, folder.with_name("run"))
    return s2s.load(folder.with_name("run"))


def notes(run: Run) -> str:
    return " ".join(run.folder.about()["data"]["notes"])


def check_same(folder: Path, num_beams: int) -> Run:
    run = opened(folder)
    settings = {"num_beams": num_beams} if num_beams > 1 else {}
    found = run.translate(SOURCES, "beam" if num_beams > 1 else "greedy", **settings)
    expected = their_translations(folder, SOURCES, num_beams=num_beams)
    assert [Written([*one.hypotheses[0].ids], one.text) for one in found] == expected
    assert len({(*one.ids,) for one in expected}) > 1
    return run


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("family", ["bart", "m2m100"])
def test_a_source_has_the_tokens_of_its_own_post_processor(
    family: str, around: str, tmp_path: Path
) -> None:
    run = check_same(make(tmp_path / "checkpoint", family, AROUND[around]), 1)
    assert not notes(run)


@pytest.mark.parametrize("family", MODELS)
def test_no_family_adds_tokens_of_its_own(family: str, tmp_path: Path) -> None:
    check_same(make(tmp_path / "checkpoint", family, AROUND["start"]), 2)


@pytest.mark.parametrize("case", GENERATION)
def test_generation_config_decides_alone(case: str, tmp_path: Path) -> None:
    generation = {k: v for k, v in {**USUAL, **GENERATION[case]}.items() if v is not None}
    contradicted = {"decoder_start_token_id": 9, "num_beams": 7, "forced_bos_token_id": 7}
    folder = make(tmp_path / "checkpoint", "bart", BOTH, generation=generation, config=contradicted)
    assert not notes(check_same(folder, 3))


@pytest.mark.parametrize("case", ["no first token", "a word first", "bad words", "a forced end"])
def test_an_old_config_decides_where_there_is_no_generation_config(
    case: str, tmp_path: Path
) -> None:
    settings = {**USUAL, **GENERATION[case]}
    folder = make(tmp_path / "checkpoint", "bart", BOTH, generation=None, config=settings)
    check_same(folder, 3)


def test_an_older_name_forces_the_first_token(tmp_path: Path) -> None:
    old = {**USUAL, "force_bos_token_to_be_generated": True, "bos_token_id": IDS["dogs"]}
    folder = make(tmp_path / "checkpoint", "bart", BOTH, generation=None, config=old)
    assert check_same(folder, 1).recipe.model.ids.forced_first == IDS["dogs"]


def test_a_token_that_no_setting_forces_is_the_models_choice(tmp_path: Path) -> None:
    run = opened(make(tmp_path / "checkpoint", "bart", BOTH))
    ids = run.recipe.model.ids
    assert ids.forced_first is None
    assert ids.target([7]) == [IDS["<s>"], 7, END]
    assert ids.n_predicted(ids.target([7])) == 3
    (score,) = run.score(["the house"], ["a cat"])
    rows = run.next_tokens("the house", run.target_ids("a cat")[:-1])
    own = rows[range(len(rows)), [*run.target_ids("a cat")]]
    assert score == pytest.approx(float(own.sum()), abs=1e-4)


def test_a_class_of_transformers_overrules_its_file_as_there(tmp_path: Path) -> None:
    folder = make(
        tmp_path / "checkpoint",
        "t5",
        AROUND["many"],
        tokenizer={"tokenizer_class": "T5TokenizerFast", "extra_ids": 0},
    )
    content = json.loads((folder / "tokenizer.json").read_text())
    vocabulary = [[name, -1.0] for name in IDS]
    content["model"] = {"type": "Unigram", "vocab": vocabulary, "unk_id": IDS["<unk>"]}
    (folder / "tokenizer.json").write_text(json.dumps(content))
    run = opened(folder)
    assert run.recipe.model.ids.source([7]) == [7, END]
    assert "`<sep> <s> … </s> <sep>` of a text; its class T5TokenizerFast of" in notes(run)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"eos_token_id": [END, 5]}, "names 2 tokens; only the first, 2, ends a text here"),
        ({"forced_bos_token_id": END}, "`forced_bos_token_id` 2 of its generation settings ends"),
        ({"forced_eos_token_id": 9}, "`forced_eos_token_id` 9 of its generation settings is not 2"),
        ({"forced_eos_token_id": [5, END]}, "names 2 tokens; only 2 ends a text at the limit here"),
        ({"eos_token_id": None}, "names no `eos_token_id`, so that transformers always writes"),
        ({"decoder_start_token_id": None}, "does not say with which token a target starts"),
        ({"do_sample": True}, "`do_sample` of its generation settings means"),
        ({"encoder_repetition_penalty": 2.0}, "`encoder_repetition_penalty` of its generation"),
        ({"exponential_decay_length_penalty": [3, 1.5]}, "is not imitated"),
        ({"sequence_bias": [[[5], 2.0]]}, "`sequence_bias` of its generation settings"),
        ({"num_beam_groups": 2}, "`num_beam_groups` of its generation settings"),
        ({"stop_strings": ["cat"]}, "`stop_strings` of its generation settings"),
    ],
)
def test_what_is_not_done_as_there_is_said(
    changes: dict[str, Any], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    generation = {k: v for k, v in {**USUAL, **changes}.items() if v is not None}
    folder = make(tmp_path / "checkpoint", "bart", BOTH, generation=generation)
    assert main(["import", str(folder), "--out", str(tmp_path / "run")]) == 0
    assert said in capsys.readouterr().err
    assert said in notes(s2s.load(tmp_path / "run"))


@pytest.mark.parametrize(
    ("around", "said"),
    [
        (template("</s>"), "does something else to a text than to put tokens before and after it"),
        (template("$A", "<pad>"), "puts its padding token around every source"),
    ],
)
def test_a_post_processor_that_cannot_be_followed_is_refused(
    around: processors.PostProcessor, said: str, tmp_path: Path
) -> None:
    folder = make(tmp_path / "checkpoint", "bart", around)
    with pytest.raises(UserError, match=said):
        opened(folder)


@pytest.mark.parametrize(
    ("family", "around", "generation"),
    [
        ("bart", "many", {"begin_suppress_tokens": [*range(20)], "no_repeat_ngram_size": 2}),
        ("bart", "end", {"renormalize_logits": True, "suppress_tokens": [*range(2)]}),
        ("t5", "nothing", {"forced_bos_token_id": IDS["cat"], "forced_eos_token_id": END}),
        ("m2m100", "language", {"suppress_tokens": [END], "decoder_start_token_id": 9}),
        ("marian", "another", {"eos_token_id": IDS["w5"], "bad_words_ids": [[3], [38, 5]]}),
    ],
)
def test_what_it_is_exported_to_contradicts_its_family_alike(
    family: str, around: str, generation: dict[str, Any], tmp_path: Path
) -> None:
    changed = {**USUAL, **generation}
    folder = make(tmp_path / "checkpoint", family, AROUND[around], generation=changed)
    run = opened(folder)
    out = tmp_path / "out" / "checkpoint"
    assert main(["export", str(run.folder.path), "--to", "transformers", "--out", str(out)]) == 0
    expected = their_translations(folder, SOURCES, num_beams=2)
    assert their_translations(out, SOURCES, num_beams=2) == expected
    assert opened(out).recipe == run.recipe


def test_a_language_of_the_tokenizer_alone_gives_way_to_a_forced_token(tmp_path: Path) -> None:
    folder = tmp_path / "checkpoint"
    make_checkpoint("mbart50", folder)
    tgt = open_pretrained(folder, "tgt")
    assert tgt.language == "de_DE"
    assert "Targets are in `de_DE`, the `tgt_lang` of tokenizer_config.json" in tgt.notes[0]
    for forced, language in ((tgt.vocabulary.index("ro_RO"), "ro_RO"), (9, None)):
        amend(folder / "generation_config.json", {"forced_bos_token_id": forced})
        one = open_pretrained(folder, "tgt")
        assert (one.language, one.notes) == (language, ())
        _, tokenizer = open_tokenizers(folder)
        ids = surrounded(read_model(folder).config.ids, (tokenizer, tokenizer))
        assert ids.forced_first == forced


@pytest.mark.parametrize("start", ["de_DE", "</s>"])
def test_an_mbart_starts_with_the_language_only_if_its_files_do(start: str, tmp_path: Path) -> None:
    make_checkpoint("mbart", tmp_path / "checkpoint")
    names = open_pretrained(tmp_path / "checkpoint", "tgt").vocabulary
    id = names.index(start)
    amend(tmp_path / "checkpoint" / "generation_config.json", {"decoder_start_token_id": id})
    tgt = open_pretrained(tmp_path / "checkpoint", "tgt").in_language("ro_RO")
    shown = (names[tgt.start_id], tgt.tokens(tgt.first_ids))
    assert shown == (("ro_RO", []) if start == "de_DE" else ("</s>", ["ro_RO"]))
