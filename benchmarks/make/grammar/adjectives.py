"""The adjectives, one a line: English | classes of nouns it fits | French | Spanish | Spanish copula.

French: masculine, then feminine and the form before a vowel after slashes where the rules of `french.py` would get them
wrong. Spanish: masculine, then plural after a slash where irregular, then `~` and the short form before a masculine
singular noun (`bueno~buen`) or `~~` and the one for both genders (`grande~~gran`). Marks in front: `+` stands before
the noun, `!` never changes, `=` is a noun said with *avoir*, *tener* (*avoir froid*). Copula: `ser`, `estar`, `tener`,
or `-` for an adjective that only stands beside its noun. Rows of one English adjective are its meanings; their classes
are disjoint.
"""

ADJECTIVES = """
red       | cloth vehicle furniture rug part fruit building container bloom jewel | rouge | rojo | ser
blue      | cloth rug vehicle part container vessel bloom house | bleu | azul | ser
green     | cloth rug vehicle part plant shore fruit container | vert | verde | ser
yellow    | cloth rug vehicle bloom fruit container house | jaune | amarillo | ser
orange    | cloth rug part container vehicle bloom | !orange | !naranja | ser
white     | cloth beast winged building part furniture vessel bloom vehicle | blanc/blanche | blanco | ser
black     | cloth beast winged vehicle furniture instrument container ringer | noir | negro | ser
brown     | cloth beast furniture container winged | !marron | marrón | ser
grey      | cloth beast winged vehicle part building rug | gris | gris | ser
big       | sizeable transit plane | +grand | grande | ser
small     | sizeable folk role insect thing vessel jewel bloom star lamp club body coin | +petit | pequeño | ser
tall      | folk role | grand | alto | ser
tall      | plant | +grand | alto | ser
long      | text outdoors mind song show ground coast | +long/longue | largo | ser
new       | dateable crate bag thing club show rug | +nouveau/nouvelle/nouvel | +nuevo | -
old       | dateable person beast plant ground jewel song town show | +vieux/vieille/vieil | viejo | ser
young     | person beast winged | +jeune | joven/jóvenes | ser
beautiful | handsome mind song star gleam body | +beau/belle/bel | hermoso | ser
good      | kin role text press food mind idea song show institution | +bon/bonne | +bueno~buen | ser
bad       | text press food idea song show fact institution | +mauvais | +malo~mal | ser
great     | role | +grand | +grande~~gran | -
former    | role | +ancien/ancienne | +antiguo | -
happy     | person | heureux | feliz | ser
sad       | person | triste | triste | estar
sad       | song show | triste | triste | ser
tired     | person beast winged | fatigué | cansado | estar
sick      | person beast winged | malade | enfermo | estar
rich      | person institution town | riche | rico | ser
poor      | person town | pauvre | pobre | ser
strong    | person beast | fort | fuerte | ser
kind      | person | gentil/gentille | amable | ser
lazy      | person beast | paresseux | perezoso | ser
loyal     | person beast | loyal | leal | ser
famous    | person text song show institution | célèbre | famoso | ser
cold      | drinks meal dish waters room building | froid | frío | estar
cold      | person | =froid | =frío | tener
hungry    | person beast winged | =faim | =hambre | tener
thirsty   | person beast winged | =soif | =sed | tener
hot       | drinks meal dish | chaud | caliente | estar
fresh     | meal dish fruit | frais/fraîche | fresco | estar
ripe      | fruit | mûr | maduro | estar
heavy     | container furniture thing | lourd | pesado | ser
light     | container cloth club | léger | ligero | ser
light     | room | clair | luminoso | ser
full      | container vessel transport | plein | lleno | estar
empty     | container vessel transport room building institution | vide | vacío | estar
open      | institution part container text | ouvert | abierto | estar
closed    | institution part container text | fermé | cerrado | estar
dirty     | cloth vessel beast room part transport rug body | sale | sucio | estar
clean     | cloth vessel room part transport rug body | propre | limpio | estar
dry       | cloth shore | sec/sèche | seco | estar
wet       | cloth beast winged shore | mouillé | mojado | estar
muddy     | shore | boueux | embarrado | estar
hard      | furniture | dur | duro | ser
hard      | mind song contest | difficile | difícil | ser
easy      | mind song contest | facile | fácil | ser
right     | body | droit | derecho | -
right     | fact | +bon/bonne | correcto | -
left      | body | gauche | izquierdo | -
broken    | ringer vessel furniture part jewel instrument thing club lamp | cassé | roto | estar
expensive | cloth vehicle jewel furniture institution ringer instrument rug | cher | caro | ser
soft      | rug cloth | doux/douce | suave | ser
important | text press mind idea fact contest person | important | importante | ser
deep      | waters | profond | profundo | ser
wooden    | furniture crate part house ground club | !en bois | !de madera | -
gold      | jewel coin | !en or | !de oro | -
glass     | part vessel lamp | !en verre | !de cristal | -
"""
