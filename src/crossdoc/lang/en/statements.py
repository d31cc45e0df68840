"""English: how a clause says what somebody is, and how it does not."""

from crossdoc.lang.language import Statements, words

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
