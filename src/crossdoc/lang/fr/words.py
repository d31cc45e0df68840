"""French: titles, pronouns, function words, dates, and how a clause says what somebody is."""

import re

from crossdoc.lang.fr.first_names import FIRST_NAMES
from crossdoc.lang.fr.places import COUNTRIES, DEMONYMS
from crossdoc.lang.fr.stop_words import STOP_WORDS
from crossdoc.lang.language import (
    Affiliations,
    Dates,
    FunctionWords,
    NameWords,
    Pronouns,
    Statements,
    Titles,
    words,
)

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
    # Possessives agree with what is possessed, and "lui" is said of both.
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
