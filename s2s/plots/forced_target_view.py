"""The pictures of `ForcedTarget`: the losses of both texts, and what judges them."""

from __future__ import annotations

from s2s.plots.picture import Picture
from s2s.plots.token_losses import CAPTION, TokenLoss, token_losses
from s2s.questions import Forced, ForcedTarget, forced_target

ABOUT = (
    f"Log-probabilities are the model's own, </s> included. The wide beam keeps {forced_target.WIDE} prefixes; it does"
    " not prove that nothing scores higher. After Stahlberg and Byrne (2019)."
)


def pictures(question: ForcedTarget, answer: Forced, model: str) -> list[Picture]:
    reference, own = answer.reference, answer.own
    title = f"{model}\nloss at each position, forced and free"
    columns = (reference.tokens, reference.log_probs, reference.ranks, reference.predicted)
    forced = [
        TokenLoss(token, -log_prob, f", rank {rank}; the model would write {predicted}")
        for token, log_prob, rank, predicted in zip(*columns, strict=True)
    ]
    pairs = zip(own.tokens, own.token_log_probs, strict=True)
    free = [TokenLoss(token, -log_prob) for token, log_prob in pairs]
    hardest = max(forced, key=lambda token: token.loss).text
    return [
        Picture(
            "losses",
            title,
            token_losses(forced, free, answer.first_difference, title=title),
            f"Loss of each token of the reference; the hardest is {hardest}",
            question.table(answer),
            question.finding(answer),
            f"{CAPTION} {difference_sentence(answer)}{_unknown(answer)}",
        ),
        Picture(
            "judged texts",
            f"{model}\nSearch error or model error?",
            None,
            "The reference, what was written, and what a wide beam finds",
            forced_target.texts_table(answer),
            caption="" if answer.why_no_verdict else f"{judged_by(answer)} {ABOUT}",
        ),
        Picture(
            "loss of each token",
            f"{model}\nEvery position",
            None,
            "Every position of the reference",
            question.table(answer),
        ),
    ]


def difference_sentence(answer: Forced) -> str:
    """A sentence on where the two texts first differ, and on the loss of the reference."""
    reference, at = answer.reference, answer.first_difference
    total = -reference.log_prob
    loss = f"The loss of the whole reference is {total:.2f} nats, {-reference.per_token:.2f} nats per token."
    if at is None:
        return f"The model's own translation is the reference, token by token. {loss}"
    theirs, ours = (
        tokens[at] if at < len(tokens) else "nothing"
        for tokens in (reference.tokens, answer.own.tokens)
    )
    return (
        f"They first differ at position {at + 1}: the reference has “{theirs}”, the model wrote “{ours}”."
        f" {loss}"
    )


def _unknown(answer: Forced) -> str:
    if not (unknown := answer.reference.unknown):
        return ""
    words = ", ".join(f"“{word}”" for word in unknown[:5])
    return f" The model cannot write {words}; <unk> takes their place, and the numbers are those of <unk>."


def judged_by(answer: Forced) -> str:
    if answer.own_unit == forced_target.NATS:
        does = "maximizes" if answer.is_maximized else "ranks by"
        return f"Judged by log-probability, which {answer.strategy} {does}."
    if not answer.is_maximized:
        known = f"what {answer.strategy} ranks by ({answer.own_unit}) is not known of a text that it did not write"
        return f"Judged by log-probability: {known}."
    return f"Judged by the score that {answer.strategy} maximizes: {answer.own_unit}."
