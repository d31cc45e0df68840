"""Names of countries and international bodies in several languages, where they do not sound alike.

Names are in the nominative; acronyms are as they are written.
"""

from __future__ import annotations

_TOLD: dict[str, tuple[tuple[str, str], ...]] = {
    "European Union": (
        ("pl", "Unia Europejska; UE"), ("cs", "Evropská unie; EU"), ("sl", "Evropska unija; EU"),
        ("ru", "Европейский союз; Евросоюз; ЕС"), ("uk", "Європейський союз; Євросоюз; ЄС"),
        ("bg", "Европейски съюз; Евросъюз; ЕС"), ("fr", "Union européenne; UE"), ("es", "Unión Europea; UE"),
        ("it", "Unione europea; UE"), ("nl", "Europese Unie; EU"), ("de", "Europäische Union; EU"),
        ("sv", "Europeiska unionen; EU"), ("fi", "Euroopan unioni; EU"),
    ),
    "European Commission": (
        ("pl", "Komisja Europejska; KE"), ("cs", "Evropská komise; EK"), ("sl", "Evropska komisija"),
        ("ru", "Европейская комиссия; Еврокомиссия; ЕК"), ("uk", "Європейська комісія; Єврокомісія; ЄК"),
        ("bg", "Европейска комисия; Еврокомисия; ЕК"), ("fr", "Commission européenne"), ("es", "Comisión Europea"),
        ("it", "Commissione europea"), ("nl", "Europese Commissie"), ("de", "Europäische Kommission"),
    ),
    "European Parliament": (
        ("pl", "Parlament Europejski; PE"), ("cs", "Evropský parlament"), ("sl", "Evropski parlament"),
        ("ru", "Европейский парламент; Европарламент"), ("uk", "Європейський парламент; Європарламент"),
        ("bg", "Европейски парламент; Европарламент"), ("fr", "Parlement européen"), ("es", "Parlamento Europeo"),
        ("it", "Parlamento europeo"), ("nl", "Europees Parlement"), ("de", "Europäisches Parlament"),
    ),
    "United Nations": (
        ("pl", "Organizacja Narodów Zjednoczonych; ONZ"), ("cs", "Organizace spojených národů; OSN"),
        ("sl", "Združeni narodi; OZN; ZN"), ("ru", "Организация Объединенных Наций; ООН"),
        ("uk", "Організація Об'єднаних Націй; ООН"), ("bg", "Организация на обединените нации; ООН"),
        ("fr", "Nations unies; ONU"), ("es", "Naciones Unidas; ONU"), ("it", "Nazioni Unite; ONU"),
        ("nl", "Verenigde Naties; VN"), ("de", "Vereinte Nationen; UNO"),
    ),
    "NATO": (
        ("ru", "НАТО"), ("uk", "НАТО"), ("bg", "НАТО"), ("fr", "OTAN"), ("es", "OTAN"), ("nl", "NAVO"), ("pl", "NATO"),
    ),
    "World Trade Organization": (
        ("ru", "ВТО; Всемирная торговая организация"), ("bg", "СТО; Световна търговска организация"),
        ("uk", "СОТ; Світова організація торгівлі"), ("pl", "Światowa Organizacja Handlu"), ("fr", "OMC"),
        ("es", "OMC"), ("it", "OMC"),
    ),
    "International Monetary Fund": (
        ("ru", "МВФ; Международный валютный фонд"), ("uk", "МВФ; Міжнародний валютний фонд"),
        ("bg", "МВФ; Международен валутен фонд"), ("pl", "MFW; Międzynarodowy Fundusz Walutowy"),
        ("cs", "MMF; Mezinárodní měnový fond"), ("fr", "FMI"), ("es", "FMI"), ("it", "FMI"), ("de", "IWF"),
    ),
    "United States": (
        ("pl", "Stany Zjednoczone"), ("cs", "Spojené státy; Spojené státy americké"),
        ("sl", "Združene države; Združene države Amerike; ZDA"),
        ("ru", "Соединенные Штаты; Соединенные Штаты Америки; США"),
        ("uk", "Сполучені Штати; Сполучені Штати Америки; США"),
        ("bg", "Съединени щати; Съединени американски щати; САЩ"), ("fr", "États-Unis"),
        ("es", "Estados Unidos; EEUU; EE.UU."),
        ("it", "Stati Uniti"), ("nl", "Verenigde Staten; VS"), ("de", "Vereinigte Staaten"), ("sv", "Förenta staterna"),
    ),
    "United Kingdom": (
        ("pl", "Zjednoczone Królestwo"), ("cs", "Spojené království"),
        ("sl", "Združeno kraljestvo"), ("ru", "Соединенное Королевство"),
        ("uk", "Сполучене Королівство"), ("bg", "Обединено кралство"),
        ("fr", "Royaume-Uni"), ("es", "Reino Unido"),
        ("it", "Regno Unito"),
        ("nl", "Verenigd Koninkrijk"),
    ),
}  # fmt: skip

CALLED: dict[str, list[tuple[str, str]]] = {}
"""By language its names, and the English one of each."""
for _english, _rows in _TOLD.items():
    for _language, _names in _rows:
        CALLED.setdefault(_language, []).extend((_name, _english) for _name in _names.split("; "))
