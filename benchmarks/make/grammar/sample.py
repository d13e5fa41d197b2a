"""Random trees of plausible sentences. Knows nothing of spelling or of splits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.make.grammar.lexicon import (
    ADJECTIVE_ROWS,
    PREPOSITION_ROWS,
    VERB_ROWS,
    Adjective,
    Classes,
    Noun,
    Preposition,
    Verb,
    nouns_of,
)
from benchmarks.make.grammar.nominals import NounSampler
from benchmarks.make.grammar.trees import (
    DETERMINER,
    FREQUENCIES,
    PRONOUNS,
    TIMES,
    Action,
    Both,
    Clause,
    Location,
    NounPhrase,
    Place,
    Predicate,
    Pronoun,
    Quality,
    Relative,
    Subject,
    Tree,
    When,
)
from benchmarks.make.grammar.usage import (
    ALIVE,
    ALONE,
    OWNERS,
    PERSON,
    SUBJECT_PRONOUNS,
    THIRD_PERSONS,
    UNGRADABLE,
    modals_of,
    rivals,
)

TRANSITIVE = tuple(verb for verb in VERB_ROWS if verb.objects and verb.en != "bank")
INTRANSITIVE = tuple(verb for verb in VERB_ROWS if not verb.objects)
BANKING = tuple(verb for verb in VERB_ROWS if verb.en == "bank")
PREDICATIVE = tuple(row for row in ADJECTIVE_ROWS if row.copula)


class Sampler(NounSampler):
    """Draws trees; see NounSampler for its arguments."""

    # Predicates

    def action(self, verbs: Sequence[Verb], articles: str = "any") -> Action:
        verb = self.rng.choice(verbs)
        past = "present" not in verb.marks and self.chance(0.4)
        modals = () if past else modals_of(verb)
        modal = self.rng.choice(modals) if modals and self.chance(0.25) else ""
        negated = modal != "need" and "positive" not in verb.marks and self.chance(0.16)
        is_simple = not (past or modal or negated or "present" in verb.marks)
        often = self.rng.choice(FREQUENCIES) if is_simple and self.chance(0.08) else None
        if negated and articles == "any":
            articles = "definite"
        return Action(verb, past, negated, modal, self.object(verb, articles), None, often)

    def object(self, verb: Verb, articles: str) -> NounPhrase | None:
        if not verb.objects:
            return None
        if not verb.fr.marker:
            return self.noun_phrase(verb.objects, articles)
        found = self.noun_phrase(verb.objects, "definite")
        return found._replace(plural=False, determiner=DETERMINER["the"]) if found.plural else found

    def place_for(self, kind: str, keys: Classes, avoid: str) -> Place | None:
        """Where a noun of this class may be, by one of these prepositions."""
        fitting = [row for row in PREPOSITION_ROWS if row.key in keys and kind in row.subjects]
        return self.place(self.rng.choice(fitting), avoid) if fitting else None

    def place(self, preposition: Preposition, avoid: str) -> Place:
        return Place(preposition, self.noun_phrase(preposition.places, "place", avoid))

    def placed(self, action: Action, kind: str, avoid: str, probability: float = 0.5) -> Action:
        """The action with a location, where the verb takes one."""
        verb = action.verb
        if verb.prepositions and ("place" in verb.marks or self.chance(probability)):
            return action._replace(place=self.place_for(kind, verb.prepositions, avoid))
        return action

    def quality(self, adjective: Adjective) -> Quality:
        is_gradable = not (adjective.fr.idiom or adjective.fr.fixed or adjective.en in UNGRADABLE)
        negated = self.chance(0.15)
        return Quality(
            adjective, self.chance(0.4), negated, is_gradable and not negated and self.chance(0.15)
        )

    def location(self, kind: str, avoid: str) -> Location | None:
        place = self.place_for(kind, frozenset(row.key for row in PREPOSITION_ROWS), avoid)
        return Location(place, self.chance(0.4), self.chance(0.12)) if place else None

    # Subjects

    def subject(self, slot: Classes, *, avoid: str = "", gender_shows: bool = False) -> Subject:
        """`gender_shows`: a word agrees with it, so not *I*, *you*, *we*, whose gender is unknown."""
        roll = self.rng.random()
        if roll < 0.4 and slot & PERSON:
            return self.rng.choice(THIRD_PERSONS if gender_shows else SUBJECT_PRONOUNS)
        if roll < 0.46:
            found = self.both(slot, avoid)
            if found:
                return found
        return self.noun_phrase(slot, "subject", avoid)

    def both(self, slot: Classes, avoid: str) -> Both | None:
        """Two nouns of one class, with the same article."""
        first = self.plain(slot, "definite", avoid)
        others = [
            row
            for row in nouns_of(slot)
            if row.kind == first.noun.kind and row.en not in (first.noun.en, avoid)
        ]
        if not others:
            return None
        second = self.determined(self.rng.choice(others), "definite")
        return Both(first, second) if first.determiner.en == second.determiner.en else None

    # Relative clauses

    def relative(self, noun: Noun, depth: int = 1) -> Relative | None:
        """A clause about `noun`, itself holding one about its object down to `depth`."""
        if depth == 1 and noun.kind not in ALIVE and self.chance(0.6):
            found = self.object_relative(noun)
            if found:
                return found
        if depth == 1 and self.chance(0.25):
            return self.copular_relative(noun)
        verbs = [
            verb
            for verb in TRANSITIVE
            if noun.kind in verb.subjects and (depth == 1 or verb.objects & ALIVE)
        ]
        if not verbs:
            return self.copular_relative(noun) if depth == 1 else None
        action = self.action(verbs, "definite")
        inner = action.object
        if depth == 1 or inner is None:
            return Relative(None, action)
        nested = self.relative(inner.noun, depth - 1)
        return Relative(None, action._replace(object=described(inner, nested))) if nested else None

    def copular_relative(self, noun: Noun) -> Relative | None:
        location = self.location(noun.kind, noun.en)
        return Relative(None, location._replace(negated=False)) if location else None

    def object_relative(self, noun: Noun) -> Relative | None:
        """*the house that the man sees*: in the present, where no participle has to agree with the house."""
        verbs = [verb for verb in TRANSITIVE if noun.kind in verb.objects and not verb.fr.marker]
        if not verbs:
            return None
        verb = self.rng.choice(verbs)
        is_person = verb.subjects & PERSON and self.chance(0.45)
        subject = (
            self.rng.choice(PRONOUNS)
            if is_person
            else self.plain(verb.subjects, "definite", noun.en)
        )
        return Relative(subject, Action(verb))

    # Sentences

    def clause(self, subject: Subject, predicate: Predicate) -> Clause:
        """The two put together. *you* and *we* act in the present only: their past would be too rare to learn."""
        if (
            isinstance(subject, Pronoun)
            and subject.agreement.person in (1, 3)
            and isinstance(predicate, Action)
        ):
            predicate = predicate._replace(past=False)
        if (
            isinstance(subject, NounPhrase)
            and subject.determiner.en == "every"
            and predicate.negated
        ):
            subject = subject._replace(determiner=DETERMINER["the"])
        return Clause(subject, predicate, self.when(predicate) if self.chance(0.06) else None)

    def when(self, predicate: Predicate) -> When | None:
        if (
            not isinstance(predicate, Action)
            or predicate.often
            or predicate.place
            or "present" in predicate.verb.marks
        ):
            return None
        tenses = ("any", "past" if predicate.past else "present")
        return self.rng.choice([row for row in TIMES if row.tense in tenses])

    def alone(self) -> Tree:
        return self.noun_phrase(ALONE, "any")

    def transitive(self, verbs: Sequence[Verb] = TRANSITIVE) -> Tree:
        action = self.action(verbs)
        used = action.object.noun.en if action.object else ""
        if action.object and action.object.noun.kind in ALONE and self.chance(0.06):
            action = action._replace(
                object=described(action.object, self.relative(action.object.noun))
            )
        return self.clause(self.subject(action.verb.subjects, avoid=used), action)

    def intransitive(self) -> Tree:
        action = self.action(INTRANSITIVE)
        agrees = (action.verb.fr.posture and not action.verb.fr.fixed) or (
            action.verb.fr.takes_etre and action.past
        )
        subject = self.subject(action.verb.subjects, gender_shows=agrees)
        noun = first_noun(subject)
        return self.clause(
            subject, self.placed(action, noun.kind if noun else "folk", noun.en if noun else "")
        )

    def predication(self) -> Tree:
        adjective = self.rng.choice(PREDICATIVE)
        shows = not adjective.fr.idiom
        for _ in range(4):
            subject = self.subject(adjective.kinds, gender_shows=shows)
            if self.fits(adjective, subject):
                return self.clause(subject, self.quality(adjective))
        return self.alone()

    def fits(self, adjective: Adjective, subject: Subject) -> bool:
        """No pair is banned, and the subject does not have the adjective already (*the red car is red*)."""
        parts = (subject.first, subject.second) if isinstance(subject, Both) else (subject,)
        nominal = [part for part in parts if isinstance(part, NounPhrase)]
        return all(
            self.may_stand(adjective, part.noun)
            and not any(row.en in rivals(adjective.en) for row in part.adjectives)
            for part in nominal
        )

    def situation(self) -> Tree:
        preposition = self.rng.choice(PREPOSITION_ROWS)
        subject = self.subject(preposition.subjects)
        noun = first_noun(subject)
        place = self.place(preposition, noun.en if noun else "")
        return self.clause(subject, Location(place, self.chance(0.4), self.chance(0.12)))

    def described(self, depth: int = 1) -> Tree:
        """A subject with a relative clause, then a predicate that has to look back over it."""
        for _ in range(20):
            tree = (
                self.described_quality(depth) if self.chance(0.6) else self.described_action(depth)
            )
            if tree:
                return tree
        return self.alone()

    def described_quality(self, depth: int) -> Clause | None:
        adjective = self.rng.choice(PREDICATIVE)
        noun = self.noun_for(adjective, adjective.kinds)
        subject = self.related(noun, depth) if noun else None
        return (
            self.clause(subject, self.quality(adjective))
            if subject and self.fits(adjective, subject)
            else None
        )

    def described_action(self, depth: int) -> Clause | None:
        action = self.action(INTRANSITIVE)
        noun = self.noun(action.verb.subjects)
        subject = self.related(noun, depth) if noun else None
        return (
            self.clause(subject, self.placed(action, subject.noun.kind, subject.noun.en, 0.1))
            if subject
            else None
        )

    def related(self, noun: Noun, depth: int) -> NounPhrase | None:
        """The noun with a relative clause that does not speak of another such noun."""
        relative = self.relative(noun, depth)
        return described(self.determined(noun, "definite"), relative) if relative else None

    def banking(self) -> Tree:
        return self.transitive(BANKING)

    def sentence(self) -> Tree:
        return self.rng.choices(KINDS_OF_SENTENCE, KIND_WEIGHTS)[0](self)


KINDS_OF_SENTENCE: tuple[Callable[[Sampler], Tree], ...] = (
    Sampler.alone,
    Sampler.transitive,
    Sampler.intransitive,
    Sampler.predication,
    Sampler.situation,
    Sampler.described,
    Sampler.banking,
)
KIND_WEIGHTS = (12, 34, 18, 15, 8, 12, 1)


def described(phrase: NounPhrase, relative: Relative | None) -> NounPhrase:
    """The phrase with the clause. Who is told which one need not be told whose: *the house that he sees*."""
    needs_the = relative is not None and phrase.determiner.en in OWNERS
    return phrase._replace(
        relative=relative, determiner=DETERMINER["the"] if needs_the else phrase.determiner
    )


def first_noun(subject: Subject) -> Noun | None:
    if isinstance(subject, Pronoun):
        return None
    return subject.first.noun if isinstance(subject, Both) else subject.noun
