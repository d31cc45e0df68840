"""English words within sentences: function words, kin, roles, nominals, pronouns, dates, statements, relations.

Stop words are scikit-learn's list (BSD licence), from the University of Glasgow's information retrieval group. Types of
relations are those of ACE (Relation Detection and Characterization, 2004 and 2005) that Huang et al. 2009, section 3.3,
use.
"""

import re

from crossdoc.lang.en.place_lists import DEMONYMS
from crossdoc.lang.language import (
    Affiliations,
    Dates,
    FunctionWords,
    Kinship,
    Nominals,
    Pronouns,
    Relations,
    Roles,
    Statements,
    row,
    words,
)

STOP_WORDS = words(
    """a about above across after afterwards again against all almost alone along already also although always am among
    amongst amoungst amount an and another any anyhow anyone anything anyway anywhere are around as at back be
    became because become becomes becoming been before beforehand behind being below beside besides between beyond
    bill both bottom but by call can cannot cant co con could couldnt cry de describe detail do done down due during
    each eg eight either eleven else elsewhere empty enough etc even ever every everyone everything everywhere
    except few fifteen fifty fill find fire first five for former formerly forty found four from front full further
    get give go had has hasnt have he hence her here hereafter hereby herein hereupon hers herself him himself his
    how however hundred i ie if in inc indeed interest into is it its itself keep last latter latterly least less
    ltd made many may me meanwhile might mill mine more moreover most mostly move much must my myself name namely
    neither never nevertheless next nine no nobody none noone nor not nothing now nowhere of off often on once one
    only onto or other others otherwise our ours ourselves out over own part per perhaps please put rather re same
    see seem seemed seeming seems serious several she should show side since sincere six sixty so some somehow
    someone something sometime sometimes somewhere still such system take ten than that the their them themselves
    then thence there thereafter thereby therefore therein thereupon these they thick thin third this those though
    three through throughout thru thus to together too top toward towards twelve twenty two un under until up upon
    us very via was we well were what whatever when whence whenever where whereafter whereas whereby wherein
    whereupon wherever whether which while whither who whoever whole whom whose why will with within without would
    yet you your yours yourself yourselves"""
)
FUNCTION_WORDS = FunctionWords(
    articles=words("the a an"),
    the=words("the"),
    definite=words("the this that these those"),
    and_=words("and"),
    of=words("of"),
    where=words("in at near"),
    stop=STOP_WORDS,
    entity_edges=re.compile(r"^[Tt]he\s+|\s?['’]s?$"),
)
KIN = words(
    """wife husband spouse son daughter child father mother parent brother sister sibling twin uncle aunt cousin
    nephew niece grandfather grandmother grandson granddaughter grandchild grandparent stepfather stepmother
    stepson stepdaughter stepbrother stepsister widow widower fiancé fiancée fiance fiancee ex-wife ex-husband
    half-brother half-sister son-in-law daughter-in-law father-in-law mother-in-law brother-in-law sister-in-law"""
)

KINSHIP = Kinship(
    nouns=KIN,
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
    close=words(
        """mother father wife husband son daughter brother sister uncle aunt cousin nephew niece grandfather
        grandmother grandson granddaughter girlfriend boyfriend friend partner lover fiancé fiancée widow widower
        stepfather stepmother stepson stepdaughter twin child parent colleague assistant mentor student teacher
        rival"""
    ),
    generations={"younger": "jr", "junior": "jr", "elder": "sr", "older": "sr", "senior": "sr"},
)
OFFICES = words(
    """president minister premier king queen prince princess emperor chancellor governor mayor senator congressman
    congresswoman ambassador envoy consul secretary leader dictator ruler treasurer commissioner sheriff"""
)
ROLES_AND_OFFICES = OFFICES | words(
    """chairman chairwoman chairperson chair chief head executive ceo cfo coo director officer official manager
    boss spokesman spokeswoman spokesperson analyst economist strategist trader banker broker lawyer attorney
    counsel accountant consultant adviser advisor partner associate principal researcher scientist engineer
    professor lecturer teacher dean provost chaplain editor reporter correspondent columnist critic journalist
    writer photographer producer anchor presenter coach trainer player striker midfielder defender goalkeeper
    quarterback pitcher captain scout member delegate representative employee worker staffer clerk cashier pilot
    driver technician designer architect doctor surgeon physician nurse professor curator conductor agent
    detective inspector constable superintendent commander colonel general soldier sergeant lieutenant admiral
    marine fellow planner administrator coordinator organizer pastor priest bishop archbishop cardinal rabbi
    imam minister vicar veteran assistant aide deputy treasurer auditor trustee"""
)
_PEOPLE = (
    ROLES_AND_OFFICES
    | KIN
    | words(
        """poet actor actress author artist painter sculptor singer musician composer guitarist drummer dancer comedian
    star celebrity hero champion athlete runner swimmer boxer golfer cyclist explorer pioneer settler colonist
    founder co-founder owner co-owner shareholder investor landlord proprietor publisher inventor entrepreneur
    businessman businesswoman industrialist tycoon billionaire millionaire philanthropist student graduate
    alumnus alumna resident native citizen national immigrant refugee exile widow witness victim suspect
    defendant plaintiff prisoner convict murderer killer thief politician lawmaker candidate legislator activist
    dissident judge justice magistrate juror historian philosopher mathematician physicist chemist biologist
    astronomer psychologist psychiatrist sociologist anthropologist archaeologist carpenter plumber electrician
    farmer fisherman hunter butcher baker chef cook waiter waitress barber tailor guard guide cop policeman
    policewoman fireman firefighter sailor aviator astronaut spy monk nun missionary saint prophet guru scholar
    expert specialist man woman boy girl gentleman lady democrat republican conservative liberal independent
    catholic muslim jew christian friend colleague neighbor neighbour rival opponent successor predecessor
    legend genius amateur rookie newcomer outfielder shortstop forward guitarist novelist playwright
    screenwriter filmmaker mogul heir heiress patriarch matriarch beneficiary"""
    )
)

ROLES = Roles(
    offices=OFFICES,
    roles=ROLES_AND_OFFICES,
    people=_PEOPLE,
    endings=("man", "woman", "ist"),
    # "Defense Secretary" has a portfolio in front, not an employer.
    portfolios=words("secretary minister"),
    adjectives=words(
        """former acting interim chief senior executive general managing prime foreign deputy vice assistant late"""
    ),
    says_nothing=words("man woman boy girl lady gentleman predecessor successor friend member other former"),
    same={
        "representative": words("congressman congresswoman lawmaker"),
        "senator": words("lawmaker"),
        "lawyer": words("attorney"),
        "attorney": words("lawyer"),
        "doctor": words("physician"),
        "ceo": words("chief executive"),
        "president": words("leader"),
    },
    female=words(
        """woman girl lady mother wife daughter sister aunt niece grandmother granddaughter girlfriend fiancée
        widow stepmother stepdaughter stepsister godmother ex-wife actress heroine waitress hostess nun
        housewife queen princess duchess countess baroness empress goddess spokeswoman businesswoman chairwoman
        congresswoman policewoman sportswoman noblewoman saleswoman schoolgirl mum mom half-sister bride"""
    ),
    male=words(
        """man boy gentleman father husband son brother uncle nephew grandfather grandson boyfriend fiancé widower
        stepfather stepson stepbrother godfather ex-husband hero waiter monk priest king prince duke earl baron
        emperor businessman congressman policeman sportsman nobleman salesman schoolboy dad half-brother bishop
        archbishop pope cardinal groom"""
    ),
)
_GENERAL_PEOPLE = words("man woman person boy girl gentleman lady")
_PERSON_HEADS = _GENERAL_PEOPLE | words(
    """actor actress adviser advisor agent aide ambassador analyst anchor architect artist assistant astronaut
    athlete attorney author ballplayer banker biologist bishop boss boxer brother builder businessman
    businesswoman candidate captain carpenter cardinal catcher champion chancellor chairman chairperson
    chairwoman chef chemist chief clerk coach colonel columnist comedian commander commissioner composer
    conductor congressman congresswoman consultant contractor coordinator counsel critic cousin dancer daughter
    dean defendant defender democrat deputy designer detective dictator diplomat director doctor driver
    economist editor emperor engineer executive farmer father filmmaker founder fugitive general goalkeeper
    governor grandfather grandmother guard guitarist historian husband inspector inventor investigator investor
    journalist judge jockey juror justice king lawmaker lawyer leader lecturer legislator lieutenant manager
    mayor mechanic midfielder minister mother musician nephew niece novelist nurse officer official owner
    painter pastor patient philosopher photographer physician physicist pilot pitcher player playwright poet
    policeman politician pope premier president priest prince princess principal producer professor prosecutor
    psychiatrist psychologist publisher quarterback queen rabbi ranger reporter representative republican
    researcher retiree scholar scientist sculptor secretary senator sergeant sheriff shortstop singer sister
    skipper soldier son spokesman spokesperson spokeswoman star statesman striker student superintendent surgeon
    suspect teacher teenager treasurer trainer trustee uncle veteran victim volunteer widow widower wife witness
    worker wrestler writer youth ceo"""
)
_GENERAL_ORGANISATIONS = words(
    """company firm corporation organization organisation group business automaker carmaker manufacturer
    conglomerate maker planemaker airframer giant"""
)
_ORGANISATION_HEADS = _GENERAL_ORGANISATIONS | words(
    """administration agency airline airport alliance army association automaker authority bank board brewer broker
    brokerage bureau carmaker carrier chain charity church club college commission committee conglomerate
    consortium council court department distributor exchange federation foundation fund giant government
    hospital institute institution insurer league library lender maker manufacturer ministry museum newspaper
    orchestra paper parliament partnership party police producer publisher regulator retailer school senate
    studio subsidiary supplier team theater theatre university union utility venture"""
)
# Not "judge", "lawyer" or "wife", "court" or "police", who come into a text about others.
TELLING = words(
    """actor actress artist athlete author billionaire boxer businessman businesswoman champion comedian composer
    filmmaker fugitive guitarist midfielder musician novelist painter pitcher player playwright poet politician
    quarterback singer star striker teenager veteran wrestler writer youth
    agency airline association bank brewer broker brokerage carrier chain charity club college exchange federation
    foundation fund hospital insurer institute lender library ministry museum newspaper orchestra paper regulator
    retailer school studio team union university utility"""
)
_GENERAL_PLACES = words("city town country nation state village")
_PLACE_HEADS = _GENERAL_PLACES | words(
    """area borough capital county district island kingdom neighborhood neighbourhood port province region republic
    suburb territory township"""
)

NOMINALS = Nominals(
    people=_PERSON_HEADS,
    organisations=_ORGANISATION_HEADS,
    places=_PLACE_HEADS,
    general=_GENERAL_PEOPLE | _GENERAL_ORGANISATIONS | _GENERAL_PLACES,
    telling=TELLING,
    countries=words("country nation"),
    states=words("state"),
    # Not "spokesman" or "chairman", which news has long used for women too.
    male=words(
        """man boy gentleman father son brother husband uncle nephew grandfather grandson widower king prince
        policeman businessman congressman statesman priest pope"""
    ),
    female=words(
        """woman girl lady mother daughter sister wife aunt niece grandmother granddaughter widow queen princess
        actress businesswoman chairwoman congresswoman spokeswoman"""
    ),
    endings={"woman": "person", "man": "person", "person": "person", "maker": "organisation"},
    no_compounds=words("human german roman layman peacemaker filmmaker lawmaker"),
)
PRONOUNS = Pronouns(
    masculine=words("he him his himself"),
    feminine=words("she her hers herself"),
    plural=words("they them their theirs themselves"),
    thing=words("it its itself"),
    relative=words("who whom whose which"),
    relative_of_things=words("which"),
    reflexive=words("himself herself themselves"),
    nominative=words("he she they"),
    accusative=words("him them himself herself themselves"),
    accusative_or_possessive=words("her"),
    not_people=words("it this that these those we i you they there"),
    speakers=words("i we us my our your"),
    empty=words("it"),
    empty_verbs=words("seem appear happen turn follow matter rain snow"),
)
MONTHS = "january february march april may june july august september october november december"
_MONTH = r"(?:Jan|Feb|March|Mar|April|Apr|May|June|Jun|July|Jul|Aug|Sept|Sep|Oct|Nov|Dec)[a-z]*\.?"
_DATELINE = re.compile(
    rf"""(?:^|(?<=\s))(?P<place>[A-Z][A-Z.'’]+(?:[ -][A-Z][A-Z.'’]+){{0,3}})   # all capitals
    (?:,\s[A-Z][A-Za-z.]+(?:\s[A-Z][a-z.]+)?)??                          # the state or country
    (?: (?:,?\s{_MONTH}\s\d{{1,2}})? (?:\s*\([A-Z][\w .]{{1,30}}\))? \s*(?:--|[–—_])
      | ,\s{_MONTH}\s\d{{1,2}} \s*(?:\([A-Z][\w .]{{1,30}}\)\s*)?[-,]
      | \s*\((?:AP|UPI|Reuters?|AFP|CNN|Xinhua)\)
      | \s\d{{4}}-\d\d-\d\d )""",
    re.MULTILINE | re.VERBOSE,
)

DATES = Dates(
    months=tuple(MONTHS.split()),
    weekdays=("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    date=re.compile(
        r"(?:(?P<day>\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?)?(?:(?P<month>[A-Z][a-z]{2,8})\.?,?\s*)?"
        r"(?:(?P<after>\d{1,2})(?:st|nd|rd|th)?\b,?\s*)?(?P<year>1\d{3}|20\d\d)?"
    ),
    leading=re.compile(r"^(?:on|in|the|last)\s+", re.IGNORECASE),
    age=re.compile(r"(\d{1,3})(?: years? old)?"),
    age_after=re.compile(r"\s?(?:,\s(?:aged?\s)?|\((?:aged?\s)?)(\d{1,3})(?:,|\)|\.\s|;|$|\swho\b)"),
    years_old=re.compile(r"\b(\d{1,3})[- ]years?[- ]old\b"),
    dateline=_DATELINE,
)
AFFILIATIONS = Affiliations(
    religions=words(
        """catholic protestant muslim moslem jewish jew christian buddhist hindu sikh mormon methodist baptist
        lutheran anglican presbyterian episcopalian episcopal quaker atheist shiite sunni evangelical
        pentecostal bahai"""
    ),
    ethnicities=words(
        """africanamerican asianamerican hispanic latino latina kurd kurdish arab cherokee navajo sioux apache
        mohawk maori inuit tutsi hutu roma romany aboriginal caucasian nativeamerican black"""
    ),
    demonyms=DEMONYMS,
    parties=words(
        """democrat democratic republican conservative tory labour labor liberal socialist communist socialdemocrat
        christiandemocrat liberaldemocrat"""
    ),
    party_letters={"D": "Democrat", "R": "Republican", "I": "Independent"},
)
NAMING = words("name appoint elect promote install make")

# Counted after 24,660 people and 30,349 other names of AIDA train and FRUS; most are twice as frequent after people.
OF_PEOPLE = words(
    """say said saying tell told telling ask asked asking reply replied replying answer answered add added adding
    state stated declare declared note noted noting remark remarked comment commented mention mentioned explain
    explained explaining argue argued claim claimed insist insisted suggest suggested propose proposed warn warned
    emphasize emphasized stress stressed reiterate reiterated repeat repeated respond responded inquire inquired
    observe observed express expressed indicate indicated conclude concluded agree agreed think thinks thought
    believe believes believed feel felt know knows knew wonder wondered hope hoped hoping doubt doubted fear feared
    understand understood realize realized recall recalled recalling remember remembered suppose supposed smile smiled
    laugh laughed nod nodded speak spoke talk talked describe described urge urged deny denied admit admitted
    acknowledge acknowledged recommend recommended assure assured complain complained concur concurred pointed
    asserted informed thanked confirmed wrote discussed reviewed met went arrived returned himself herself"""
)

STATEMENTS = Statements(
    be="be",
    copulas=words("be become remain"),
    naming=NAMING,
    serving=words("serve work act") | NAMING,
    as_=words("as"),
    life={"bear": "born", "die": "died"},
    doubtful_auxiliaries=words("would could might may should can must 'd"),
    doubting=words("deny doubt dispute reject refute"),
    conditions=words("if unless whether"),
    no_longer=words("longer"),
    kept_prepositions=words("of at for in with from on to"),
    of_people=OF_PEOPLE,
    auxiliaries=words(
        """has had have would could might may will also then again later further did does not never still now just
        already"""
    ),
)
PERSON, ORGANISATION, PLACE = "person", "organisation", "place"
DEGREES = words("degree doctorate diploma bachelor master")
DEGREE_VERBS = words("earn receive hold")
_NOUNS = (
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
_VERBS = (
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
_BESIDE_NAMES = (
    row("employment", "", "of", ORGANISATION, ""),
    row("location", "", "of from", PLACE, ""),
)

RELATIONS = Relations(
    nouns=_NOUNS,
    verbs=_VERBS,
    beside_names=_BESIDE_NAMES,
    degrees=DEGREES,
    degree_verbs=DEGREE_VERBS,
    schools=words(
        """university college school academy institute seminary conservatory polytechnic harvard yale princeton
        oxford cambridge stanford mit eton juilliard ucla sandhurst"""
    ),
    bridges=words("board department division unit faculty staff office committee operation subsidiary"),
    bridge_prepositions=words("of at"),
)
