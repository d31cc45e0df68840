"""English: words for kin."""

from crossdoc.lang.language import Kinship, words

NOUNS = words(
    """wife husband spouse son daughter child father mother parent brother sister sibling twin uncle aunt cousin
    nephew niece grandfather grandmother grandson granddaughter grandchild grandparent stepfather stepmother
    stepson stepdaughter stepbrother stepsister widow widower fiancé fiancée fiance fiancee ex-wife ex-husband
    half-brother half-sister son-in-law daughter-in-law father-in-law mother-in-law brother-in-law sister-in-law"""
)
CLOSE = words(
    """mother father wife husband son daughter brother sister uncle aunt cousin nephew niece grandfather
    grandmother grandson granddaughter girlfriend boyfriend friend partner lover fiancé fiancée widow widower
    stepfather stepmother stepson stepdaughter twin child parent colleague assistant mentor student teacher
    rival"""
)

KINSHIP = Kinship(
    nouns=NOUNS,
    groups={
        "wife": "wife husband spouse widow widower",
        "child": "son daughter child",
        "parent": "father mother parent",
        "sibling": "brother sister sibling twin",
        "uncle": "uncle aunt",
        "nephew": "nephew niece",
        "grandchild": "grandson granddaughter grandchild",
        "grandparent": "grandfather grandmother grandparent",
        "cousin": "cousin",
    },
    inverse={
        "wife": ("husband", "wife", "spouse"),
        "child": ("father", "mother", "parent"),
        "parent": ("son", "daughter", "child"),
        "sibling": ("brother", "sister", "sibling"),
        "uncle": ("nephew", "niece", "nephew or niece"),
        "nephew": ("uncle", "aunt", "uncle or aunt"),
        "grandchild": ("grandfather", "grandmother", "grandparent"),
        "grandparent": ("grandson", "granddaughter", "grandchild"),
        "cousin": ("cousin", "cousin", "cousin"),
    },
    relative="relative",
    kept_adjectives=words("former"),
    children=words("son daughter grandson granddaughter nephew niece"),
    parents=words("father mother grandfather grandmother uncle aunt"),
    close=CLOSE,
    generations={"younger": "jr", "junior": "jr", "elder": "sr", "older": "sr", "senior": "sr"},
)
