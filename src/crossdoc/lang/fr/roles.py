"""French: nouns for what people are, and heads of phrases such as "la société"."""

from crossdoc.lang.fr.kinship import NOUNS as KIN
from crossdoc.lang.language import Nominals, Roles, words

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
