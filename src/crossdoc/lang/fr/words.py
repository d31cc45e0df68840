"""French: titles, pronouns, function words, dates, and how a clause says what somebody is."""

import re

from crossdoc.lang.base import (
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
    entity_edges=re.compile(r"^(?:[Ll](?:es?|a)\s+|[Ll]['’]\s?)"),
)
TITLES = Titles(
    female=words("mme madame mlle mademoiselle reine princesse duchesse comtesse baronne sœur soeur mère dame"),
    male=words("m monsieur mr roi prince duc comte baron empereur pape père frère abbé mgr monseigneur sultan tsar"),
    neutral=words(
        """dr docteur docteure pr professeur professeure président présidente sénateur sénatrice juge général colonel
        capitaine commandant lieutenant sergent chancelier ministre gouverneur maire inspecteur commissaire saint
        sainte st maître me le la député députée"""
    ),
    telling=words("m mme mlle monsieur madame mademoiselle dr docteur pr mgr"),
    introducing=words("m mm mme mmes mlle monsieur madame mademoiselle dr pr mgr"),
    also=words("m monsieur madame mademoiselle mme mlle dr docteur pr professeur mgr maitre"),
    names_too=words("dean don duke major count elder prince king saint st private justice baron bishop comte"),
    spelled={"m": "Monsieur"},
    role_of={"dr": "docteur", "pr": "professeur", "mgr": "évêque"},
)
PRONOUNS = Pronouns(
    masculine=words("il"),
    feminine=words("elle"),
    # Possessives agree with what is possessed, and "lui" is said of both.
    either=words("lui son sa ses"),
    plural=words("ils elles eux leur leurs"),
    relative=words("qui dont lequel laquelle"),
    nominative=words("il elle ils elles"),
    accusative=words("lui eux"),
    not_people=words("ce c' c’ cela ça ceci on nous je j' j’ vous tu ils elles"),
    empty=words("il"),
    empty_verbs=words("falloir pleuvoir neiger agir sembler paraître"),
)
MONTHS = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
_MONTH = rf"(?:{'|'.join(MONTHS.split())})"
DATES = Dates(
    months=tuple(MONTHS.split()),
    letters=4,
    weekdays=("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
    date=re.compile(
        r"(?:(?P<day>\d{1,2})(?:er)?\s+)?(?:(?P<month>[A-Za-zéû]{3,9})\.?\s*)?(?P<after>(?!))?(?P<year>1\d{3}|20\d\d)?"
    ),
    leading=re.compile(r"^(?:le|en|au|depuis|vers)\s+", re.IGNORECASE),
    age=re.compile(r"(\d{1,3}) ans"),
    age_after=re.compile(r"\s?(?:,\s(?:âgée?\sde\s)?|\((?:âgée?\sde\s)?)(\d{1,3})\sans\b"),
    years_old=re.compile(r"\b(?:de|à) (\d{1,3}) ans\b"),
    dateline=re.compile(
        rf"""(?:^|(?<=\s))(?P<place>[A-ZÉÈÀÂÎÔ][A-ZÉÈÀÂÎÔ.'’]+(?:[ -][A-ZÉÈÀÂÎÔ.'’]+){{0,3}})
        (?: ,?\s\d{{1,2}}\s{_MONTH} | \s*\((?:AFP|Reuters?|AP|ATS)\) | \s*(?:--|[–—]) )""",
        re.MULTILINE | re.VERBOSE,
    ),
)
AFFILIATIONS = Affiliations(
    religions=words(
        """catholique protestant protestante musulman musulmane juif juive chretien chretienne bouddhiste hindou sikh
        mormon anglican anglicane lutherien calviniste orthodoxe athee chiite sunnite evangelique"""
    ),
    ethnicities=words("kurde arabe berbere tsigane rom maori inuit touareg tutsi hutu"),
    parties=words("socialiste communiste republicain gaulliste ecologiste centriste conservateur liberal travailliste"),
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
FIRST_NAMES = {
    **dict.fromkeys("jean pascal michel andre rene joel emmanuel gabriel yannick maxime valery alexis".split(), 0.0),
    **dict.fromkeys("jocelyn guy laurent lionel".split(), 0.0),
    **dict.fromkeys("laurence florence marion simone".split(), 1.0),
    **{"claude": 0.1, "dominique": 0.4, "camille": 0.7},
}
NAME_WORDS = NameWords(
    organisations=words(
        """sa sarl sas cie compagnie societe groupe universite college lycee institut fondation ecole hopital eglise
        musee bibliotheque banque comite commission association syndicat parti conseil centre union federation
        ministere orchestre theatre"""
    ),
    places=words("rue avenue boulevard place pont riviere lac mont montagne ile aeroport gare stade vallee plage"),
    surnames_too=words("place pont mont lac riviere eglise union"),
    first_names=FIRST_NAMES,
    too_general=words("societe banque groupe universite institut ecole national nationale grand grande nouvelle"),
)
