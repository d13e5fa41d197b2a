"""What of a test set stands in the training text."""

from s2s.data.overlap import Overlap, find_overlap


def test_lines_that_stand_in_the_training_text_are_counted() -> None:
    tested = ["the cat", "the dog", "the cat", "a bird"]
    assert find_overlap(tested, ["the cat", "the cat", "the cow", "a bird"]) == Overlap(
        n_sources=2, n_pairs=3, share=0.75
    )
    assert find_overlap(tested, iter(tested)) == Overlap(3, 4, 1.0)
    assert find_overlap(tested, ["The cat", "the  dogs"]) == Overlap(0, 0, 0.0)


def test_spaces_and_the_encoding_of_accents_do_not_count() -> None:
    assert find_overlap(["un cafe\u0301  noir "], ["un café noir"]).n_pairs == 1


def test_empty_lines_are_nobodys() -> None:
    assert find_overlap(["", " ", "a"], [""]) == Overlap(0, 0, 0.0)
    assert find_overlap([], ["a"]) == Overlap(0, 0, 0.0)
