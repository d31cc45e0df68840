"""Words of names in English texts, folded (lower-case, without marks), except titles, which are as written."""

from __future__ import annotations

MALE_TITLES = frozenset("mr sir lord king prince father brother monsieur m herr señor don".split())
FEMALE_TITLES = frozenset("mrs ms miss lady queen princess sister madame mme mlle frau señora doña dame".split())
TITLES = (
    MALE_TITLES
    | FEMALE_TITLES
    | frozenset(
        """dr doctor prof professor president vice governor gov senator sen representative rep congressman
        congresswoman chairman chairwoman mayor judge justice chief general gen colonel col captain capt major maj
        lieutenant lt sergeant sgt corporal cpl private pvt admiral adm commander cmdr secretary minister premier
        chancellor ambassador pope cardinal bishop archbishop rev reverend pastor rabbi imam sheikh saint st officer
        detective inspector sheriff coach attorney dean elder hon honorable baron baroness count countess duke duchess
        emperor emir sultan président docteur professeur ministre sénateur gouverneur maire juge général""".split()
    )
)
FIRST_NAMES_TOO = frozenset("dean don duke m".split())
"""Titles that are first names more often when one word follows: "Dean Smith", "Don Imus", but "Dean Mary Jones"."""
SUFFIXES = frozenset("jr sr junior senior ii iii iv esq phd md qc kc mp obe".split())
SAME_SUFFIX = {"junior": "jr", "senior": "sr"}
GENERATIONS = frozenset("jr sr ii iii iv".split())
"""Suffixes that distinguish a son from his father; "MD" and "Esq." do not."""
PARTICLES = frozenset(
    """van von der den de la le du da di del della dos das ter ten zu zur al el bin bint ibn abu umm ben abdul abdel abd
    ould st mac""".split()
)
LEGAL_FORMS = frozenset(
    """inc corp corporation co company ltd limited plc llc llp lp sa ag gmbh nv bv spa kk group holdings holding cie
    sarl""".split()
)
SMALL_WORDS = frozenset("the of and for in on at a an to de la le les du des et von und für der die das del".split())
FORMS_OF_FIRST_NAMES = {
    form: forms.split()[0]
    for forms in """aleksandr alexander oleksandr aleksander alyaksandr; andrei andrey andriy andrej; dmitri dmitry
        dmytro dmitriy; mikhail mykhailo michail mikhayil; nikolai nikolay mykola nikolaj; sergei sergey serhiy sergej
        serge; vladimir volodymyr wladimir uladzimir; yevgeny evgeny yevhen evgeni jewgeni; yuri yury iouri juri yuriy;
        muhammad mohammed mohamed mohammad muhammed mohamad; yusuf yousef youssef yousuf; ahmad ahmed; hussein hussain
        husayn husain; umar omar; usama osama; yasir yasser; muammar moammar; georgi georgy heorhiy; pavel pavlo; pyotr
        petr petro piotr; wojciech voytek""".split(";")
    for form in forms.split()
}
"""First names that are written otherwise in other alphabets' transliterations, by one form of each."""
CONJUNCTIONS = frozenset({"and"})
"""Words that join the names of two people."""
DESIGNATORS = frozenset(
    """city state county town village republic kingdom commonwealth province canton ville stadt kanton republique land
    fc afc ac cf sc sv ss as cd rc fk nk sk hc vfb vfl msv tsv usc tv radio hotel agence deutsche""".split()
)
"""Words before the name proper of a place, a club or a house, which may be left out."""
HEADS = frozenset(
    """times post news herald journal tribune star sun press mail express united city town county state motors airlines
    airways records industries party union bank university college institute foundation school hospital church museum
    library committee commission association council center ministry department government group house court office
    agency service board team club rangers army police force republic islands island street bay river lake park north
    south east west coast st saint san santa""".split()
)
"""Words of many names: alone they are no short form of any."""
BODIES_OF_MANY = frozenset({"treasury", "congress"})
"""Bodies that many countries have, each called so alone where it is clear whose it is."""
SPELLED_OTHERWISE = {
    **dict.fromkeys(("centre", "centres"), "center"),
    **{"defence": "defense", "labour": "labor", "harbour": "harbor", "programme": "program", "theatre": "theater"},
    **{"st": "saint", "mt": "mount", "ft": "fort", "n": "north", "s": "south", "e": "east", "w": "west"},
    **{"intl": "international", "natl": "national", "assn": "association", "dept": "department", "govt": "government"},
    **{"univ": "university", "utd": "united", "bros": "brothers", "mfg": "manufacturing"},
}
"""Words of organisations' and places' names in one spelling for all."""
ALSO_CALLED = {
    **dict.fromkeys(("fed", "federalreserveboard", "federalreservesystem", "usfederalreserve"), "federalreserve"),
    **{"bigboard": "newyorkstockexchange", "nyse": "newyorkstockexchange", "bundesbank": "deutschebundesbank"},
    **{"manunited": "manchesterunited", "mancity": "manchestercity", "mideast": "middleeast"},
    **{"un": "unitednations", "eu": "europeanunion"},
    **{"russianfederation": "russia", "chechenrepublic": "chechnya", "uspostalservice": "postalservice"},
}
"""Organisations and places that are called otherwise than their names would have it, as one word."""
