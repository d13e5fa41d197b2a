import s2s
from s2s.runs import encoded_pairs


def test_tokens_are_those_of_a_forward_pass_and_belong_to_words() -> None:
    run = s2s.load("demo-en-fr")
    pairs = [("the red house", "la maison rouge"), ("", "vide"), ("a cat", "un chat")]
    first, second = encoded_pairs(run, pairs)
    assert (first.number, second.number) == (0, 2)
    seen = run.attention(*pairs[0])
    assert tuple(run.src_tokenizer.tokens(first.src)) == seen.src_tokens
    assert tuple(run.tgt_tokenizer.tokens(first.tgt[:-1])) == seen.tgt_inputs
    assert tuple(run.tgt_tokenizer.tokens(first.tgt[1:])) == seen.tgt_tokens
    assert first.n_predicted == len(first.tgt_words) == len(seen.tgt_tokens)
    assert first.src_words.tolist()[-1] == -1
    assert first.src_words.max() == first.tgt_words.max() == 2
