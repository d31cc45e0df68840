"""English: nouns and verbs of relations, and the slots in which the other end stands.

Types are those of ACE (Relation Detection and Characterization, 2004 and 2005) that Huang et al. 2009, section 3.3,
use.
"""

from crossdoc.lang.en.kinship import NOUNS as KIN
from crossdoc.lang.en.roles import ROLES
from crossdoc.lang.language import Relations, row, words

PERSON, ORGANISATION, PLACE = "person", "organisation", "place"
DEGREES = words("degree doctorate diploma bachelor master")
DEGREE_VERBS = words("earn receive hold")
NOUNS = (
    row("family", KIN, "of 's", PERSON),
    row("employment", ROLES.roles, "of at for with 's", ORGANISATION),
    row("employment", ROLES.roles - ROLES.portfolios, "+", ORGANISATION),
    row("employment", ROLES.offices, "of 's +", PLACE),
    row("location", ROLES.roles - ROLES.offices, "in from", PLACE, ""),
    row("ownership", "owner co-owner founder co-founder shareholder proprietor landlord", "of in 's +", ORGANISATION),
    row("education", "student graduate alumnus alumna sophomore freshman", "of at from 's +", ORGANISATION),
    row("education", DEGREES, "from at", ORGANISATION, "graduate"),
    row("citizen", "citizen national", "of +", PLACE, ""),
    row("resident", "resident inhabitant", "of +", PLACE, ""),
    row("location", "native", "of +", PLACE, "native"),
)
VERBS = (
    row("family", "marry married", "object to", PERSON, "spouse"),
    row("family", "marry", "passive to", PERSON, "spouse"),
    row("family", "divorce", "object", PERSON, "former spouse"),
    row("employment", "head run", "object", ORGANISATION, "head"),
    row("employment", "lead", "object", ORGANISATION, "leader"),
    row("employment", "chair", "object", ORGANISATION, "chairman"),
    row("employment", "manage", "object", ORGANISATION, "manager"),
    row("employment", "coach", "object", ORGANISATION, "coach"),
    row("employment", "edit", "object", ORGANISATION, "editor"),
    row("employment", "join", "object", ORGANISATION, ""),
    row("employment", "work", "for at with", ORGANISATION, ""),
    row("employment", "play", "for", ORGANISATION, "player"),
    row("employment", "teach", "at", ORGANISATION, "teacher"),
    row("employment", "retire resign", "from", ORGANISATION, ""),
    row("ownership", "own co-own", "object", ORGANISATION, "owner"),
    row("ownership", "found co-found establish", "object", ORGANISATION, "founder"),
    row("education", "graduate", "from", ORGANISATION, "graduate"),
    row("education", DEGREE_VERBS, "from at", ORGANISATION, "graduate"),
    row("education", "study enroll", "at", ORGANISATION, "student"),
    row("education", "attend", "object", ORGANISATION, "student"),
    row("education", "educate", "passive at", ORGANISATION, "student"),
    row("resident", "live reside settle", "in at", PLACE, ""),
    row("resident", "move emigrate", "to", PLACE, ""),
    row("location", "bear", "passive in", PLACE, "birthplace"),
    row("location", "grow", "in", PLACE, "childhood"),
    row("location", "raise", "passive in", PLACE, "childhood"),
    row("location", "die", "in at", PLACE, "deathplace"),
    row("location", "visit", "object", PLACE, ""),
    row("location", "arrive travel fly return speak say stay", "in to", PLACE, ""),
)
BESIDE_NAMES = (
    row("employment", "", "of", ORGANISATION, ""),
    row("location", "", "of from", PLACE, ""),
)

RELATIONS = Relations(
    nouns=NOUNS,
    verbs=VERBS,
    beside_names=BESIDE_NAMES,
    degrees=DEGREES,
    degree_verbs=DEGREE_VERBS,
    schools=words(
        """university college school academy institute seminary conservatory polytechnic harvard yale princeton
        oxford cambridge stanford mit eton juilliard ucla sandhurst"""
    ),
    bridges=words("board department division unit faculty staff office committee operation subsidiary"),
    bridge_prepositions=words("of at"),
)
