"""The few place names that reading news needs by heart: American states with their abbreviations, and countries.

States tell a party-and-state attribute ("D-N.Y.") from a name, and "the state" or "the country" from "the city".
"""

from __future__ import annotations

import re

_STATES = """Alabama Ala AL; Alaska Alaska AK; Arizona Ariz AZ; Arkansas Ark AR; California Calif CA; Colorado Colo CO;
Connecticut Conn CT; Delaware Del DE; Florida Fla FL; Georgia Ga GA; Hawaii Hawaii HI; Idaho Ida ID; Illinois Ill IL;
Indiana Ind IN; Iowa Iowa IA; Kansas Kan KS; Kentucky Ky KY; Louisiana La LA; Maine Me ME; Maryland Md MD;
Massachusetts Mass MA; Michigan Mich MI; Minnesota Minn MN; Mississippi Miss MS; Missouri Mo MO; Montana Mont MT;
Nebraska Neb NE; Nevada Nev NV; New_Hampshire N.H NH; New_Jersey N.J NJ; New_Mexico N.M NM; New_York N.Y NY;
North_Carolina N.C NC; North_Dakota N.D ND; Ohio Ohio OH; Oklahoma Okla OK; Oregon Ore OR; Pennsylvania Pa PA;
Rhode_Island R.I RI; South_Carolina S.C SC; South_Dakota S.D SD; Tennessee Tenn TN; Texas Tex TX; Utah Utah UT;
Vermont Vt VT; Virginia Va VA; Washington Wash WA; West_Virginia W.Va WV; Wisconsin Wis WI; Wyoming Wyo WY"""

_COUNTRIES = """Afghanistan,Albania,Algeria,Angola,Argentina,Armenia,Australia,Austria,Azerbaijan,Bahrain,
Bangladesh,Belarus,Belgium,Bolivia,Bosnia,Botswana,Brazil,Britain,Bulgaria,Burma,Cambodia,Cameroon,Canada,Chad,
Chile,China,Colombia,Congo,Costa Rica,Croatia,Cuba,Cyprus,Czech Republic,Denmark,Ecuador,Egypt,El Salvador,England,
Estonia,Ethiopia,Finland,France,Germany,Ghana,Greece,Guatemala,Haiti,Honduras,Hungary,Iceland,India,Indonesia,Iran,
Iraq,Ireland,Israel,Italy,Jamaica,Japan,Jordan,Kazakhstan,Kenya,Kosovo,Kuwait,Laos,Latvia,Lebanon,Liberia,Libya,
Lithuania,Luxembourg,Macedonia,Malaysia,Mali,Malta,Mexico,Moldova,Mongolia,Morocco,Mozambique,Myanmar,Namibia,
Nepal,Netherlands,New Zealand,Nicaragua,Niger,Nigeria,North Korea,Norway,Oman,Pakistan,Panama,Paraguay,Peru,
Philippines,Poland,Portugal,Qatar,Romania,Russia,Rwanda,Saudi Arabia,Scotland,Senegal,Serbia,Sierra Leone,
Singapore,Slovakia,Slovenia,Somalia,South Africa,South Korea,Soviet Union,Spain,Sri Lanka,Sudan,Sweden,Switzerland,
Syria,Taiwan,Tanzania,Thailand,Tunisia,Turkey,Uganda,Ukraine,United Kingdom,United Arab Emirates,United States,
Uruguay,Uzbekistan,Venezuela,Vietnam,Wales,Yemen,Yugoslavia,Zambia,Zimbabwe,America"""

STATE_OF_ABBREVIATION: dict[str, str] = {}
for _entry in _STATES.split(";"):
    _full, *_short = _entry.split()
    STATE_OF_ABBREVIATION.update(dict.fromkeys([_full.replace("_", " "), *_short], _full.replace("_", " ")))
STATES = frozenset(STATE_OF_ABBREVIATION.values())
COUNTRIES = frozenset(re.sub(r"\s*\n\s*", "", _COUNTRIES).split(","))

# News uses these for one country without ever writing the other form in full.
SAME_PLACE = {
    **dict.fromkeys(("us", "usa", "unitedstates", "unitedstatesofamerica", "america"), "unitedstates"),
    **dict.fromkeys(("uk", "britain", "greatbritain", "unitedkingdom"), "unitedkingdom"),
    **dict.fromkeys(("prc", "china", "peoplesrepublicofchina"), "china"),
    **dict.fromkeys(("ussr", "sovietunion"), "sovietunion"),
    **dict.fromkeys(("uae", "unitedarabemirates"), "unitedarabemirates"),
}


def state_named(text: str) -> str | None:
    """The full name of a state written out or abbreviated.

    >>> state_named("N.Y."), state_named("Texas"), state_named("Paris")
    ('New York', 'Texas', None)
    """
    return STATE_OF_ABBREVIATION.get(text.strip().rstrip("."))
