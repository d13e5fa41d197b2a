"""A published checkpoint becomes a run: translate, score and attention as for a run that was trained here."""

import functools
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import safetensors.torch
import torch
import transformers
from safetensors import SafetensorError

import s2s
from s2s.analysis import Head, heads
from s2s.config import UserError, asker, override
from s2s.data import Pair, batches
from s2s.decode import starting_settings
from s2s.jobs import run_archives, training
from s2s.jobs.model_import import accepted_settings, import_folder
from s2s.library import guests
from s2s.library.own import list_runs
from s2s.model import inference, weights_path
from s2s.model.weights import read_weights
from s2s.pretrained import generation
from s2s.runs import Interventions, Run, RunFolder, active, encoded_pairs, portable
from s2s.tokenizers import PretrainedTokenizer
from s2s.training.loss import cross_entropy
from tests.pretrained.checkpoints import CONFIGS, LIMIT, make_checkpoint
from tests.tokenizers.checkpoints import FAMILIES

pytestmark = pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")
SOURCES = ["to be or not to be", "the house", "that is the question of 1234 naïve men"]


class Imported(NamedTuple):
    """A checkpoint's folder, the run made of it, and transformers' model."""

    folder: Path
    run: Run
    theirs: Any


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Imported]:
    @functools.cache
    def one(name: str) -> Imported:
        base = tmp_path_factory.mktemp(name)
        theirs = make_checkpoint(name, base / "checkpoint")
        import_folder(base / "checkpoint", base / "run")
        return Imported(base / "checkpoint", s2s.load(base / "run"), theirs)

    return one


@functools.cache
def their_tokenizer(name: str, folder: Path) -> Any:
    """As transformers reads it."""
    return getattr(transformers, FAMILIES[name][1]).from_pretrained(folder)


def translated(name: str, one: Imported, source: str) -> tuple[list[int], str]:
    """Ids without the start, and text: by transformers, with its own tokenizer and what generation_config.json says."""
    tokenizer = their_tokenizer(name, one.folder)
    inputs = tokenizer(source, return_tensors="pt")
    with torch.inference_mode():
        (row,) = one.theirs.generate(
            **inputs,
            forced_bos_token_id=one.run.recipe.model.ids.forced_first,
            forced_eos_token_id=None,
            use_cache=False,
        )
    return row[1:].tolist(), tokenizer.decode(row, skip_special_tokens=True)


@pytest.mark.parametrize("name", CONFIGS)
def test_a_checkpoint_translates_as_transformers_does(
    name: str, imported: Callable[[str], Imported]
) -> None:
    one = imported(name)
    found = one.run.translate(SOURCES)
    for each in found:
        ids, text = translated(name, one, each.source)
        assert (list(each.hypotheses[0].ids), each.text) == (ids[: len(each.tokens)], text)
        assert 1 < len(each.tokens) <= LIMIT


@pytest.mark.parametrize("name", CONFIGS)
def test_scores_and_attention_are_of_the_whole_source_and_target(
    name: str, imported: Callable[[str], Imported]
) -> None:
    run = imported(name).run
    ids = run.recipe.model.ids
    src_ids = ids.source(run.src_tokenizer.encode("the house"))
    tgt_ids = ids.target(run.tgt_tokenizer.encode("to be"))
    for tokenizer, own in ((run.src_tokenizer, src_ids), (run.tgt_tokenizer, tgt_ids)):
        assert own[: len(tokenizer.first_ids)] == [*tokenizer.first_ids]
        assert own[-len(tokenizer.last_ids) :] == [*tokenizer.last_ids]
    attention = run.attention("the house", "to be")
    assert attention.cross.shape == (
        3,
        run.recipe.model.decoder.n_heads,
        len(tgt_ids),
        len(src_ids),
    )
    np.testing.assert_allclose(attention.cross.sum(-1), 1.0, atol=1e-5)
    (score,) = run.score(["the house"], ["to be"])
    rows = run.next_tokens("the house", tgt_ids[:-1])
    own = rows[torch.arange(len(tgt_ids)), torch.tensor(tgt_ids)]
    predicted = own[-ids.n_predicted(tgt_ids) :]
    assert score == pytest.approx(float(predicted.sum()), abs=1e-4)


@pytest.mark.parametrize("name", ["marian", "t5"])
def test_attention_of_its_own_output_has_the_tokens_that_were_written(
    name: str, imported: Callable[[str], Imported]
) -> None:
    """Its text may be tokenized in another way: Marian's here is."""
    run = imported(name).run
    (found,) = run.translate(SOURCES[:1])
    (hypothesis,) = found.hypotheses[:1]
    ended = (*found.tokens, *(["</s>"] if found.tokens[-1] != "</s>" else []))
    seen = run.attention(found.source, hypothesis.ids)
    assert seen.tgt_tokens == ended
    assert seen.cross.shape[2] == len(ended)
    assert run.states(found.source, hypothesis.ids).tgt_tokens == ended
    if name == "marian":
        assert run.attention(found.source, found.text).tgt_tokens != ended


# Their tests' source and target language, and two others; Marian's sources say the target's.
LANGUAGES = {
    "m2m100": ("fr", "de", "en", "nl"),
    "mbart": ("fr_XX", "de_DE", "en_XX", "nl_XX"),
    "mbart50": ("fr_XX", "de_DE", "en_XX", "nl_XX"),
    "marian": ("", "", "", "deu"),
}


@pytest.mark.parametrize("name", LANGUAGES)
def test_other_languages_translate_as_transformers_does(
    name: str, imported: Callable[[str], Imported]
) -> None:
    before, _, theirs = one = imported(name)
    src_lang, tgt_lang, other_src, other_tgt = LANGUAGES[name]
    run = one.run.in_languages(other_src, other_tgt)
    assert run.key.languages == (other_src, other_tgt)
    assert one.run.key.languages == (src_lang, tgt_lang)
    (found,) = run.translate(["to be or not to be"])
    tokenizer = getattr(transformers, FAMILIES[name][1]).from_pretrained(before)
    source, start = found.source, {}
    if name == "marian":
        source = f">>{other_tgt}<< {source}"
    else:
        tokenizer.src_lang = other_src
        id = tokenizer.convert_tokens_to_ids(f"__{other_tgt}__" if name == "m2m100" else other_tgt)
        start = {"decoder_start_token_id" if name == "mbart" else "forced_bos_token_id": id}
    with torch.inference_mode():
        inputs = tokenizer(source, return_tensors="pt")
        (row,) = theirs.generate(**inputs, **start, forced_eos_token_id=None, use_cache=False)
    assert list(found.hypotheses[0].ids) == row[1 : 1 + len(found.tokens)].tolist()
    assert run.model is one.run.model
    assert found.hypotheses[0].ids != one.run.translate([found.source])[0].hypotheses[0].ids
    with pytest.raises(UserError, match="There is no language `xx`; the nearest are"):
        one.run.in_languages(tgt="xx")


def test_settings_start_where_the_checkpoint_says(imported: Callable[[str], Imported]) -> None:
    run = imported("marian").run
    assert run.starting("beam").to_json()["num_beams"] == 4
    _, config = run.configured("beam", {"num_beams": 2})
    assert (config.width, config.max_new_tokens) == (2, LIMIT)
    assert run.configured("greedy", {})[1].max_new_tokens == LIMIT
    assert isinstance(run.src_tokenizer, PretrainedTokenizer)
    about = run.folder.about()
    assert about["imported"]["family"] == "Marian"
    assert about["command"].startswith("python -m s2s import /")


# As their generation_config.json says it.
PUBLISHED: dict[str, dict[str, Any]] = {
    "opus-mt": {"num_beams": 4, "max_length": 512},
    "distilbart": {"num_beams": 4, "min_length": 56, "max_length": 142, "length_penalty": 2.0},
    "pegasus": {"num_beams": 8, "max_length": 64, "length_penalty": 0.6},
    "m2m100": {"num_beams": 5, "max_length": 200, "early_stopping": True},
    "greedy": {"num_beams": 1},
    "sampling": {"do_sample": True, "top_k": 0, "top_p": 0.9, "temperature": 0.7},
    "wide sampling": {"do_sample": True, "top_k": 250},
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_strategy_starts_with_what_published_models_say(name: str) -> None:
    given, left_out = accepted_settings(generation.settings(PUBLISHED[name]))
    assert not left_out
    assert starting_settings("beam", given).get("num_beams") == given.get("num_beams")
    assert starting_settings("sample", given).get("top_k") == given.get("top_k")
    assert "top_k" not in starting_settings("contrastive", given)


def test_a_tokenizer_of_both_sides_is_stored_once(imported: Callable[[str], Imported]) -> None:
    assert imported("t5").run.src_tokenizer is imported("t5").run.tgt_tokenizer
    marian = imported("marian").run
    assert marian.src_tokenizer.vocabulary == marian.tgt_tokenizer.vocabulary
    assert marian.src_tokenizer is not marian.tgt_tokenizer


def amend(folder: Path, name: str, **changes: Any) -> None:
    path = folder / name
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_languages_are_given_where_the_files_do_not_say_them(tmp_path: Path) -> None:
    make_checkpoint("m2m100", tmp_path / "m2m")
    amend(tmp_path / "m2m", "tokenizer_config.json", tgt_lang=None)
    with pytest.raises(UserError, match="writes 100 languages; name one with `--tgt-lang`"):
        import_folder(tmp_path / "m2m", tmp_path / "run")
    with pytest.raises(UserError, match="There is no language `xx`"):
        import_folder(tmp_path / "m2m", tmp_path / "run", tgt_lang="xx")
    import_folder(tmp_path / "m2m", tmp_path / "run", src_lang="en", tgt_lang="es")
    ids = s2s.load(tmp_path / "run").recipe.model.ids
    names = s2s.load(tmp_path / "run").src_tokenizer.vocabulary
    assert (names[ids.src_first or 0], names[ids.tgt_first or 0]) == ("__en__", "__es__")


def test_a_forced_first_token_names_the_language(tmp_path: Path) -> None:
    make_checkpoint("mbart50", tmp_path / "mbart")
    amend(tmp_path / "mbart", "tokenizer_config.json", tgt_lang=None)
    names = s2s.tokenizers.open_pretrained(tmp_path / "mbart", "tgt").vocabulary
    forced = names.index("ro_RO")
    amend(tmp_path / "mbart", "generation_config.json", forced_bos_token_id=forced)
    import_folder(tmp_path / "mbart", tmp_path / "run")
    assert s2s.load(tmp_path / "run").recipe.model.ids.tgt_first == forced


def test_a_source_says_the_language_of_a_marian_with_several_targets(tmp_path: Path) -> None:
    make_checkpoint("marian", tmp_path / "opus")
    import_folder(tmp_path / "opus", tmp_path / "run", src_lang="en", tgt_lang="deu")
    run = s2s.load(tmp_path / "run")
    assert run.src_tokenizer.tokens(run.recipe.model.ids.source([7]))[0] == ">>deu<<"


@pytest.mark.parametrize(
    ("file", "changes", "sentence"),
    [
        ("config.json", {"pad_token_id": 5}, "`pad_token` has the id 0 and"),
        (
            "config.json",
            {"vocab_size": 1000},
            "tokens .source and target., and the embeddings have",
        ),
    ],
)
def test_what_does_not_fit_leaves_nothing_behind(
    file: str, changes: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    make_checkpoint("t5", tmp_path / "t5")
    amend(tmp_path / "t5", file, **changes)
    with pytest.raises(UserError, match=sentence):
        import_folder(tmp_path / "t5", tmp_path / "run")
    assert [path.name for path in tmp_path.iterdir()] == ["t5"]


def test_weights_are_as_readable_as_the_recipe_and_a_full_disk_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_checkpoint("t5", tmp_path / "t5")
    folder = import_folder(tmp_path / "t5", tmp_path / "run")
    recipe = folder.path / "recipe.json"
    for path in folder.checkpoints.iterdir():
        assert path.stat().st_mode & 0o666 == recipe.stat().st_mode & 0o666

    def save_file(*_: object) -> None:
        raise SafetensorError("Error while serializing: I/O error: No space left on device")

    monkeypatch.setattr(safetensors.torch, "save_file", save_file)
    with pytest.raises(UserError, match=r"cannot be written .*No space left"):
        import_folder(tmp_path / "t5", tmp_path / "other")
    assert not (tmp_path / "other").exists()


# Of the t5 checkpoint: each generation setting, and what is said of it.
ODD = {
    "num_beams": (0.5, "`num_beams` is 0.5"),
    "length_penalty": (99.0, "`length_penalty`"),
    "max_length": ("many", "`max_new_tokens` is 'many'"),
    "forced_bos_token_id": (70_000, "`forced_bos_token_id` 70000 of its generation settings"),
    "forced_eos_token_id": (5, "`forced_eos_token_id` 5 of its generation settings"),
    "suppress_tokens": ([-1], "`suppress_tokens` -1 of its generation settings"),
    "guidance_scale": (2.0, "`guidance_scale` of its generation settings is not imitated"),
}


def test_generation_settings_that_cannot_be_meant_are_left_out_and_named(tmp_path: Path) -> None:
    make_checkpoint("t5", tmp_path / "t5")
    changes = {name: value for name, (value, _) in ODD.items()}
    words = [[70_000], "the", [7], [8, 9]]
    amend(tmp_path / "t5", "generation_config.json", bad_words_ids=words, **changes)
    folder = import_folder(tmp_path / "t5", tmp_path / "run")
    assert folder.recipe().model.ids.suppressed == "7,8 9"
    assert not folder.recipe().model.ids.forces_end
    assert folder.starting_settings() == {}
    notes = " ".join(folder.about()["data"]["notes"])
    for sentence in (*(said for _, said in ODD.values()), "[70000] of its", "'the' of its"):
        assert sentence in notes
    assert s2s.load(tmp_path / "run").translate(SOURCES[:1], max_new_tokens=3)[0].tokens


@pytest.mark.parametrize("name", ["m2m100", "marian"])
def test_a_forced_end_and_suppressed_sequences_are_those_of_transformers(
    name: str, imported: Callable[[str], Imported], tmp_path: Path
) -> None:
    """The checkpoint's own beam search begins with these tokens; without them it writes others."""
    before, run, theirs = imported(name)
    shutil.copytree(before, tmp_path / name)
    eos = run.recipe.model.ids.eos
    ids = [list(one.hypotheses[0].ids) for one in run.translate(SOURCES)]
    given = theirs.generation_config.to_dict()
    words = [*given["bad_words_ids"], [eos], ids[0][1:3], ids[1][2:5], [ids[2][1]]]
    settings = {"forced_eos_token_id": eos, "bad_words_ids": words}
    amend(tmp_path / name, "generation_config.json", **settings)
    import_folder(tmp_path / name, tmp_path / "run")
    changed = Imported(tmp_path / name, s2s.load(tmp_path / "run"), theirs)
    tokenizer = their_tokenizer(name, before)
    for strategy, n_beams in (("beam", 4), ("greedy", 1)):
        for found in changed.run.translate(SOURCES, strategy):
            with torch.inference_mode():
                out = theirs.generate(
                    **tokenizer(found.source, return_tensors="pt"),
                    **settings,
                    forced_bos_token_id=changed.run.recipe.model.ids.forced_first,
                    num_beams=n_beams,
                    use_cache=False,
                    output_scores=n_beams > 1,
                    return_dict_in_generate=True,
                )
            (best, *_) = found.hypotheses
            assert list(best.ids) == out.sequences[0, 1 : 1 + len(best.ids)].tolist()
            assert best.ids[-1] == eos
            if n_beams > 1:
                assert best.score == pytest.approx(float(out.sequences_scores[0]), abs=1e-4)
        assert changed.run.tree(found, strategy).nodes


def test_mt5_is_t5_by_another_name(tmp_path: Path) -> None:
    make_checkpoint("t5", tmp_path / "mt5", is_tied=False, tie_word_embeddings=False)
    amend(tmp_path / "mt5", "config.json", model_type="mt5")
    theirs = transformers.MT5ForConditionalGeneration.from_pretrained(tmp_path / "mt5").eval()
    folder = import_folder(tmp_path / "mt5", tmp_path / "run")
    assert folder.about()["imported"]["family"] == "mT5"
    changed = Imported(tmp_path / "mt5", s2s.load(folder.path), theirs)
    (found,) = changed.run.translate(SOURCES[:1])
    ids, text = translated("t5", changed, SOURCES[0])
    assert (list(found.hypotheses[0].ids), found.text) == (ids[: len(found.tokens)], text)


def test_a_folder_that_holds_something_stays_as_it_is(imported: Callable[[str], Imported]) -> None:
    one = imported("t5")
    with pytest.raises(UserError, match="run` exists already"):
        import_folder(one.folder, one.run.folder.path)


def test_an_imported_run_has_no_training_to_continue(
    imported: Callable[[str], Imported], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = shutil.copytree(imported("t5").run.folder.path, tmp_path / "runs" / "opened")
    monkeypatch.setenv("S2S_HOME", str(tmp_path))
    with pytest.raises(UserError, match="was imported, so it has no training to continue"):
        training.resume(path)
    (row,) = list_runs("local")
    assert (row.imported, row.state, row.checkpoints) == ("T5", "done", (0,))
    monkeypatch.setenv("S2S_HOSTED", "1")
    with asker.acting_as("somebody"):
        shown = guests.about_run(RunFolder(path), row_about := RunFolder(path).about())
    assert row_about["imported"]["from"]
    assert (shown["imported"], shown["command"]) == ({"family": "T5"}, "")


def test_an_imported_run_goes_into_a_zip_and_comes_back(
    imported: Callable[[str], Imported], tmp_path: Path
) -> None:
    run = imported("marian").run
    run_archives.export(str(run.folder.path), tmp_path / "run.zip")
    with (tmp_path / "run.zip").open("rb") as raw:
        run_archives.open_at(raw, "run.zip", tmp_path / "again")
    again = s2s.load(tmp_path / "again")
    assert again.translate(SOURCES) == run.translate(SOURCES)
    assert again.starting_settings == run.starting_settings
    leaves = portable.about_run(run.folder.about())  # without the folder it came from
    assert again.folder.about()["command"] == leaves["command"] != run.folder.about()["command"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["marian_separate", "mbart"])  # two vocabularies, languages
def test_an_imported_run_is_fine_tuned_like_any(
    name: str, imported: Callable[[str], Imported], tmp_path: Path
) -> None:
    run = imported(name).run
    changes = {"train.steps": 15, "train.lr": 0.003, "train.watch.validate_every": 15}
    changes |= {"train.watch.save_every": 15, "train.warmup_steps": 5, "train.threads": 1}
    changes |= {"train.watch.scores": 0, "train.watch.samples": 0}
    recipe = override(run.recipe, {**changes, "train.batch_tokens": 256, "data.max_length": 64})
    pairs = [(source, target) for source in SOURCES for target in ("the house", "to be")]
    (tmp_path / "pairs.tsv").write_text("".join(f"{src}\t{tgt}\n" for src, tgt in pairs * 2))
    request = training.RunRequest(
        recipe, f"{tmp_path / 'pairs.tsv'}", init_from=str(run.folder.path)
    )
    list(training.run(training.start(request, tmp_path / "tuned")))
    tuned = s2s.load(tmp_path / "tuned")
    losses = [line["loss"] for line in tuned.folder.lines("metrics") if line["kind"] == "valid"]
    assert losses[-1] < losses[0]
    before, after = (
        sum(one.log_prob for one in each.force(*zip(*pairs, strict=True))) for each in (run, tuned)
    )
    assert after > before
    assert tuned.recipe.model.ids == run.recipe.model.ids
    assert tuned.starting_settings == run.starting_settings
    assert isinstance(tuned.src_tokenizer, PretrainedTokenizer)


@pytest.mark.parametrize("name", CONFIGS)
def test_an_imported_run_learns_from_the_ids_and_the_loss_of_transformers(
    name: str, imported: Callable[[str], Imported]
) -> None:
    """But for the language that mBART's first tokenizer wants predicted after `</s>`, where every search has ended."""
    one = imported(name)
    run = one.run
    pairs = [Pair(source, target) for source, target in zip(SOURCES, SOURCES[::-1], strict=True)]
    tokenizers = (run.src_tokenizer, run.tgt_tokenizer)
    encoded = batches.encode(pairs, *tokenizers, max_length=64, ids=run.recipe.model.ids)
    ours = batches.build(encoded, np.arange(len(pairs)))
    tokenizer = their_tokenizer(name, one.folder)
    theirs = tokenizer(SOURCES, text_target=SOURCES[::-1], padding=True, return_tensors="pt")
    np.testing.assert_array_equal(ours.src, theirs["input_ids"])
    labels = theirs["labels"]
    if name == "mbart":
        labels = labels.masked_fill(labels == run.tgt_tokenizer.start_id, ours.pad_id)[:, :-1]
    np.testing.assert_array_equal(ours.tgt[:, 1:], labels)
    src = torch.from_numpy(ours.src)
    tgt = torch.from_numpy(ours.tgt)
    masked = labels.masked_fill(labels == ours.pad_id, -100)
    given = {"decoder_input_ids": tgt[:, :-1]} if name == "mbart" else {}  # else shifted by them
    with torch.inference_mode():
        expected = one.theirs(
            input_ids=src, attention_mask=theirs["attention_mask"], labels=masked, **given
        )
    with inference(run.model):
        states = run.model.decode(tgt[:, :-1], run.model.encode(src), src)
        found = cross_entropy(
            states, tgt[:, 1:], run.model.projection, smoothing=0.0, pad_id=ours.pad_id
        )
    assert found.plain.item() == pytest.approx(expected.loss.item(), abs=2e-5)


@pytest.mark.slow
def test_a_fine_tuned_run_resumes_to_the_same_bits_and_is_tuned_further(
    imported: Callable[[str], Imported], tmp_path: Path
) -> None:
    run = imported("t5").run
    settings = {"train.watch.save_every": 1, "train.threads": 1, "train.schedule": "constant"}
    settings |= {"train.watch.scores": 0, "train.watch.samples": 0}
    recipe = override(run.recipe, {**settings, "data.max_length": 64})
    (tmp_path / "pairs.tsv").write_text("the house\tto be\nto be\tthe house\n" * 4)

    def tuned(steps: int, name: str, origin: Path) -> Path:
        asked = override(recipe, {"train.steps": steps})
        source = str(tmp_path / "pairs.tsv")
        request = training.RunRequest(asked, source, init_from=str(origin))
        list(training.run(training.start(request, tmp_path / name)))
        return tmp_path / name

    whole = tuned(2, "whole", run.folder.path)
    half = tuned(1, "half", run.folder.path)
    list(training.run(training.resume(half, training.Continuation(steps=2))))
    of_whole, of_half = (
        read_weights(weights_path(one / "checkpoints", 2)) for one in (whole, half)
    )
    assert all(torch.equal(tensor, of_half[name]) for name, tensor in of_whole.items())
    again = s2s.load(tuned(1, "again", whole))
    assert again.recipe.model == run.recipe.model


@pytest.mark.parametrize("name", ["t5", "bart", "m2m100"])  # which differ in what is around heads
def test_its_heads_are_measured_like_those_of_a_run_that_was_trained_here(
    name: str, imported: Callable[[str], Imported]
) -> None:
    run = imported(name).run
    targets = [*SOURCES[1:], SOURCES[0]]
    pairs = encoded_pairs(run, list(zip(SOURCES, targets, strict=True)))
    found = heads.finish(heads.measure_importance(run.model, heads.batched(run.model, pairs)))
    before = sum(run.score(SOURCES, targets))
    for head in (Head("encoder", 1, 0), Head("decoder", 0, 1), Head("cross", 0, 0)):
        with active(run, Interventions(((head, "off"),))):
            after = sum(run.score(SOURCES, targets))
        value = found.change.value[head.kind][head.layer, head.head]
        assert value == pytest.approx((before - after) / found.n_tokens, abs=1e-4)
    assert found.loss == pytest.approx(-before / found.n_tokens, rel=1e-4)
