import pytest

from s2s.decode import ID_CODEC, STRATEGIES, ForcedPrefix, SearchResult, configure
from tests.decode.table import Table
from tests.decode.test_strategies import SOME


def forced(name: str, ids: tuple[int, ...], **settings: object) -> list[SearchResult]:
    strategy, config = configure(name, {"max_new_tokens": 7} | SOME.get(name, {}) | settings)
    return strategy(Table(3, 4), config, ForcedPrefix(ID_CODEC, ids))


@pytest.mark.parametrize("name", STRATEGIES)
def test_ids_begin_every_target_as_their_text_does(name: str) -> None:
    strategy, config = configure(name, {"max_new_tokens": 7, "prefix": "2 4"} | SOME.get(name, {}))
    assert forced(name, (2, 4)) == strategy(Table(3, 4), config, ID_CODEC)
    assert forced(name, (2, 4), prefix="3") == forced(name, (2, 4))  # they stand in its place


def test_a_forced_beginning_knows_text_as_its_words_do() -> None:
    words = ForcedPrefix(ID_CODEC, (1,))
    assert (words.encode("5 7"), words.decode([5, 7]), list(words.unknown_parts("5 x"))) == (
        [5, 7],
        "5 7",
        ["x"],
    )
