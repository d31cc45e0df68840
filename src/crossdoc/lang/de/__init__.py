"""German: names, titles, function words and dates, and no model: the package index has none.

An installed `de_core_news_*` is used, and finds names; kinship, roles, pronouns and relations are not looked for.
"""

import re

from crossdoc.lang.language import Dates, FunctionWords, Language, NameWords, Titles, words

LANGUAGE = Language(
    "de",
    function_words=FunctionWords(
        articles=words("der die das den dem des ein eine einer einem einen eines"),
        the=words("der die das den dem des"),
        definite=words("der die das den dem des dieser diese dieses"),
        and_=words("und"),
        of=words("von vom"),
        where=words("in im bei nahe aus"),
        entity_edges=re.compile(r"^(?:[Dd](?:er|ie|as|en|em|es))\s+"),
    ),
    titles=Titles(
        female=words("frau königin prinzessin herzogin gräfin baronin freifrau fürstin schwester mutter"),
        male=words("herr herrn könig prinz herzog graf baron freiherr fürst kaiser papst pater bruder vater"),
        neutral=words(
            """dr prof professor professorin präsident präsidentin bundeskanzler bundeskanzlerin kanzler kanzlerin
            minister ministerin general oberst hauptmann richter richterin bürgermeister bürgermeisterin
            abgeordneter abgeordnete kommissar sankt"""
        ),
        telling=words("herr herrn frau dr prof"),
        introducing=words("herr herrn frau dr prof"),
        also=words(
            "herr herrn frau dr prof professor bundeskanzler bundeskanzlerin kanzler kanzlerin minister ministerin"
        ),
        before_first_names=words(
            """könig königin kaiser kaiserin prinz prinzessin papst herzog herzogin fürst fürstin pater bruder schwester
            mutter vater sankt"""
        ),
        names_too=words("dean don duke m major count elder prince king saint st private justice baron bishop"),
    ),
    name_words=NameWords(
        organisations=words(
            """gmbh ag kg ohg ev verein bank universitat hochschule institut stiftung schule krankenhaus kirche museum
            bibliothek verlag gruppe werke verband partei rat ausschuss gewerkschaft bundesamt ministerium"""
        ),
        places=words("strasse platz allee weg brucke fluss see berg tal insel flughafen bahnhof stadion"),
        surnames_too=words("see berg weg tal rat kirche"),
    ),
    dates=Dates(
        months=tuple("januar februar märz april mai juni juli august september oktober november dezember".split()),
        weekdays=("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"),
        date=re.compile(
            r"(?:(?P<day>\d{1,2})\.\s+)?(?:(?P<month>[A-ZÄ][a-zä]{2,8})\.?\s*)?(?P<after>(?!))?(?P<year>1\d{3}|20\d\d)?"
        ),
        leading=re.compile(r"^(?:am|im|seit|den)\s+", re.IGNORECASE),
    ),
)
