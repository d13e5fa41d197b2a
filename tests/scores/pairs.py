"""Made-up sentences with all that scores stumble on: empty ones, repeats, capitals, punctuation, moved words."""

import random

WORDS = "le la les chat chats Chat dort. mange, 3.5 a-b ça «il» un une x y & l'an кот".split()


def pairs(n: int, seed: int) -> tuple[list[str], list[str]]:
    """Hypotheses and references."""
    chance = random.Random(seed)
    references = [_text(chance) for _ in range(n)]
    return hypotheses(references, seed), references


def hypotheses(references: list[str], seed: int) -> list[str]:
    """Some of them right, some nearly, some not at all."""
    chance = random.Random(-seed)
    return [_beside(reference.split(), chance) for reference in references]


def _text(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=chance.choice((0, 1, 2, 3, 5, 8, 11, 14))))


def _beside(words: list[str], chance: random.Random) -> str:
    turned = words[2:] + words[:2]
    some = [word for word in words if chance.random() < 0.8]
    return chance.choice(
        (
            _text(chance),
            " ".join(words),
            " ".join(turned),
            " ".join(some),
            " ".join(words + words[-3:]),
        )
    )
