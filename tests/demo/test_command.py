"""`python -m s2s.demo`, which is in the package while its recipes are not."""

import sys

import pytest

from s2s.demo import __main__ as command


def test_without_a_checkout_it_says_where_the_recipes_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "benchmarks.make", None)
    with pytest.raises(SystemExit, match=r"in a checkout of s2s, by benchmarks/make; run this"):
        command.main()


def test_asked_for_nothing_it_says_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["s2s.demo"])
    with pytest.raises(SystemExit, match=r"python -m s2s\.demo stale"):
        command.main()
