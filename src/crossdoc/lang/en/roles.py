"""English: nouns for what people are."""

from crossdoc.lang.en.kinship import NOUNS as KIN
from crossdoc.lang.language import Roles, words

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
PEOPLE = (
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
    people=PEOPLE,
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
