"""English: words within names of organisations and places."""

from crossdoc.lang.base import NameWords, words

NAME_WORDS = NameWords(
    organisations=words(
        """inc corp corporation co company ltd plc llc gmbh ag bros brothers associates partners group holdings
        industries university college institute foundation school hospital church museum library press bank
        airlines airways records committee commission association union party council center centre records
        motors"""
    ),
    places=words(
        """street st avenue ave road rd boulevard blvd lane drive square park river lake mountain county township
        airport bridge island islands valley beach stadium arena building highway tunnel plaza terrace bay creek
        heights"""
    ),
    # "Frank Church", "Rosa Park", "Joyce Brothers".
    surnames_too=words(
        """st drive lane bay church press park lake river school center brothers union bridge heights"""
    ),
    not_surnames=words("Korea Ireland Virginia Carolina Dakota Africa America Cup Open Day Act"),
    with_article=words("Hague Bronx"),
    # "General" is no short form of General Motors, nor "National" of the National Cycling Association.
    too_general=words(
        """general national american united first new north south east west international federal royal british
        city state world university bank department ministry board house institute college school church
        committee commission council court association european central great big air"""
    ),
    derived=words(
        """foundation institute research store stores fund museum center centre field park stadium award awards
        press ventures university school hospital library building plaza canada europe asia japan china union"""
    ),
)
