"""The nouns, one a line: English, class, French, Spanish, and how it is counted. Add a row and both languages have it.

English: `singular` or `singular/plural` where the plural is irregular. French and Spanish: gender, colon, word, and a
plural after a slash where the rules of `french.py` or `spanish.py` would get it wrong. Counted: nothing for ordinary
nouns, `mass` (*some bread*), `unique` (*the sun*), `single` (never plural here). A second row with the same English
word is a second meaning; it is used only where the class of the first cannot stand.
"""

NOUNS = """
man/men         folk         m:homme       m:hombre
woman/women     folk         f:femme       f:mujer
boy             folk         m:garçon      m:niño
girl            folk         f:fille       f:niña
friend          kin          m:ami         m:amigo
king            role         m:roi         m:rey
queen           role         f:reine       f:reina
teacher         role         m:professeur  m:profesor
doctor          role         m:médecin     m:médico
student         role         m:étudiant    m:estudiante
neighbor        kin          m:voisin      m:vecino
brother         kin          m:frère       m:hermano
sister          kin          f:sœur        f:hermana
farmer          role         m:fermier     m:granjero
artist          role         m:artiste     m:artista
soldier         role         m:soldat      m:soldado
cat             beast        m:chat        m:gato
dog             beast        m:chien       m:perro
mouse/mice      beast        f:souris      m:ratón
horse           beast        m:cheval      m:caballo
cow             beast        f:vache       f:vaca
wolf/wolves     beast        m:loup        m:lobo
bear            beast        m:ours        m:oso
rabbit          beast        m:lapin       m:conejo
bird            winged       m:oiseau      m:pájaro
bat             winged       f:chauve-souris/chauves-souris  m:murciélago
duck            winged       m:canard      m:pato
fly             insect       f:mouche      f:mosca
bee             insect       f:abeille     f:abeja
apple           fruit        f:pomme       f:manzana
orange          fruit        f:orange      f:naranja
pear            fruit        f:poire       f:pera
cake            dish         m:gâteau      m:pastel
egg             dish         m:œuf         m:huevo
bread           meal         m:pain        m:pan        mass
cheese          meal         m:fromage     m:queso      mass
soup            meal         f:soupe       f:sopa       mass
water           plain        f:eau         f:agua       mass
milk            plain        m:lait        f:leche      mass
coffee          drink        m:café        m:café       mass
wine            drink        m:vin         m:vino       mass
book            text         m:livre       m:libro
letter          text         f:lettre      f:carta
newspaper       press        m:journal     m:periódico
key             thing        f:clé         f:llave
knife/knives    thing        m:couteau     m:cuchillo
toy             thing        m:jouet       m:juguete
gift            thing        m:cadeau      m:regalo
box             crate        f:boîte       f:caja
bag             bag          m:sac         f:bolsa
glass           vessel       m:verre       m:vaso       single
bottle          vessel       f:bouteille   f:botella
cup             vessel       f:tasse       f:taza
hat             cloth        m:chapeau     m:sombrero
coat            cloth        m:manteau     m:abrigo
shirt           cloth        f:chemise     f:camisa
dress           cloth        f:robe        m:vestido
shoe            cloth        f:chaussure   m:zapato
watch           jewel        f:montre      m:reloj
ring            jewel        f:bague       m:anillo
lamp            lamp         f:lampe       f:lámpara
candle          candle         f:bougie      f:vela
match           contest      m:match/matchs  m:partido
match           stick        f:allumette   f:cerilla
bat             club         f:batte       m:bate
table           desk         f:table       f:mesa
chair           seat         f:chaise      f:silla
bed             seat         m:lit         f:cama
mat             rug          m:tapis       f:alfombra
door            part         f:porte       f:puerta
window          part         f:fenêtre     f:ventana
roof            top          m:toit        m:techo
house           house        f:maison      f:casa
castle          house        m:château     m:castillo
church          hall         f:église      f:iglesia
school          hall         f:école       f:escuela
bank            institution  f:banque      m:banco
bank            shore        f:rive        f:orilla
hospital        institution  m:hôpital     m:hospital
hotel           institution  m:hôtel       m:hotel
shop            institution  m:magasin     f:tienda
kitchen         room         f:cuisine     f:cocina
room            room         f:chambre     f:habitación
garden          outdoors     m:jardin      m:jardín
street          outdoors     f:rue         f:calle
forest          outdoors     f:forêt       m:bosque
city            town         f:ville       f:ciudad
village         town         m:village     m:pueblo
beach           coast        f:plage       f:playa
bridge          ground       m:pont        m:puente
river           water        f:rivière     m:río
lake            water        m:lac         m:lago
sea             ocean        f:mer         m:mar        unique
spring          water        f:source      m:manantial
car             vehicle      f:voiture     m:coche
train           transit      m:train       m:tren
bus             transit      m:bus         m:autobús
boat            vehicle      m:bateau      m:barco
plane           plane        m:avion       m:avión
tree            plant        m:arbre       m:árbol
flower          bloom        f:fleur       f:flor
question        mind         f:question    f:pregunta
word            mind         m:mot         f:palabra
story           mind         f:histoire    f:historia
idea            idea         f:idée        f:idea
song            song         f:chanson     f:canción
answer          fact         f:réponse     f:respuesta
truth           truth        f:vérité      f:verdad     unique
film            show         m:film        f:película
sun             sky          m:soleil      m:sol        unique
moon            sky          f:lune        f:luna       unique
star            star         f:étoile      f:estrella
light           gleam        f:lumière     f:luz
money           money        m:argent      m:dinero     mass
coin            coin         f:pièce       f:moneda
check           check        m:chèque      m:cheque
piano           instrument   m:piano       m:piano
guitar          instrument   f:guitare     f:guitarra
football        sport        m:football    m:fútbol     mass
tennis          sport        m:tennis      m:tenis      mass
hand            body         f:main        f:mano
eye             body         m:œil/yeux    m:ojo
foot/feet       body         m:pied        m:pie
cold            illness      m:rhume       m:resfriado  single
phone           ringer       m:téléphone   m:teléfono
bell            ringer       f:cloche      f:campana
"""
