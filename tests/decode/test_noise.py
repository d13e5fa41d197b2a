import numpy as np
import pytest
import torch

from s2s.decode.noise import gumbel, key_of, mixed, uniform
from tests.decode.chance import UNLIKELY, p_value


def test_keys_hang_on_the_seed_and_on_every_id() -> None:
    given = [
        (1, (5, 6)),
        (2, (5, 6)),
        (1, (5, 7)),
        (1, (6, 5)),
        (1, (5,)),
        (1, ()),
        (15, (6,)),
        (1, (56,)),
    ]
    assert len({key_of(seed, source) for seed, source in given}) == len(given)
    assert key_of(1, (5, 6)) == key_of(1, [5, 6]) == 9054247396857326055


def test_mixed_keys_differ_for_every_part_and_position() -> None:
    many = mixed(list(range(100)), [0] * 100)
    assert len(set(many.tolist())) == 100
    assert (
        len({int(mixed([7], [one], [other])[0]) for one in range(20) for other in range(20)}) == 400
    )
    assert mixed([2**64 - 1, 3], [4, 4]).tolist() == [
        int(mixed([key], [4])[0]) for key in (2**64 - 1, 3)
    ]
    assert mixed([5, 6]).tolist() == [5, 6]


def test_a_number_hangs_on_its_key_and_its_place_alone() -> None:
    keys = mixed(list(range(50)), list(range(50)))
    few = uniform(keys, 3)
    many = uniform(keys, 40)
    assert torch.equal(few, many[:, :3])
    assert torch.equal(uniform(keys[7:9], 40), many[7:9])
    assert few.dtype == torch.float64


@pytest.mark.parametrize("along", ["keys", "places"])
def test_numbers_are_spread_evenly_and_independently(along: str) -> None:
    n = 40_000
    drawn = (
        uniform(mixed([key_of(1, ())] * n, list(range(n))), 2)
        if along == "keys"
        else uniform(mixed([key_of(1, ())]), 2 * n).view(n, 2)
    )
    assert 0 < float(drawn.min()) < float(drawn.max()) < 1
    cells = (drawn * 8).long()
    assert (
        p_value((cells[:, 0] * 8 + cells[:, 1]).tolist(), dict.fromkeys(range(64), 1 / 64))
        > UNLIKELY
    )


def test_gumbel_noise_has_its_distribution_and_draws() -> None:
    noise = gumbel(mixed(list(range(20_000)), [3] * 20_000), 4)
    assert noise.isfinite().all()
    cut = torch.bucketize(noise.flatten(), -(-(torch.arange(1, 10) / 10).double().log()).log())
    assert p_value(cut.tolist(), dict.fromkeys(range(10), 0.1)) > UNLIKELY
    probs = np.array([0.1, 0.2, 0.3, 0.4])
    drawn = (torch.from_numpy(np.log(probs)) + noise).argmax(1)
    assert p_value(drawn.tolist(), dict(enumerate(probs.tolist()))) > UNLIKELY
