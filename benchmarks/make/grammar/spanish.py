"""Spanish: gender, plurals, *al* and *del*, verbs. First and second persons leave their pronoun to the verb."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import MappingProxyType

from benchmarks.make.grammar.language import Language, phrase_words
from benchmarks.make.grammar.lexicon import (
    Adjective,
    Classes,
    Noun,
    Preposition,
    TargetAdjective,
    TargetNoun,
    kinds,
)
from benchmarks.make.grammar.phrase import Orthography, Tagged, Word
from benchmarks.make.grammar.trees import Action, Agreement, Determiner, Pronoun, When

# Feminine nouns that open with a stressed a take *el* and *un* in the singular: el agua fría.
STRESSED_A = frozenset({"agua"})
CONTRACTIONS = MappingProxyType({("de", "el"): "del", ("a", "el"): "al"})
ACUTE = MappingProxyType({"á": "a", "é": "e", "í": "i", "ó": "o", "ú": "u"})
# People and animals as objects take *a* (ve a la mujer), except after tener (tiene un perro).
PERSONAL: Classes = kinds("creature")
WITHOUT_PERSONAL_A = frozenset({"tener"})

# yo, tú, él, nosotros, ellos; then the same persons of the pretérito where it is irregular too.
IRREGULAR = MappingProxyType(
    {
        line.split(":")[0]: tuple(line.split(":")[1].split())
        for line in """
querer: quiero quieres quiere queremos quieren quise quisiste quiso quisimos quisieron
poder: puedo puedes puede podemos pueden pude pudiste pudo pudimos pudieron
tener: tengo tienes tiene tenemos tienen tuve tuviste tuvo tuvimos tuvieron
saber: sé sabes sabe sabemos saben supe supiste supo supimos supieron
conocer: conozco conoces conoce conocemos conocen
ver: veo ves ve vemos ven vi viste vio vimos vieron
perseguir: persigo persigues persigue perseguimos persiguen perseguí perseguiste persiguió perseguimos persiguieron
seguir: sigo sigues sigue seguimos siguen seguí seguiste siguió seguimos siguieron
cerrar: cierro cierras cierra cerramos cierran
encontrar: encuentro encuentras encuentra encontramos encuentran
oír: oigo oyes oye oímos oyen oí oíste oyó oímos oyeron
sostener: sostengo sostienes sostiene sostenemos sostienen sostuve sostuviste sostuvo sostuvimos sostuvieron
jugar: juego juegas juega jugamos juegan
encender: enciendo enciendes enciende encendemos encienden
perder: pierdo pierdes pierde perdemos pierden
dormir: duermo duermes duerme dormimos duermen dormí dormiste durmió dormimos durmieron
volar: vuelo vuelas vuela volamos vuelan
sonar: sueno suenas suena sonamos suenan
caer: caigo caes cae caemos caen caí caíste cayó caímos cayeron
""".strip().splitlines()
    }
)
PRESENT = MappingProxyType(
    {
        "ar": ("o", "as", "a", "amos", "an"),
        "er": ("o", "es", "e", "emos", "en"),
        "ir": ("o", "es", "e", "imos", "en"),
    }
)
PRETERITE = MappingProxyType(
    {
        "ar": ("é", "aste", "ó", "amos", "aron"),
        "er": ("í", "iste", "ió", "imos", "ieron"),
        "ir": ("í", "iste", "ió", "imos", "ieron"),
    }
)
COPULAS = MappingProxyType(
    {
        "ser": ("soy", "eres", "es", "somos", "son", "era", "eras", "era", "éramos", "eran"),
        "estar": (
            "estoy",
            "estás",
            "está",
            "estamos",
            "están",
            "estaba",
            "estabas",
            "estaba",
            "estábamos",
            "estaban",
        ),
        "tener": (
            "tengo",
            "tienes",
            "tiene",
            "tenemos",
            "tienen",
            "tenía",
            "tenías",
            "tenía",
            "teníamos",
            "tenían",
        ),
    }
)
MODALS = MappingProxyType({"want": "querer", "need": "necesitar", "can": "poder"})


@cache
def pluralize(word: str) -> str:
    """
    >>> pluralize("casa"), pluralize("feliz"), pluralize("jardín"), pluralize("azul"), pluralize("café")
    ('casas', 'felices', 'jardines', 'azules', 'cafés')
    """
    if word[-1] in "aeiouáéó":
        return word + "s"
    if word.endswith("z"):
        return word[:-1] + "ces"
    if word[-2] in ACUTE and word[-1] in "ns":
        return word[:-2] + ACUTE[word[-2]] + word[-1] + "es"
    return word + "es"


@cache
def inflected(forms: str, feminine: bool, plural: bool) -> str:
    """`bueno~buen`, `grande~~gran`, `joven/jóvenes`: the form that agrees, long."""
    base, _, irregular_plural = forms.split("~", maxsplit=1)[0].partition("/")
    form = base[:-1] + "a" if feminine and base.endswith("o") else base
    return (irregular_plural or pluralize(form)) if plural else form


@cache
def short(forms: str, feminine: bool, plural: bool) -> str:
    """The form before a noun: *buen*, *gran*; empty where it is the long one."""
    _, _, shortened = forms.partition("~")
    if plural or (feminine and not shortened.startswith("~")):
        return ""
    return shortened.lstrip("~")


@cache
def present(lemma: str) -> tuple[str, ...]:
    return (
        IRREGULAR[lemma][:5]
        if lemma in IRREGULAR
        else tuple(lemma[:-2] + end for end in PRESENT[lemma[-2:]])
    )


@cache
def preterite(lemma: str) -> tuple[str, ...]:
    """
    >>> preterite("buscar")[0], preterite("llegar")[0], preterite("comer")[2]
    ('busqué', 'llegué', 'comió')
    """
    if len(IRREGULAR.get(lemma, ())) > 5:
        return IRREGULAR[lemma][5:]
    stem = lemma[:-2]
    first, *others = (stem + end for end in PRETERITE[lemma[-2:]])
    if lemma.endswith("car"):
        first = stem[:-1] + "qué"
    elif lemma.endswith("gar"):
        first = stem + "ué"
    return (first, *others)


def after_no(negated: bool, finite: str, role: str) -> list[Tagged]:
    return [(Word("no"), "n"), (Word(finite), role)] if negated else [(Word(finite), role)]


class Spanish(Language):
    """See `Language`."""

    orthography = Orthography(STRESSED_A.__contains__, CONTRACTIONS, frozenset({"de", "a"}))
    object_relative = "que"
    subject_relative = "que"
    conjunction = "y"
    of = "de"
    intensifier = "muy"

    def noun_entry(self, noun: Noun) -> TargetNoun:
        return noun.es

    def adjective_entry(self, adjective: Adjective) -> TargetAdjective:
        return adjective.es

    def pluralize(self, word: str) -> str:
        return pluralize(word)

    def inflect(self, forms: str, agreement: Agreement) -> Word:
        return Word(inflected(forms, agreement.feminine, agreement.plural))

    def adjective(
        self, adjective: Adjective, agreement: Agreement, attributive: bool
    ) -> list[Word]:
        shortened = (
            short(adjective.es.forms, agreement.feminine, agreement.plural) if attributive else ""
        )
        return (
            [Word(shortened)] if shortened else super().adjective(adjective, agreement, attributive)
        )

    def determiner_cells(self, determiner: Determiner) -> Sequence[str]:
        return determiner.es

    def pronoun(self, pronoun: Pronoun) -> str:
        return pronoun.es

    def preposition(self, preposition: Preposition) -> str:
        return preposition.es

    def when(self, when: When) -> str:
        return when.es

    def copula(
        self, adjective: Adjective | None, agreement: Agreement, past: bool, negated: bool
    ) -> list[Tagged]:
        forms = COPULAS[adjective.copula if adjective and adjective.copula else "estar"]
        return after_no(negated, forms[agreement.person + 5 * past], "v")

    def object_mark(self, action: Action) -> list[Word]:
        noun_phrase = action.object
        is_personal = noun_phrase is not None and noun_phrase.noun.kind in PERSONAL
        return [Word("a")] if is_personal and action.verb.es.lemma not in WITHOUT_PERSONAL_A else []

    def verb_group(self, action: Action, agreement: Agreement) -> list[Tagged]:
        verb = action.verb.es
        marker = phrase_words(verb.marker, "v")
        if action.modal:
            finite = present(MODALS[action.modal])[agreement.person]
            return [*after_no(action.negated, finite, "m"), *phrase_words(verb.lemma, "v"), *marker]
        if verb.posture:
            copula = self.copula(None, agreement, action.past, action.negated)
            posture = (
                phrase_words(verb.lemma, "v")
                if verb.fixed
                else [(self.inflect(verb.lemma, agreement), "v")]
            )
            return [*copula, *posture]
        forms = preterite(verb.lemma) if action.past else present(verb.lemma)
        return [*after_no(action.negated, forms[agreement.person], "v"), *marker]
