from collections.abc import Generator

from s2s.jobs.heads.measuring import stage


def test_the_shares_of_a_part_are_shares_of_the_whole() -> None:
    def steps() -> Generator[float, None, str]:
        yield 0.5
        yield 1.0
        return "done"

    found = []

    def whole() -> Generator[float, None, None]:
        found.append((yield from stage(0.5, 0.75, steps())))

    assert list(whole()) == [0.625, 0.75]
    assert found == ["done"]
