import pytest

from s2s.config import UserError
from s2s.hosted import keys


def test_a_key_is_read_back_from_its_cookie_and_names_its_workspace_by_a_hash() -> None:
    key = keys.new_key()
    assert keys.read_key(key.signed) == key
    assert len(key.secret) == 43
    assert len(key.digest) == keys.ID_LENGTH
    assert key.secret not in key.digest
    assert keys.new_key().digest != key.digest


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value[:-2] + ("AA" if value[-2:] != "AA" else "BB"),
        lambda value: "2" + value[1:],
        lambda value: value[0] + "A" * 43 + value[44:],
        lambda value: value.split(".")[0],
        lambda value: value + "x",
        lambda value: "",
        lambda value: "1" + "Ä" * 43 + ".x",
        lambda value: value.split(".")[0] + "." + "é" * 43,
        lambda value: "local",
    ],
)
def test_a_key_that_this_server_did_not_sign_is_none(change) -> None:
    assert keys.read_key(change(keys.new_key().signed)) is None


def test_a_key_signed_with_another_secret_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    signed = keys.new_key().signed
    monkeypatch.setenv("S2S_SECRET", "x" * 32)
    assert keys.read_key(signed) is None


@pytest.mark.parametrize("secret", ["", "x" * 31, " " * 40])
def test_without_a_secret_no_key_counts(secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2S_SECRET", secret)
    for value in ("", "1" + "A" * 43 + "." + "A" * 43):
        with pytest.raises(UserError, match="set `S2S_SECRET` to a random text of at least 32"):
            keys.read_key(value)


def test_the_cookie_of_a_secure_page_counts_before_the_other() -> None:
    mine, other = keys.new_key(), keys.new_key()
    assert keys.key_of({keys.COOKIE: other.signed, keys.SECURE_COOKIE: mine.signed}) == mine
    assert keys.key_of({keys.COOKIE: other.signed}) == other
    assert keys.key_of({}) is None


def test_what_another_host_of_the_domain_could_set_counts_last_in_a_frame_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("S2S_FRAME_ANCESTORS", "https://school.example")
    mine, other = keys.new_key().signed, keys.new_key().signed
    planted = {keys.COOKIE: other, keys.FRAMED: other, keys.SECURE_FRAMED: mine}
    assert keys.key_of(planted) == keys.read_key(mine)
    assert keys.is_framed(planted)
    assert not keys.is_framed(planted | {keys.SECURE_COOKIE: mine})
    assert not keys.is_framed({})
