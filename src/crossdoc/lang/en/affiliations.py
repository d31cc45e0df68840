"""English: faiths, peoples and parties, folded."""

from crossdoc.lang.en.places import DEMONYMS
from crossdoc.lang.language import Affiliations, words

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
