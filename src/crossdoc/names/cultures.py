"""The position of the surname in names of other cultures, and the word by which their bearers are called.

Chinese, Koreans and Hungarians put it first, Japanese either way; a Vietnamese is called by the last word, whatever it
is; of two Spanish surnames the first counts; Icelanders have a father's name instead. Lists of surnames have the most
usual first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from crossdoc.names.words import first_names, last_names

_CHINESE = """wang wong li zhang chang cheung liu lau chen chan yang zhao huang zhou chou wu xu hsu sun hu zhu chu gao
lin he ho guo kwok ma luo liang leung song zheng xie hsieh han tang feng yu dong xiao cheng cao yuan deng teng fu shen
zeng peng lu su jiang chiang cai tsai jia ding wei xue ye yan pan du dai xia zhong tian ren fan fang shi yao tan liao
zou xiong jin hao kong bai cui mao qiu qin gu hou shao meng long wan duan qian yin yi wen xi bo hua qiao tung tsang
ong goh soong lai"""
_KOREAN = """kim lee park pak choi jung chung jeong kang cho yoon jang lim han shin seo kwon hwang ahn song ryu hong
jeon ko moon son bae baek heo nam roh noh rhee chun ban paik yoo yun oh suh chon ro an kwak min"""
_JAPANESE = """sato suzuki takahashi tanaka watanabe ito yamamoto nakamura kobayashi kato yoshida yamada sasaki
yamaguchi matsumoto inoue kimura hayashi shimizu saito mori abe ikeda hashimoto yamashita ishikawa nakajima maeda
fujita ogawa goto okada hasegawa murakami kondo ishii sakamoto endo aoki fujii nishimura fukuda ota miura takeuchi
nakagawa okamoto matsuda nakano harada ono tamura takeda ueda mishima koizumi nakasone takeshita miyazawa hosokawa
murayama obuchi kurosawa kawabata oe hirohito noda hatoyama aso kishi"""
_HUNGARIAN_FIRST = """laszlo janos jozsef istvan ferenc gyula sandor miklos zoltan attila gabor viktor imre bela
karoly lajos mihaly gyorgy pal andras balazs zsolt csaba arpad denes kalman erno jeno gergely matyas ilona erzsebet
katalin zsuzsanna judit tamas"""
_ICELANDIC_FIRST = """olafur steingrimur david jon gunnar halldor geir bjorn sigurdur gudmundur einar magnus bjarni
ragnar thor thorvaldur helgi kristjan sveinn palmi gudni johann johannes kari haraldur asgeir eidur gylfi hannes"""
_SPANISH = """garcia gonzalez lopez rodriguez perez sanchez romero torres ruiz diaz moreno alvarez ramos morales
ortega delgado castro ortiz rubio marin nunez iglesias medina garrido santos castillo cortes guerrero lozano cano
prieto cruz calvo gallego vidal leon herrera marquez pena flores cabrera campos vega fuentes carrasco diez reyes
caballero nieto aguilar pascual santana herrero montero lorenzo hidalgo gimenez ibanez ferrer duran benitez mora
vargas arias carmona crespo roman pastor soto saez velasco soler moya esteban parra bravo gallardo rojas salinas
mendoza guzman rivera silva pinochet allende borges llosa lorca neruda paz franco"""

EAST_ASIAN = {name: rank for names in (_KOREAN, _CHINESE) for rank, name in enumerate(names.split())}
JAPANESE = frozenset(_JAPANESE.split())
HUNGARIAN_FIRST = frozenset(_HUNGARIAN_FIRST.split())
ICELANDIC_FIRST = frozenset(_ICELANDIC_FIRST.split())
SPANISH = frozenset(_SPANISH.split())

_VIETNAMESE = frozenset("nguyen tran le pham huynh hoang phan vu vo dang bui do ho ngo duong ly truong dinh".split())
FIRST_NAMES_TOO = frozenset({"kim", "lee"})
MOST_USUAL = 5
"""Rank. The first surnames of a people are likelier than another at the end: "Kim Dae Jung", "Li Peng". By hand."""
USUAL = 5e-5
"""The share of people from which a surname is likelier than a given name that looks alike: "Han Hunter", "Yao Ming"."""

_SYLLABLE = (
    r"(?:zh|ch|sh|hs|ts|tz|kw|hw|[bpmfdtnlgkhjqxrzcsyw])?"
    r"(?:iao|uai|iou|eou|yeo|yae|wae|eui|uei|ia|ie|iu|io|ua|uo|ui|ue|ai|ei|ao|ou|ae|eo|eu|ew|oe|oo|ee|ya|yo|yu|ye|wa|wo"
    r"|wi|we|a|e|i|o|u)"
    r"(?:ng|n|r|l|m|k|p|t|h)?"
)
_ONE, _TWO = re.compile(_SYLLABLE), re.compile(_SYLLABLE * 2)


def surname_first(words: Sequence[str], *, hyphen: bool = False) -> bool:
    """Whether the first of two or three folded words is the surname; a hyphen between the others makes them a given
    name.

    >>> [surname_first(name.split()) for name in ("deng xiaoping", "kim dae jung", "jung bin kim", "orban viktor")]
    [True, True, False, True]
    >>> [surname_first(name.split()) for name in ("kim novak", "lee hunter", "bruce lee", "wei wang", "tanaka kakuei")]
    [False, False, False, False, True]
    """
    if not 2 <= len(words) <= 3:
        return False
    surname, *given = words
    if surname in EAST_ASIAN:
        return _east_asian(surname, given, hyphen)
    last = given[-1]
    if len(given) > 1 or surname in first_names():
        return False
    if surname in JAPANESE:
        return last not in JAPANESE and last not in last_names()
    return last in HUNGARIAN_FIRST and surname not in HUNGARIAN_FIRST


def _east_asian(surname: str, given: list[str], hyphen: bool) -> bool:
    """Two syllables at most are left, and they are no likelier to end in a surname."""
    if not all(map(_ONE.fullmatch, given)) and not (len(given) == 1 and _TWO.fullmatch(given[0])):
        return False
    last = given[-1]
    if hyphen:
        return True
    if len(given) == 1 and surname in FIRST_NAMES_TOO and last in last_names():
        return False
    if last in EAST_ASIAN:
        return EAST_ASIAN[surname] < min(EAST_ASIAN[last], MOST_USUAL)
    return len(given) == 2 or last_names().get(last, 0.0) < USUAL


def is_particle(word: str, words: Sequence[str]) -> bool:
    """Whether a word that is a particle elsewhere is one in a name: not "Bin" of "Jung Bin Kim", nor "Van" of "Nguyen
    Van Linh".

    >>> is_particle("bin", ["osama", "bin", "laden"]), is_particle("bin", ["jung", "bin", "kim"])
    (True, False)
    """
    return not (word == "bin" and words[-1] in EAST_ASIAN) and not (word == "van" and words[0] in _VIETNAMESE)


def is_spanish(surname: str) -> bool:
    """Whether it is a Spanish or Portuguese surname.

    >>> is_spanish("marquez"), is_spanish("fernandez"), is_spanish("foster")
    (True, True, False)
    """
    return surname in SPANISH or surname.endswith("ez")


def is_icelander(first: str, last: str) -> bool:
    """Whether a surname is a father's or mother's name, so that one is called by the first.

    >>> is_icelander("vigdis", "finnbogadottir"), is_icelander("david", "oddsson"), is_icelander("sven", "andersson")
    (True, True, False)
    """
    return last.endswith("dottir") or (last.endswith("sson") and first in ICELANDIC_FIRST)
