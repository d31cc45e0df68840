"""Names that people share with places, companies and clubs: the sentence decides."""

from spacy.language import Language

from crossdoc.extract.mentions import find_mentions
from crossdoc.extract.truecase import CaseCounts

PEOPLE = """
President Washington signed the letter, and Washington said that he was tired.|Washington
Mr. Lincoln spoke for an hour. Lincoln told the crowd that the war was over.|Lincoln
Paris Hilton said that she would come. Mrs. Hilton left early.|Hilton
President Ford said on Monday that he would veto the bill.|Ford
Henry Ford believed in high wages; his wife agreed with Ford.|Ford
General Houston said that his men were hungry.|Houston
Senator Austin told reporters that he had not decided.|Austin
Mr. Denver thinks that his brother is wrong.|Denver
Jack London wrote novels. London said that he wrote a thousand words a day.|Jack London
Mrs. Jackson, a widow, said that she knew nothing.|Jackson
Judge Madison asked the witness whether she had seen him.|Madison
Dr. Lansing said that the patient would live.|Lansing
Governor Cleveland believed that his party would win.|Cleveland
Professor Lancaster says she has found the cause.|Lancaster
Colonel Sheffield agreed that his regiment was late.|Sheffield
Miss Florence Nightingale told her nurses to rest.|Florence Nightingale
Mr. Wells Fargo is a name he invented, said Mr. Chase.|Chase
Mr. Morgan said he would sell the bank.|Morgan
Senator Dole thought that his plan was better.|Dole
Mr. Disney said that he had drawn the mouse himself.|Disney
""".strip().splitlines()
PLACES = """
They met in Washington, and the train from Washington was late.|Washington
The fair was held in Lincoln, Nebraska.|Lincoln
He lived in Paris for ten years before he moved to Rome.|Paris
The flood reached Houston, Texas, on Sunday.|Houston
Snow fell in Denver and near Austin.|Denver
The road from Madison to Milwaukee was closed.|Madison
She was born in Florence, in the north of Italy.|Florence
The ships left London for Sydney.|London
A fire broke out in Cleveland, Ohio.|Cleveland
The delegates arrived in Lansing, Michigan.|Lansing
Workers in Sheffield went on strike.|Sheffield
The army marched from Lancaster to York.|Lancaster
He was governor of the state of Georgia for two years.|Georgia
Troops were sent to Jordan and to Lebanon.|Jordan
The talks in Jackson, Mississippi, failed.|Jackson
Farmers near Charlotte, North Carolina, lost their crops.|Charlotte
The river flows through Victoria, in Australia.|Victoria
They flew from Dallas to San Diego.|Dallas
The mayor of Santiago opened the bridge in Santiago.|Santiago
Tourists in Salzburg heard Mozart.|Salzburg
""".strip().splitlines()
ORGANISATIONS = """
Ford Motor Co. said that it would close two plants.|Ford Motor Co.
Shares of Morgan Stanley & Co. fell by a tenth.|Morgan Stanley & Co.
The Washington Post Co. bought three stations.|Washington Post Co.
Chrysler Corp. said its profit rose.|Chrysler Corp.
Lincoln National Corp. raised its dividend.|Lincoln National Corp.
Walt Disney Co. will build a park.|Walt Disney Co.
Johnson & Johnson withdrew the drug.|Johnson & Johnson
Cleveland Electric Co. cut its rates.|Cleveland Electric Co.
The Bank of Boston lowered its rates.|Bank of Boston
Houston Industries Inc. sold its railway.|Houston Industries Inc.
Manchester United beat Leeds United in the final.|Manchester United
Real Madrid signed a new goalkeeper.|Real Madrid
The Chicago Bulls won their third title.|Chicago Bulls
Denver Broncos beat the New York Giants.|Denver Broncos
The London School of Economics published a report.|London School of Economics
Columbia University opened a new laboratory.|Columbia University
Georgia Institute of Technology hired him.|Georgia Institute of Technology
The Church of England elected a bishop.|Church of England
The University of Paris was founded early.|University of Paris
Sears, Roebuck & Co. closed its catalogue.|Sears, Roebuck & Co.
""".strip().splitlines()
KNOWN_MISSES = 1
"""Sentences of sixty whose name has another type or other boundaries: "Real Madrid" is cut."""


def test_sixty_names_have_the_type_that_their_sentence_gives_them(nlp: Language) -> None:
    kinds = (("person", PEOPLE), ("place", PLACES), ("organisation", ORGANISATIONS))
    texts = [(kind, *line.split("|")) for kind, lines in kinds for line in lines]
    assert len(texts) == 60
    cases = CaseCounts().update(text for _, text, _ in texts)
    missed = []
    for kind, text, name in texts:
        doc = nlp(text)
        named = [mention for mention in find_mentions(doc, cases=cases) if mention.kind == "name"]
        found = {(mention.text(doc), mention.type) for mention in named}
        if not any(type_ == kind and own in (name, f"the {name}", f"The {name}") for own, type_ in found):
            missed.append((name, kind, found))
    assert len(missed) <= KNOWN_MISSES, missed
