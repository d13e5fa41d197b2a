"""What a model writes while something is done to its attention: heads switched, or cross-attention overridden."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from s2s.analysis import (
    WEIGHT_INTERVENTIONS,
    AttentionMap,
    Head,
    HeadSelection,
    all_heads,
    reduced,
    switched,
)
from s2s.config import UserError, shortened
from s2s.files import from_json, to_json
from s2s.questions.attention_of import KIND_CHOICES, ForcedAttention, OfSentence
from s2s.questions.changed import Candidates, Changed
from s2s.questions.have import Have
from s2s.questions.question import setting
from s2s.questions.table import Table
from s2s.questions.translate import Translate
from s2s.runs import Interventions, Next, Run, active, kept_prefix, next_token

CHOSEN = "chosen"  # override only the chosen layer and head
MAX_CANDIDATES = 8
NUMBERS = re.compile(r"\d{1,6}(\.\d{1,6})*", re.ASCII)


@dataclass(frozen=True)
class InterventionEffect(OfSentence[Changed]):
    """What interventions, given as JSON, change in a translation, and while a target is forced."""

    interventions: str = setting("")

    def ask(self, have: Have) -> Changed:
        """The change. Raises UserError for a target position, source position, head or strategy that does not exist."""
        run = have.run(self.run)
        change = from_json(Interventions, json.loads(self.interventions))
        target = have.answer(self.attention).given
        prefix = kept_prefix(run, self.text, target, change)
        before, after = (
            have.answer(
                Translate(
                    self.run, self.text, self.strategy, prefix=prefix, interventions=interventions
                )
            )
            for interventions in ("", self.interventions)
        )
        with active(run, change):
            attention = run.attention(self.text, target)
        found = next_token(run, change, before, after)
        following = _candidates(run, before.tokens, found) if found else None
        return Changed(change, len(prefix), before, after, attention, following)

    def table(self, answer: Changed) -> Table:
        return translations(answer)


@dataclass(frozen=True)
class Intervene(OfSentence[Changed]):
    """What a model writes when, at one target token, cross-attention looks only at some source tokens, or when heads of
    any attention are switched. `layer` and `head` are numbers from 1, or `mean`; empty, the last layer and the mean of
    its heads.
    """

    at: str = setting("", scope="sentence", label="While it writes")  # a target token, from 1
    to: str = setting("", scope="sentence", label="it looks only at")  # `2.3`: source tokens
    overridden: str = setting("", link="among", label="Override attention in")
    switched: str = setting("")  # `cross.1.3=off`: kind, layer, head, intervention
    kind: str = setting("cross", in_set=False, choices=KIND_CHOICES)
    layer: str = setting("", in_set=False)
    head: str = setting("", in_set=False)

    def ask(self, have: Have) -> Changed:
        """The change. Raises UserError where nothing is changed, or for a token or head that there is not."""
        forced = have.answer(self.attention)
        self.attention.which(forced)
        change = self.interventions(have.run(self.run), forced)
        packed = json.dumps(to_json(change), sort_keys=True)
        sentence = self.shared_with(InterventionEffect)
        return have.answer(InterventionEffect(**sentence, interventions=packed))

    def interventions(self, run: Run, forced: ForcedAttention) -> Interventions:
        """The interventions that the fields describe."""
        position, keys = self._override(forced)
        heads = tuple(sorted(self._switched(run).items()))
        if not (keys or heads):
            raise UserError(
                "Nothing is changed; give `at` and `to`, such as 2 and 1.3, or `switched`, such as cross.1.2=off."
            )
        return Interventions(heads, position, keys, self._moved(forced) if keys else None)

    def _override(self, forced: ForcedAttention) -> tuple[int, tuple[int, ...]]:
        if bool(self.at) != bool(self.to):
            raise UserError(
                "Overriding attention takes both `at`, a target token, and `to`, the source tokens to look at."
            )
        if not self.at:
            return 0, ()
        tokens = forced.attention
        (position,) = _positions("at", self.at, len(tokens.tgt_tokens), most=1)
        return position, _positions("to", self.to, len(tokens.src_tokens))

    def _switched(self, run: Run) -> dict[Head, str]:
        found, unknown = switched.from_text(
            self.switched, all_heads(run.model), WEIGHT_INTERVENTIONS
        )
        if unknown:
            raise UserError(
                f"`switched` has {shortened(unknown[0])}, which names no head or intervention of this model; give"
                " kind.layer.head=intervention, such as cross.1.2=off."
            )
        return found

    def _moved(self, forced: ForcedAttention) -> tuple[Head, ...] | None:
        if self.overridden not in ("", CHOSEN):
            raise UserError(
                f"`overridden` is {shortened(self.overridden)}; leave it empty for all heads, or give `{CHOSEN}`."
            )
        which = self.attention.which(forced)
        if not self.overridden or which.kind != "cross" or which.layer is which.head is None:
            return None
        return heads_of(which, forced.attention.cross.shape)

    def map(self, answer: Changed) -> AttentionMap:
        """The attention map of the chosen layer and head under the interventions."""
        return reduced(answer.attention, self.attention.which(answer))

    def table(self, answer: Changed) -> Table:
        return translations(answer)

    def finding(self, answer: Changed) -> str:
        return answer.finding


def translations(answer: Changed) -> Table:
    """A table of both translations: a row without the interventions, one with them; log-probabilities in nats, by the
    model that wrote it.
    """
    both = (("without the change", answer.before), ("with the change", answer.after))
    rows = [[name, one.text, one.log_prob, len(one.tokens)] for name, one in both]
    return Table(("", "translation", "log-probability", "tokens"), rows)


def candidates(answer: Changed) -> Table:
    """A table of candidates for the next token, with probabilities without and with the interventions."""
    found = answer.next
    columns = ("token", "without the change", "with the change")
    if not found:
        return Table(columns, [])
    rows = zip(found.tokens, found.before.tolist(), found.after.tolist(), strict=True)
    return Table(columns, [*map(list, rows)], shares=columns[1:])


def heads_of(which: HeadSelection, shape: tuple[int, ...]) -> tuple[Head, ...]:
    layers = range(shape[0]) if which.layer is None else [which.layer]
    heads = range(shape[1]) if which.head is None else [which.head]
    return tuple(Head(which.kind, layer, head) for layer in layers for head in heads)


def positions(text: str, n: int) -> tuple[int, ...] | None:
    """Positions, from 0, that `2.3` names, each once; None for what are no positions among `n`."""
    if not NUMBERS.fullmatch(text):
        return None
    found = {int(number) - 1 for number in text.split(".")}
    return tuple(sorted(found)) if all(0 <= position < n for position in found) else None


def _positions(name: str, text: str, n: int, most: int | None = None) -> tuple[int, ...]:
    found = positions(text, n)
    if found is None or (most and len(found) > most):
        what = "one number" if most else "numbers with dots between, such as 1.2,"
        raise UserError(f"`{name}` is {shortened(text)}; give {what} from 1 to {n}.")
    return found


def _candidates(run: Run, tokens: tuple[str, ...], following: Next) -> Candidates:
    before, after = following.before.exp(), following.after.exp()  # (vocab,)
    best = before.maximum(after).topk(min(MAX_CANDIDATES, len(before))).indices.tolist()
    best.sort(key=lambda token: -float(before[token]))
    position = following.position
    start = run.tgt_tokenizer.tokens([run.recipe.model.ids.start])[0]
    return Candidates(
        position,
        " ".join(tokens[:position][-3:]) or start,
        tuple(run.tgt_tokenizer.tokens(best)),
        before[best].double().numpy(),
        after[best].double().numpy(),
    )
