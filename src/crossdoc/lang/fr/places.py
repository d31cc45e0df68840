"""French: countries and large cities, and what the people of countries are called, without accents.

Codes are those of the gazetteer: continents with a plus, countries, divisions.
"""

from crossdoc.lang.language import by_code, words

COUNTRIES = words(
    """france allemagne angleterre grandebretagne ecosse irlande paysdegalles suisse belgique italie espagne portugal
    paysbas hollande luxembourg autriche hongrie autrichehongrie pologne tchecoslovaquie slovaquie slovenie
    croatie serbie bosnie albanie grece bulgarie roumanie russie ukraine lituanie lettonie estonie finlande suede
    norvege danemark islande turquie armenie israel palestine liban syrie jordanie irak iran egypte libye tunisie
    algerie maroc senegal mali cameroun congo rwanda ethiopie kenya nigeria afriquedusud etatsunis canada quebec
    mexique cuba haiti bresil argentine chili colombie perou venezuela chine japon coree vietnam thailande inde
    pakistan afghanistan indonesie philippines australie nouvellezelande urss yougoslavie prusse baviere saxe
    corse europe asie afrique amerique paris londres berlin rome madrid bruxelles vienne moscou berne geneve lyon
    marseille lausanne newyork washington pekin tokyo"""
)
DEMONYMS = by_code(
    """FR francais francaise; DE allemand allemande; GB britannique; GB.ENG anglais anglaise; GB.SCT ecossais
    ecossaise; IE irlandais irlandaise; GB.WLS gallois galloise; CH suisse suissesse; BE belge flamand flamande
    wallon wallonne; IT italien italienne; ES espagnol espagnole; PT portugais portugaise; NL neerlandais
    neerlandaise hollandais hollandaise; LU luxembourgeois luxembourgeoise; AT autrichien autrichienne; HU
    hongrois hongroise; PL polonais polonaise; CZ tcheque; SK slovaque; SI slovene; HR croate; RS serbe; BA
    bosniaque bosnien bosnienne; AL albanais albanaise; GR grec grecque; BG bulgare; RO roumain roumaine; RU
    russe; UA ukrainien ukrainienne; BY bielorusse; LT lituanien lituanienne; LV letton lettone; EE estonien
    estonienne; FI finlandais finlandaise; SE suedois suedoise; NO norvegien norvegienne; DK danois danoise; IS
    islandais islandaise; TR turc turque; GE georgien georgienne; AM armenien armenienne; AZ azerbaidjanais
    azerbaidjanaise; IL israelien israelienne; PS palestinien palestinienne; LB libanais libanaise; SY syrien
    syrienne; JO jordanien jordanienne; IQ irakien irakienne; IR iranien iranienne; SA saoudien saoudienne; YE
    yemenite; EG egyptien egyptienne; LY libyen libyenne; TN tunisien tunisienne; DZ algerien algerienne; MA
    marocain marocaine; MR mauritanien mauritanienne; SN senegalais senegalaise; ML malien malienne; CI ivoirien
    ivoirienne; CM camerounais camerounaise; CD congolais congolaise; RW rwandais rwandaise; ET ethiopien
    ethiopienne; KE kenyan kenyane; NG nigerian nigeriane; ZA sudafricain sudafricaine; +AF africain africaine; US
    americain americaine; CA canadien canadienne quebecois quebecoise; MX mexicain mexicaine; CU cubain cubaine;
    HT haitien haitienne; BR bresilien bresilienne; AR argentin argentine; CL chilien chilienne; CO colombien
    colombienne; PE peruvien peruvienne; VE venezuelien venezuelienne; CN chinois chinoise; JP japonais japonaise;
    KR sudcoreen sudcoreenne coreen coreenne; KP nordcoreen nordcoreenne; VN vietnamien vietnamienne; TH
    thailandais thailandaise; IN indien indienne; PK pakistanais pakistanaise; AF afghan afghane; BD bangladais
    bangladaise; ID indonesien indonesienne; PH philippin philippine; AU australien australienne; NZ neozelandais
    neozelandaise; +EU europeen europeenne; +AS asiatique"""
)
