"""English: how a clause says what somebody is, and how it does not."""

from crossdoc.lang.base import Statements, words

NAMING = words("name appoint elect promote install make")

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
)
