"""English: pronouns of the third person."""

from crossdoc.lang.language import Pronouns, words

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
