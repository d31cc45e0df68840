"""English: what stands before a person's name."""

from crossdoc.lang.language import Titles, words

FEMALE = words(
    """mrs ms miss mme madame madam lady queen princess dame duchess countess baroness empress sister mother señora
    senora frau signora doña tsarina marchioness abbess"""
)
MALE = words(
    """mr mister sir lord king prince duke earl baron emperor pope father brother monsieur señor senor herr signor
    tsar sultan marquess marquis monsignor friar abbot rev reverend"""
)
NEUTRAL = words(
    """dr prof professor president senator judge justice general colonel captain major lieutenant sergeant
    chancellor minister governor mayor detective officer agent inspector chief saint st the"""
)
# "General" and "Chief" also open names of other things.
TELLING = words(
    """mr mrs ms miss dr sen rep gov prof sir lord lady president senator congressman congresswoman mayor judge rev
    reverend sgt sergeant lt capt col gen maj cmdr justice pope"""
)

TITLES = Titles(
    female=FEMALE,
    male=MALE,
    neutral=NEUTRAL,
    telling=TELLING,
    introducing=words("mr mrs ms miss dr sen rep gov prof rev"),
    also=words("mister spokesman spokeswoman congressman congresswoman"),
    # "Dean Smith", "Duke Ellington", "St. Louis".
    names_too=words("dean don duke m major count elder prince king saint st private justice baron bishop"),
    before_first_names=words("sir lady"),
    monarchs=words("king queen emperor empress sultan emir pope"),
    # "Miss." is Mississippi.
    places_too=words("miss"),
    not_first_names=words("Prince King Saint"),
    role_of={
        "sen": "senator", "rep": "representative", "gov": "governor", "dr": "doctor", "prof": "professor",
        "gen": "general", "col": "colonel", "capt": "captain", "lt": "lieutenant", "sgt": "sergeant",
        "congressman": "congressman", "rev": "pastor", "pres": "president",
    },
)  # fmt: skip
