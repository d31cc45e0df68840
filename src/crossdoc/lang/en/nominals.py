"""English: heads of phrases such as "the company" and "the senator", by what they stand for."""

from crossdoc.lang.language import Nominals, words

GENERAL_PEOPLE = words("man woman person boy girl gentleman lady")
PEOPLE = GENERAL_PEOPLE | words(
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
GENERAL_ORGANISATIONS = words(
    """company firm corporation organization organisation group business automaker carmaker manufacturer
    conglomerate maker planemaker airframer giant"""
)
ORGANISATIONS = GENERAL_ORGANISATIONS | words(
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
GENERAL_PLACES = words("city town country nation state village")
PLACES = GENERAL_PLACES | words(
    """area borough capital county district island kingdom neighborhood neighbourhood port province region republic
    suburb territory township"""
)

NOMINALS = Nominals(
    people=PEOPLE,
    organisations=ORGANISATIONS,
    places=PLACES,
    general=GENERAL_PEOPLE | GENERAL_ORGANISATIONS | GENERAL_PLACES,
    telling=TELLING,
    countries=words("country nation"),
    states=words("state"),
    # Not "spokesman" or "chairman", which news has long said of women too.
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
