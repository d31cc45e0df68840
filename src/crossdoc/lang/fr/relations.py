"""French: nouns and verbs of relations."""

from crossdoc.lang.fr.kinship import NOUNS as KIN
from crossdoc.lang.fr.roles import ROLES
from crossdoc.lang.language import Relations, row, words

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
