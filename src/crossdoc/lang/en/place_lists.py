"""English: names of places that are known by heart, how they are abbreviated, and what their people are called.

Codes are those of the gazetteer (names/gazetteer.py): continents with a plus, countries, divisions, cities.
"""

import re

from crossdoc.lang.language import by_code

ARTICLE = re.compile(r"^the\s+|['’]s?$", re.IGNORECASE)
"""Edges that are no part of a name: its article, its possessive ending."""
STATE_NAMES = """
Alabama Ala AL; Alaska Alaska AK; Arizona Ariz AZ; Arkansas Ark AR; California Calif CA; Colorado Colo CO;
Connecticut Conn CT; Delaware Del DE; Florida Fla FL; Georgia Ga GA; Hawaii Hawaii HI; Idaho Ida ID; Illinois Ill IL;
Indiana Ind IN; Iowa Iowa IA; Kansas Kan KS; Kentucky Ky KY; Louisiana La LA; Maine Me ME; Maryland Md MD;
Massachusetts Mass MA; Michigan Mich MI; Minnesota Minn MN; Mississippi Miss MS; Missouri Mo MO; Montana Mont MT;
Nebraska Neb NE; Nevada Nev NV; New_Hampshire N.H NH; New_Jersey N.J NJ; New_Mexico N.M NM; New_York N.Y NY;
North_Carolina N.C NC; North_Dakota N.D ND; Ohio Ohio OH; Oklahoma Okla OK; Oregon Ore OR; Pennsylvania Pa PA;
Rhode_Island R.I RI; South_Carolina S.C SC; South_Dakota S.D SD; Tennessee Tenn TN; Texas Tex TX; Utah Utah UT;
Vermont Vt VT; Virginia Va VA; Washington Wash WA; West_Virginia W.Va WV; Wisconsin Wis WI; Wyoming Wyo WY"""

COUNTRY_NAMES = """
Afghanistan,Albania,Algeria,Angola,Argentina,Armenia,Australia,Austria,Azerbaijan,Bahrain,
Bangladesh,Belarus,Belgium,Bolivia,Bosnia,Botswana,Brazil,Britain,Bulgaria,Burma,Cambodia,Cameroon,Canada,Chad,
Chile,China,Colombia,Congo,Costa Rica,Croatia,Cuba,Cyprus,Czech Republic,Denmark,Ecuador,Egypt,El Salvador,England,
Estonia,Ethiopia,Finland,France,Germany,Ghana,Greece,Guatemala,Haiti,Honduras,Hungary,Iceland,India,Indonesia,Iran,
Iraq,Ireland,Israel,Italy,Jamaica,Japan,Jordan,Kazakhstan,Kenya,Kosovo,Kuwait,Laos,Latvia,Lebanon,Liberia,Libya,
Lithuania,Luxembourg,Macedonia,Malaysia,Mali,Malta,Mexico,Moldova,Mongolia,Morocco,Mozambique,Myanmar,Namibia,
Nepal,Netherlands,New Zealand,Nicaragua,Niger,Nigeria,North Korea,Norway,Oman,Pakistan,Panama,Paraguay,Peru,
Philippines,Poland,Portugal,Qatar,Romania,Russia,Rwanda,Saudi Arabia,Scotland,Senegal,Serbia,Sierra Leone,
Singapore,Slovakia,Slovenia,Somalia,South Africa,South Korea,Soviet Union,Spain,Sri Lanka,Sudan,Sweden,Switzerland,
Syria,Taiwan,Tanzania,Thailand,Tunisia,Turkey,Uganda,Ukraine,United Kingdom,United Arab Emirates,United States,
Uruguay,Uzbekistan,Venezuela,Vietnam,Wales,West Germany,East Germany,
Czechoslovakia,Yemen,Yugoslavia,Zambia,Zimbabwe,America"""
# News uses these for one country without ever writing the other form in full.
SAME_PLACE = {
    **dict.fromkeys(("us", "usa", "unitedstates", "unitedstatesofamerica", "america"), "unitedstates"),
    **dict.fromkeys(("uk", "britain", "greatbritain", "unitedkingdom"), "unitedkingdom"),
    **dict.fromkeys(("prc", "china", "peoplesrepublicofchina"), "china"),
    **dict.fromkeys(("ussr", "sovietunion"), "sovietunion"),
    **dict.fromkeys(("uae", "unitedarabemirates"), "unitedarabemirates"),
}
DIVISIONS_ABBREVIATED = by_code(
    """US.AL ala; US.AZ ariz; US.AR ark; US.CA calif cal; US.CO colo; US.CT conn; US.DE del; US.FL
fla; US.GA ga; US.ID ida; US.IL ill; US.IN ind; US.KS kan kans; US.KY ky; US.LA la; US.ME me; US.MD md; US.MA mass;
US.MI mich; US.MN minn; US.MS miss; US.MO mo; US.MT mont; US.NE neb nebr; US.NV nev; US.NH nh; US.NJ nj; US.NM nm nmex;
US.NY ny; US.NC nc; US.ND nd ndak; US.OK okla; US.OR ore oreg; US.PA pa penn penna; US.RI ri; US.SC sc; US.SD sd sdak;
US.TN tenn; US.TX tex; US.VT vt; US.VA va; US.WA wash; US.WV wva; US.WI wis wisc; US.WY wyo; US.DC dc; CA.01 alta;
CA.02 bc; CA.03 man; CA.04 nb; CA.05 nfld; CA.07 ns; CA.08 ont; CA.09 pei; CA.10 que; CA.11 sask"""
)
ALSO_CALLED = by_code(
    """US us usa america unitedstates unitedstatesofamerica; GB uk britain greatbritain; AE uae; CN prc; NL
holland; MM burma; CZ czechia czechrepublic; BA bosnia; KR southkorea; KP northkorea; CI cotedivoire; SZ swaziland; MK
macedonia; RU russianfederation; PS palestinianterritories westbank; US.DC/washingtondc washington washingtondc;
US.CA/losangeles la; US.NY/newyork nyc newyorkcity"""
)
# Names of the people of a country, as adjective and noun; a plural loses its s.
DEMONYMS = by_code(
    """+AF African; +AS Asian; +EU European; +SA South-American; AD Andorran; AE Emirati; AF Afghan Afghani; AL
Albanian; AM Armenian; AO Angolan; AR Argentine Argentinian; AT Austrian; AU Australian Aussie; AZ Azerbaijani Azeri;
BA Bosnian; BB Barbadian Bajan; BD Bangladeshi; BE Belgian; BF Burkinabe; BG Bulgarian; BH Bahraini; BI Burundian; BJ
Beninese; BM Bermudian; BN Bruneian; BO Bolivian; BR Brazilian; BS Bahamian; BT Bhutanese; BW Botswanan Motswana; BY
Belarusian Byelorussian; BZ Belizean; CA Canadian; CF Central-African; CH Swiss; CI Ivorian; CL Chilean; CM
Cameroonian; CN Chinese; CO Colombian; CR Costa-Rican; CU Cuban; CV Cape-Verdean; CY Cypriot; CZ Czech; DE German; DJ
Djiboutian; DK Danish Dane; DO Dominican; DZ Algerian; EC Ecuadorian Ecuadorean; EE Estonian; EG Egyptian; ER Eritrean;
ES Spanish Spaniard; ET Ethiopian; FI Finnish Finn; FJ Fijian; FR French Frenchman Frenchwoman Frenchmen; GA Gabonese;
GB British Briton Brit; GB.ENG English Englishman Englishwoman Englishmen; GB.NIR Northern-Irish; GB.SCT Scottish Scot
Scotsman Scots; GB.WLS Welsh Welshman; GE Georgian; GH Ghanaian; GL Greenlandic Greenlander; GM Gambian; GN Guinean; GR
Greek; GT Guatemalan; GY Guyanese; HN Honduran; HR Croatian Croat; HT Haitian; HU Hungarian; ID Indonesian; IE Irish
Irishman Irishwoman Irishmen; IL Israeli; IN Indian; IQ Iraqi; IR Iranian Persian; IS Icelandic Icelander; IT Italian;
JM Jamaican; JO Jordanian; JP Japanese; KE Kenyan; KG Kyrgyz; KH Cambodian; KP North-Korean; KR South-Korean; KW
Kuwaiti; KZ Kazakh Kazakhstani; LA Laotian Lao; LB Lebanese; LI Liechtensteiner; LK Sri-Lankan; LR Liberian; LS
Basotho; LT Lithuanian; LU Luxembourger; LV Latvian; LY Libyan; MA Moroccan; MC Monegasque; MD Moldovan; ME
Montenegrin; MG Malagasy; MK Macedonian; ML Malian; MM Burmese; MN Mongolian; MR Mauritanian; MT Maltese; MU Mauritian;
MV Maldivian; MW Malawian; MX Mexican; MY Malaysian; MZ Mozambican; NA Namibian; NE Nigerien; NG Nigerian; NI
Nicaraguan; NL Dutch Dutchman Dutchwoman Dutchmen; NO Norwegian; NP Nepalese Nepali; NZ New-Zealander Kiwi; OM Omani;
PA Panamanian; PE Peruvian; PG Papuan; PH Filipino Filipina Philippine; PK Pakistani; PL Polish Pole; PR Puerto-Rican;
PS Palestinian; PT Portuguese; PY Paraguayan; QA Qatari; RO Romanian; RS Serbian Serb; RU Russian; RW Rwandan; SA Saudi
Saudi-Arabian; SC Seychellois; SD Sudanese; SE Swedish Swede; SG Singaporean; SI Slovenian Slovene; SK Slovak
Slovakian; SL Sierra-Leonean; SN Senegalese; SO Somali Somalian; SR Surinamese; SS South-Sudanese; SV Salvadoran
Salvadorean; SY Syrian; SZ Swazi; TD Chadian; TG Togolese; TH Thai; TJ Tajik; TL Timorese; TM Turkmen; TN Tunisian; TR
Turkish Turk; TT Trinidadian; TW Taiwanese; TZ Tanzanian; UA Ukrainian; UG Ugandan; US American; UY Uruguayan; UZ
Uzbek; VA Vatican; VE Venezuelan; VN Vietnamese; XK Kosovar; YE Yemeni; ZA South-African; ZM Zambian; ZW Zimbabwean"""
)
