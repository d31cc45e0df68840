"""French: words for kin."""

from crossdoc.lang.language import Kinship, words

NOUNS = words(
    """femme mari épouse époux conjoint conjointe compagnon compagne fils fille enfant père mère parent frère sœur
    soeur jumeau jumelle oncle tante cousin cousine neveu nièce grand-père grand-mère petit-fils petite-fille
    beau-père belle-mère beau-fils belle-fille beau-frère belle-sœur demi-frère demi-sœur veuf veuve fiancé fiancée
    ex-mari ex-femme gendre bru"""
)

KINSHIP = Kinship(
    nouns=NOUNS,
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
    close=NOUNS | words("ami amie collègue compagnon assistant assistante élève professeur rival rivale"),
    generations={"junior": "jr", "cadet": "jr", "aîné": "sr", "senior": "sr"},
)
