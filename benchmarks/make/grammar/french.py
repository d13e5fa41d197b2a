"""French: gender, plurals, elision, verbs. The past is the *passé composé*; of *être* and *avoir*, the imperfect."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import MappingProxyType

from benchmarks.make.grammar.language import Language, phrase_words, spelled
from benchmarks.make.grammar.lexicon import (
    Adjective,
    Noun,
    Preposition,
    TargetAdjective,
    TargetNoun,
    TargetVerb,
)
from benchmarks.make.grammar.phrase import Orthography, Tagged, Word
from benchmarks.make.grammar.trees import Action, Agreement, Determiner, Pronoun, When

VOWELS = "aeiouâàéèêëîïôœ"
# Every h of the lexicon is mute; an aspirated one (haut, héros) would be listed here by its first letters.
ASPIRATED: tuple[str, ...] = ()
CONTRACTIONS = MappingProxyType(
    {
        ("de", "le"): "du",
        ("de", "les"): "des",
        ("à", "le"): "au",
        ("à", "les"): "aux",
    }
)

# je, tu, il, nous, ils, past participle. Verbs in -er that are not here are regular.
IRREGULAR = MappingProxyType(
    {
        line.split(":")[0]: tuple(line.split(":")[1].split())
        for line in """
être: suis es est sommes sont été
avoir: ai as a avons ont eu
vouloir: veux veux veut voulons veulent voulu
devoir: dois dois doit devons doivent dû
pouvoir: peux peux peut pouvons peuvent pu
voir: vois vois voit voyons voient vu
boire: bois bois boit buvons boivent bu
acheter: achète achètes achète achetons achètent acheté
vendre: vends vends vend vendons vendent vendu
perdre: perds perds perd perdons perdent perdu
entendre: entends entends entend entendons entendent entendu
attendre: attends attends attend attendons attendent attendu
ouvrir: ouvre ouvres ouvre ouvrons ouvrent ouvert
écrire: écris écris écrit écrivons écrivent écrit
tenir: tiens tiens tient tenons tiennent tenu
suivre: suis suis suit suivons suivent suivi
connaître: connais connais connaît connaissons connaissent connu
savoir: sais sais sait savons savent su
nettoyer: nettoie nettoies nettoie nettoyons nettoient nettoyé
peindre: peins peins peint peignons peignent peint
dormir: dors dors dort dormons dorment dormi
courir: cours cours court courons courent couru
""".strip().splitlines()
    }
)
IMPERFECT = MappingProxyType(
    {
        "être": ("étais", "étais", "était", "étions", "étaient"),
        "avoir": ("avais", "avais", "avait", "avions", "avaient"),
    }
)
MODALS = MappingProxyType({"want": "vouloir", "need": "devoir", "can": "pouvoir"})


@cache
def opens_with_vowel(word: str) -> bool:
    """Whether *le* elides before it."""
    return word[0] in VOWELS or (word[0] == "h" and not word.startswith(ASPIRATED))


@cache
def pluralize(word: str) -> str:
    """
    >>> pluralize("cheval"), pluralize("gâteau"), pluralize("souris"), pluralize("clé")
    ('chevaux', 'gâteaux', 'souris', 'clés')
    """
    if word.endswith(("s", "x", "z")):
        return word
    if word.endswith("al"):
        return word[:-2] + "aux"
    return word + ("x" if word.endswith("eau") else "s")


@cache
def feminine(masculine: str) -> str:
    """
    >>> feminine("rouge"), feminine("heureux"), feminine("léger"), feminine("vert")
    ('rouge', 'heureuse', 'légère', 'verte')
    """
    if masculine.endswith("e"):
        return masculine
    if masculine.endswith("eux"):
        return masculine[:-1] + "se"
    return masculine[:-2] + "ère" if masculine.endswith("er") else masculine + "e"


@cache
def inflected(forms: str, is_feminine: bool, plural: bool) -> tuple[str, str]:
    """The form that agrees, and the one before a vowel where there is one: `beau/belle/bel`."""
    masculine, *others = forms.split("/")
    if is_feminine:
        singular = others[0] if others else feminine(masculine)
        return (pluralize(singular), "") if plural else (singular, "")
    if plural:
        return pluralize(masculine), ""
    return masculine, others[1] if len(others) > 1 else ""


@cache
def conjugation(lemma: str) -> tuple[str, ...]:
    """je, tu, il, nous, ils, past participle."""
    if lemma in IRREGULAR:
        return IRREGULAR[lemma]
    if not lemma.endswith("er"):
        raise ValueError(
            f"the French verb {lemma!r} is not in -er; add its forms to IRREGULAR in french.py"
        )
    stem = lemma[:-2]
    soft = stem + "e" if stem.endswith("g") else stem
    return (stem + "e", stem + "es", stem + "e", soft + "ons", stem + "ent", stem + "é")


def around(negated: bool, finite: str, role: str) -> list[Tagged]:
    """The finite verb, between *ne* and *pas* where negated."""
    verb = (Word(finite), role)
    return [(Word("ne", "n'"), "n"), verb, (Word("pas"), "n")] if negated else [verb]


class French(Language):
    """See `Language`."""

    orthography = Orthography(opens_with_vowel, CONTRACTIONS, frozenset({"de", "à"}))
    object_relative = "que~qu'"
    subject_relative = "qui"
    conjunction = "et"
    of = "de~d'"
    intensifier = "très"

    def noun_entry(self, noun: Noun) -> TargetNoun:
        return noun.fr

    def adjective_entry(self, adjective: Adjective) -> TargetAdjective:
        return adjective.fr

    def pluralize(self, word: str) -> str:
        return pluralize(word)

    def inflect(self, forms: str, agreement: Agreement) -> Word:
        return Word(*inflected(forms, agreement.feminine, agreement.plural))

    def determiner_cells(self, determiner: Determiner) -> Sequence[str]:
        return determiner.fr

    def pronoun(self, pronoun: Pronoun) -> str:
        return pronoun.fr

    def preposition(self, preposition: Preposition) -> str:
        return preposition.fr

    def when(self, when: When) -> str:
        return when.fr

    def copula(
        self, adjective: Adjective | None, agreement: Agreement, past: bool, negated: bool
    ) -> list[Tagged]:
        lemma = "avoir" if adjective and adjective.fr.idiom else "être"
        forms = IMPERFECT[lemma] if past else IRREGULAR[lemma]
        return around(negated, forms[agreement.person], "v")

    def object_mark(self, action: Action) -> list[Word]:
        return []

    def verb_group(self, action: Action, agreement: Agreement) -> list[Tagged]:
        verb = action.verb.fr
        marker = [(spelled(verb.marker), "v")] if verb.marker else []
        if action.modal:
            finite = conjugation(MODALS[action.modal])[agreement.person]
            return [*around(action.negated, finite, "m"), *phrase_words(verb.lemma, "v"), *marker]
        if verb.posture:
            copula = self.copula(None, agreement, action.past, action.negated)
            return [*copula, (self.participle(verb, agreement), "v")]
        if not action.past:
            return [
                *around(action.negated, conjugation(verb.lemma)[agreement.person], "v"),
                *marker,
            ]
        auxiliary = conjugation("être" if verb.takes_etre else "avoir")[agreement.person]
        return [
            *around(action.negated, auxiliary, "v"),
            (self.participle(verb, agreement), "v"),
            *marker,
        ]

    def participle(self, verb: TargetVerb, agreement: Agreement) -> Word:
        """It agrees with the subject after *être*, and not at all after *avoir*."""
        form = verb.lemma if verb.posture else conjugation(verb.lemma)[5]
        agrees = (verb.posture or verb.takes_etre) and not verb.fixed
        return self.inflect(form, agreement) if agrees else Word(form)
