"""A model is shared between visitors: what one of them looks at never changes what another reads."""

import threading

import pytest

import s2s
from tests.conftest import make_run


@pytest.mark.slow
def test_two_threads_do_not_disturb_each_other(tmp_path_factory: pytest.TempPathFactory) -> None:
    run = s2s.load(make_run(tmp_path_factory.mktemp("shared") / "one", {}))
    sources = ["1 2 3", "4 5 6 7", "8"]
    expected = run.translate(sources)
    wrong: list[object] = []

    def translate() -> None:
        wrong.extend(found for _ in range(6) if (found := run.translate(sources)) != expected)

    def look() -> None:
        for _ in range(12):
            run.attention("1 2 3", "3 2 1")

    threads = [threading.Thread(target=work) for work in (translate, look, translate, look)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
