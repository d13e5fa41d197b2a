"""The verbs and prepositions, one a line.

Verbs: English base, past, and a particle | classes of subjects | classes of objects | prepositions that may follow |
French infinitive | Spanish infinitive | marks. A preposition after `+` is what the target language puts before the
object (*jouer du piano*). French `*` takes *être*. `=` is a posture said with *être*, *estar* (*est assis*), and `=!`
one whose word never changes (*est debout*). Marks: `present` (no past here), `place` (never without its place),
`plain` (never after *want*, *need*, *can*), `positive` (never negated). Rows
of one English verb are its meanings; their objects are disjoint.
"""

VERBS = """
see saw          | creature | alive object place waters shore sky star gleam plane plant body | | voir | ver
love loved       | person | person beast winged town outdoors song idea | | aimer | amar | plain
chase chased     | creature | beast winged insect person | | chasser | perseguir
eat ate          | creature | fruit dish meal | | manger | comer
drink drank      | person | drinks | | boire | beber
drink drank      | beast winged | plain | | boire | beber
buy bought       | person | object food vehicle club stick furniture rug house bloom | | acheter | comprar
sell sold        | person | object food vehicle club stick furniture rug house bloom | | vendre | vender
open opened      | person | part container institution text | | ouvrir | abrir
close closed     | person | part container institution text | | fermer | cerrar
find found       | creature | thing container cloth plain cash stick club ringer | | trouver | encontrar
find found       | person | text jewel vessel idea fact truth | | trouver | encontrar
hear heard       | creature | beast winged insect person song ringer transport plane | | entendre | oír
write wrote      | person | text mind song | | écrire | escribir
carry carried    | person | container thing text furniture vessel instrument | | porter | llevar
wear wore        | person | cloth jewel | | porter | llevar
hold held        | person | thing text vessel club stick cash bloom candle body | | tenir | sostener
break broke      | person | vessel part lamp thing furniture club stick | | casser | romper
watch watched    | creature | alive | | regarder | mirar
watch watched    | person | contest show sky star body | | regarder | mirar
follow followed  | person beast winged | alive transport | | suivre | seguir
help helped      | person | person beast | | aider | ayudar
know knew        | person | person town song mind | | connaître | conocer | present
know knew        | person | fact truth | | savoir | saber | present
want wanted      | person | object food vehicle bloom money furniture rug | | vouloir | querer | present
have had  | person | object beast winged vehicle house cash idea instrument ringer rug | | avoir | tener | present
have had         | person | illness | | avoir | tener | present positive
play played      | person | instrument | | jouer+de | tocar
play played      | person | sport | | jouer+à | jugar+a
bank banked      | person | cash | | déposer | depositar
light lit        | person | lamp candle stick | | allumer | encender
win won          | person | contest | | gagner | ganar
lose lost        | person | contest thing jewel cash text cloth | | perdre | perder | plain
sing sang        | person | song | | chanter | cantar
wait waited for  | person | person transport | | attendre | esperar
look looked for  | creature | person beast winged plain | | chercher | buscar
look looked for  | person | thing text jewel cash fact truth idea stick ringer | | chercher | buscar
visit visited    | person | institution building town | | visiter | visitar
clean cleaned    | person | cloth vessel room furniture part transport instrument rug | | nettoyer | limpiar
paint painted    | person | building part furniture room bloom plant vehicle body | | peindre | pintar
sleep slept      | person beast winged | | on in under near behind by with | dormir | dormir
run ran          | person beast | | in near behind by with | courir | correr
sing sang        | person winged | | in near under with | chanter | cantar
play played      | person beast | | in near by with on | jouer | jugar
work worked      | person | | at in with | travailler | trabajar
fly flew         | winged insect plane | | near | voler | volar
dance danced     | person | | in with on | danser | bailar
walk walked      | person beast | | in by with on behind | marcher | caminar
live lived       | person | | in near by with | habiter | vivir | place
cry cried        | person | | in | pleurer | llorar
fall fell        | person object | | | *tomber | caer
arrive arrived   | person transport plane | | with | *arriver | llegar
ring rang        | ringer | | | sonner | sonar
shine shone      | sky star gleam lamp jewel | | | briller | brillar
burn burned      | candle stick house plant | | | brûler | arder
sit sat          | person beast winged | | on in under near by with | =assis | =sentado
stand stood      | person | | in near behind front by with on | =!debout | =!de pie
"""

# key, English | classes of subjects | classes of the place | French | Spanish
PREPOSITIONS = """
on     | on          | animal object | furniture rug | sur | sobre
on     | on          | person | seat rug | sur | sobre
on     | on          | alive | ground coast shore | sur | en
in     | in          | person | room outdoors town house | dans | en
in     | in          | animal | room outdoors house | dans | en
in     | in          | object | container room | dans | en
in     | in          | building institution | town | dans | en
under  | under       | animal object | furniture | sous | debajo de
under  | under       | person animal | plant | sous | debajo de
near   | near        | alive building institution transport | landmark | près de~d' | cerca de
near   | near        | object | part | près de~d' | cerca de
near   | near        | plane | town | près de~d' | cerca de
behind | behind      | alive transport | building institution plant | derrière | detrás de
front  | in front of | alive transport | building institution | devant | delante de
by     | by          | alive building institution | waters | au bord de~d' | junto a
at     | at          | person | institution | à | en
with   | with        | person animal | person | avec | con
with   | with        | animal | beast winged | avec | con
"""

# classes of the head | classes of the noun after *of* | article there
OF = """
shore  | water | the
part   | building room transport institution | the
top    | building institution | the
person | town | the
vessel | drinks | bare
"""
