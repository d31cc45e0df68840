"""French: words that say nothing of what a text is about, and those of them that stand after an elision ("qu'il")."""

from crossdoc.lang.language import words

PLAIN = words(
    """le la les un une des du de au aux ce cet cette ces celui celle ceux celles ceci cela ça mon ma mes ton ta tes
    son sa ses notre nos votre vos leur leurs je tu il elle on nous vous ils elles me te se lui eux moi toi soi en
    qui que quoi dont où lequel laquelle lesquels lesquelles auquel duquel desquels quel quelle quels quelles tout
    toute tous toutes aucun aucune autre autres même mêmes tel telle tels telles plusieurs chaque quelque quelques
    certain certaine certains certaines nul et ou ni mais or donc car si comme quand lorsque puisque parce quoique
    afin ainsi alors aussi aussitôt autant avant après avec sans sous sur dans par pour chez contre depuis derrière
    dès devant durant entre envers environ hors jusque malgré outre parmi pendant près sauf selon suivant vers voici
    voilà via ne pas plus moins très trop peu beaucoup assez bien mal encore déjà toujours jamais souvent parfois
    ici là hier aujourd'hui demain puis ensuite enfin tandis tant tellement seulement surtout presque plutôt
    pourtant cependant toutefois néanmoins notamment également être suis es est sommes êtes sont étais était étions
    étiez étaient fus fut fûmes furent serai seras sera serons serez seront serais serait seraient sois soit soyons
    soient fût étant été avoir ai as avons avez ont avais avait avions aviez avaient eus eut eurent aurai auras aura
    aurons auront aurais aurait auraient aie ait aient ayant eu eue eues faire fais fait faisons font faisait
    faisaient fit firent fera feront faite faits faites peut peuvent pouvait pouvaient pourra pourrait doit doivent
    devait devra devrait va vont allait dit dire disait ci"""
)
_ELIDED = words("qu jusqu lorsqu puisqu quoiqu quelqu")
_AFTER = words("il elle ils elles on un une en à au aux est était")
STOP_WORDS = PLAIN | {f"{elided}{mark}{word}" for elided in _ELIDED for mark in "'’" for word in _AFTER}
