"""numba kernels of the specialists: plain arrays in, one score a pair out, nothing validated."""

from __future__ import annotations

import numpy as np
from numba import njit

from crossdoc.names import SAME_SOUND, SAME_SPELLING

# What each agreement of two personal names is worth: see `person_name`.
FIRST_SAME, FIRST_RESPACED, FIRST_VARIANT, FIRST_INITIALS, FIRST_INITIAL = 0.90, 0.88, 0.75, 0.65, 0.60
NO_FIRST, ONE_FIRST, FIRST_ALONE = 0.40, 0.35, 0.30
MIDDLE_SAME, MIDDLE_INITIALS, MIDDLE_INITIAL = 1.0, 0.7, 0.5
MIDDLE_MORE, MIDDLE_MISSING = 0.6, 0.95
SURNAME_VARIANT = 0.85
SUFFIX_SAME = 0.3
SHORTEST_VARIANT = 4
DATES_DIFFER = 0.5
CLASH = -1.0
ROUNDING = 1e-9
"""A similarity of 0.9 comes out as 0.8999999999999999 as often as not."""


@njit(cache=True, nogil=True)
def jaro_winkler(letters, a, b, taken):  # type: ignore[no-untyped-def]
    """Jaro-Winkler of words a and b; `taken` is scratch space of 2 × the longest word.

    As in Winkler 1990: prefix scale 0.1 of at most four letters, above a Jaro similarity of 0.7. Symmetric, since for
    each letter the greedy matching is that of two pointers which skip whatever has left the other's window.
    """
    la, lb = letters.length[a], letters.length[b]
    if la == 0 or lb == 0:
        return 1.0 if la == lb else 0.0
    x, y = letters.start[a], letters.start[b]
    window = max(max(la, lb) // 2 - 1, 0)
    taken[0, :la] = 0
    taken[1, :lb] = 0
    matches = 0
    for i in range(la):
        for j in range(max(0, i - window), min(lb, i + window + 1)):
            if taken[1, j] == 0 and letters.points[x + i] == letters.points[y + j]:
                taken[0, i] = 1
                taken[1, j] = 1
                matches += 1
                break
    if matches == 0:
        return 0.0
    misplaced = 0
    j = 0
    for i in range(la):
        if taken[0, i]:
            while not taken[1, j]:
                j += 1
            if letters.points[x + i] != letters.points[y + j]:
                misplaced += 1
            j += 1
    jaro = (matches / la + matches / lb + (matches - misplaced // 2) / matches) / 3
    if jaro > 0.7:
        prefix = 0
        while prefix < min(la, lb, 4) and letters.points[x + prefix] == letters.points[y + prefix]:
            prefix += 1
        jaro += 0.1 * prefix * (1 - jaro)
    return jaro


@njit(cache=True, nogil=True)
def _bits(x):  # type: ignore[no-untyped-def]
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(cache=True, nogil=True)
def _may_reach(letters, a, b, threshold):  # type: ignore[no-untyped-def]
    """Whether Jaro-Winkler could reach the threshold: a letter that the other word lacks can never match.

    Nearly all pairs of words end here, at the cost of two popcounts. The bound is exact on the safe side: letters that
    share a bit of `present` only make it looser.
    """
    la, lb = letters.length[a], letters.length[b]
    only_a = _bits(letters.present[a] & ~letters.present[b])
    only_b = _bits(letters.present[b] & ~letters.present[a])
    common = min(la - only_a, lb - only_b)
    jaro = (common / la + common / lb + 1) / 3
    return jaro + 0.4 * (1 - jaro) >= threshold - ROUNDING


@njit(cache=True, nogil=True)
def soft_tfidf(letters, bags, pairs, threshold):  # type: ignore[no-untyped-def]
    """Both directed SoftTFIDF scores of each pair, NaN where a bag is empty.

    Of several words that match a word equally well the weightiest counts, so that the order of words does not matter.
    """
    out = np.full((len(pairs), 2), np.nan)
    longest = 1
    for i in range(len(letters.length)):
        longest = max(longest, letters.length[i])
    largest = 1
    for i in range(len(bags.start) - 1):
        largest = max(largest, bags.start[i + 1] - bags.start[i])
    taken = np.empty((2, longest), dtype=np.uint8)
    near = np.empty((2, largest))
    weight = np.empty((2, largest))
    for k in range(len(pairs)):
        p, p_end = bags.start[pairs[k, 0]], bags.start[pairs[k, 0] + 1]
        q, q_end = bags.start[pairs[k, 1]], bags.start[pairs[k, 1] + 1]
        if p == p_end or q == q_end:
            continue
        n, m = p_end - p, q_end - q
        near[0, :n] = 0.0
        near[1, :m] = 0.0
        _match_equal(bags, p, n, q, m, near, weight)
        for i in range(n):
            a = bags.values[p + i]
            for j in range(m):
                # A word that is in both bags has its best match already.
                if near[0, i] == 1.0 and near[1, j] == 1.0:
                    continue
                b = bags.values[q + j]
                if a == b or not _may_reach(letters, a, b, threshold):
                    continue
                similarity = jaro_winkler(letters, a, b, taken)
                if similarity < threshold - ROUNDING:
                    continue
                w = bags.weights[q + j]
                if similarity > near[0, i] or (similarity == near[0, i] and w > weight[0, i]):
                    near[0, i] = similarity
                    weight[0, i] = w
                w = bags.weights[p + i]
                if similarity > near[1, j] or (similarity == near[1, j] and w > weight[1, j]):
                    near[1, j] = similarity
                    weight[1, j] = w
        out[k] = 0.0
        for i in range(n):
            if near[0, i] > 0.0:
                out[k, 0] += bags.weights[p + i] * weight[0, i] * near[0, i]
        for j in range(m):
            if near[1, j] > 0.0:
                out[k, 1] += bags.weights[q + j] * weight[1, j] * near[1, j]
    return out


@njit(cache=True, nogil=True)
def _match_equal(bags, p, n, q, m, near, weight):  # type: ignore[no-untyped-def]
    i = j = 0
    while i < n and j < m:
        a, b = bags.values[p + i], bags.values[q + j]
        if a == b:
            near[0, i] = near[1, j] = 1.0
            weight[0, i] = bags.weights[q + j]
            weight[1, j] = bags.weights[p + i]
        if a <= b:
            i += 1
        if b <= a:
            j += 1


@njit(cache=True, nogil=True)
def jaccard(sets, pairs):  # type: ignore[no-untyped-def]
    """|A ∩ B| / |A ∪ B|, NaN where either is empty."""
    out = np.full(len(pairs), np.nan, dtype=np.float32)
    for k in range(len(pairs)):
        i, i_end = sets.start[pairs[k, 0]], sets.start[pairs[k, 0] + 1]
        j, j_end = sets.start[pairs[k, 1]], sets.start[pairs[k, 1] + 1]
        if i == i_end or j == j_end:
            continue
        total = i_end - i + j_end - j
        common = 0
        while i < i_end and j < j_end:
            a, b = sets.values[i], sets.values[j]
            common += a == b
            i += a <= b
            j += b <= a
        out[k] = common / (total - common)
    return out


@njit(cache=True, nogil=True)
def sparse_cosine(start, columns, values, width, pairs):  # type: ignore[no-untyped-def]
    """Dot products of unit-length sparse rows, NaN where either is empty.

    The left row is spread out over the vocabulary until another one comes: pairs that are sorted by their left row pay
    for it once, and a lookup is cheaper than the mispredicted branches of a merge in any case.
    """
    out = np.full(len(pairs), np.nan, dtype=np.float32)
    spread = np.zeros(width, dtype=np.float32)
    current = -1
    for k in range(len(pairs)):
        a, b = pairs[k, 0], pairs[k, 1]
        if start[a] == start[a + 1] or start[b] == start[b + 1]:
            continue
        if a != current:
            if current >= 0:
                for i in range(start[current], start[current + 1]):
                    spread[columns[i]] = 0.0
            for i in range(start[a], start[a + 1]):
                spread[columns[i]] = values[i]
            current = a
        total = np.float32(0.0)
        for i in range(start[b], start[b + 1]):
            total += spread[columns[i]] * values[i]
        out[k] = min(total, np.float32(1.0))
    return out


@njit(cache=True, nogil=True)
def _lists_meet(lists, a, b):  # type: ignore[no-untyped-def]
    i, i_end = lists.start[a], lists.start[a + 1]
    j, j_end = lists.start[b], lists.start[b + 1]
    while i < i_end and j < j_end:
        x, y = lists.values[i], lists.values[j]
        if x == y:
            return True
        i += x < y
        j += y < x
    return False


@njit(cache=True, nogil=True)
def _has(lists, a, value):  # type: ignore[no-untyped-def]
    for i in range(lists.start[a], lists.start[a + 1]):  # noqa: SIM110 - numba compiles no generator
        if lists.values[i] == value:
            return True
    return False


@njit(cache=True, nogil=True)
def shared(sets, pairs, if_shared, if_not):  # type: ignore[no-untyped-def]
    """One value where two sets meet, another where both are there and do not, NaN where either is empty."""
    out = np.full(len(pairs), np.nan, dtype=np.float32)
    for k in range(len(pairs)):
        a, b = pairs[k, 0], pairs[k, 1]
        if sets.start[a] < sets.start[a + 1] and sets.start[b] < sets.start[b + 1]:
            out[k] = if_shared if _lists_meet(sets, a, b) else if_not
    return out


@njit(cache=True, nogil=True)
def person_names(words, names, name_of_row, pairs):  # type: ignore[no-untyped-def]
    """Graded agreement of personal names, NaN where a row has none."""
    out = np.full(len(pairs), np.nan, dtype=np.float32)
    longest = 1
    for i in range(len(words.letters.length)):
        longest = max(longest, words.letters.length[i])
    taken = np.empty((2, longest), dtype=np.uint8)
    for k in range(len(pairs)):
        a, b = name_of_row[pairs[k, 0]], name_of_row[pairs[k, 1]]
        if a >= 0 and b >= 0:
            out[k] = _person_name(words, names, a, b, taken)
    return out


@njit(cache=True, nogil=True)
def _person_name(words, names, a, b, taken):  # type: ignore[no-untyped-def]
    if names.gender[a] and names.gender[b] and names.gender[a] != names.gender[b]:
        return 0.0
    if names.suffix[a] and names.suffix[b] and names.suffix[a] != names.suffix[b]:
        return 0.0
    score = _name_parts(words, names, a, b, taken)
    if score > 0.0 and names.suffix[a] and names.suffix[a] == names.suffix[b]:
        score += (1.0 - score) * SUFFIX_SAME
    return score


@njit(cache=True, nogil=True)
def _name_parts(words, names, a, b, taken):  # type: ignore[no-untyped-def]
    surname = _surname(words, names, a, b, taken)
    first_a, first_b = names.first[a], names.first[b]
    if first_a < 0 and first_b < 0:
        return NO_FIRST * surname
    if first_a < 0 or first_b < 0:
        short, full = (a, b) if first_a < 0 else (b, a)
        if surname > 0.0:
            return ONE_FIRST * surname
        alone = not names.titled[short] and names.last[short] == names.first[full]
        return FIRST_ALONE if alone else 0.0
    if surname > 0.0:
        if names.given[a] == names.given[b] and (first_a != first_b or _count(names, a) != _count(names, b)):
            # "Seong-Nam" and "Seongnam", "J. R." and "JR".
            first = FIRST_RESPACED if words.letters.length[names.given[a]] > 3 else FIRST_INITIALS
            middle = 0.0
        else:
            first = _first(words, first_a, first_b, taken)
            middle = _middles(words, names, a, b, 0, taken)
        return _graded(first, middle) * surname
    if first_a == names.last[b] and names.rest[a] == names.given[b] and words.letters.length[first_a] > 1:
        return FIRST_SAME * SURNAME_VARIANT
    if first_b == names.last[a] and names.rest[b] == names.given[a] and words.letters.length[first_b] > 1:
        return FIRST_SAME * SURNAME_VARIANT
    if first_a == names.last[b] and first_b == names.last[a] and words.letters.length[first_a] > 1:
        return _graded(FIRST_SAME, _middles(words, names, a, b, 0, taken)) * SURNAME_VARIANT
    # "Gabriel García" and "Gabriel García Márquez": the surname of one stands where the other's middle name does.
    if _ends_in(words, names, a, names.last[b]) or _ends_in(words, names, b, names.last[a]):
        first = _first(words, first_a, first_b, taken)
        longer = 1 if _ends_in(words, names, a, names.last[b]) else 2
        return _graded(first, _middles(words, names, a, b, longer, taken)) * SURNAME_VARIANT
    return 0.0


@njit(cache=True, nogil=True)
def _graded(first, middle):  # type: ignore[no-untyped-def]
    """A middle name that agrees closes part of the gap to 1; one that only one side has costs a little."""
    if first == CLASH or middle == CLASH:
        return 0.0
    if middle < 0.0:
        return first * MIDDLE_MISSING
    return first + (1.0 - first) * middle


@njit(cache=True, nogil=True)
def _count(names, a):  # type: ignore[no-untyped-def]
    return names.middles.start[a + 1] - names.middles.start[a]


@njit(cache=True, nogil=True)
def _ends_in(words, names, a, surname):  # type: ignore[no-untyped-def]
    end = names.middles.start[a + 1]
    if end == names.middles.start[a] or words.letters.length[surname] == 1:
        return False
    return names.middles.values[end - 1] == surname


@njit(cache=True, nogil=True)
def _surname(words, names, a, b, taken):  # type: ignore[no-untyped-def]
    """1 for the same surname, less for a variant (spelling, one half of a double name, a particle), 0 for a clash."""
    x, y = names.last[a], names.last[b]
    if x == y:
        return 1.0
    if _within(names.pieces, a, b) or _within(names.pieces, b, a):
        return SURNAME_VARIANT
    # Li, Liu and Lee sound alike and are three surnames: short ones have to be the same.
    if words.sound[x] != words.sound[y] or min(words.letters.length[x], words.letters.length[y]) < SHORTEST_VARIANT:
        return 0.0
    alike = jaro_winkler(words.letters, x, y, taken) >= 0.85
    return SURNAME_VARIANT if alike else 0.0


@njit(cache=True, nogil=True)
def _within(lists, a, b):  # type: ignore[no-untyped-def]
    """Whether every value of list a is in list b."""
    for i in range(lists.start[a], lists.start[a + 1]):  # noqa: SIM110 - numba compiles no generator
        if not _has(lists, b, lists.values[i]):
            return False
    return True


@njit(cache=True, nogil=True)
def _initial(letters, x):  # type: ignore[no-untyped-def]
    return letters.points[letters.start[x]]


@njit(cache=True, nogil=True)
def _first(words, x, y, taken):  # type: ignore[no-untyped-def]
    letters = words.letters
    short = min(letters.length[x], letters.length[y])
    if x == y:
        return FIRST_SAME if short > 1 else FIRST_INITIALS
    if short == 1:
        return FIRST_INITIAL if _initial(letters, x) == _initial(letters, y) else CLASH
    if _has(words.formal, x, words.itself[y]) or _has(words.formal, y, words.itself[x]):
        return FIRST_VARIANT
    if words.gender[x] and words.gender[y] and words.gender[x] != words.gender[y]:
        return CLASH
    if _lists_meet(words.formal, x, y):
        return FIRST_VARIANT
    if _initial(letters, x) == _initial(letters, y):
        similarity = jaro_winkler(letters, x, y, taken)
        if similarity >= SAME_SPELLING:
            return FIRST_VARIANT
        if words.sound[x] == words.sound[y] and short >= SHORTEST_VARIANT and similarity >= SAME_SOUND:
            return FIRST_VARIANT
    return CLASH


@njit(cache=True, nogil=True)
def _middles(words, names, a, b, without_last, taken):  # type: ignore[no-untyped-def]
    """0 if neither has a middle name, negative if one lacks it or they clash, else how well they agree.

    Middle names are compared in their order: "W." is no part of "H. W.". `without_last` says whose last middle name is
    a surname: nobody's (0), a's (1) or b's (2).
    """
    i, i_end = names.middles.start[a], names.middles.start[a + 1] - (without_last == 1)
    j, j_end = names.middles.start[b], names.middles.start[b + 1] - (without_last == 2)
    if i == i_end and j == j_end:
        return 0.0
    if i == i_end or j == j_end:
        return -0.5
    level = MIDDLE_SAME if i_end - i == j_end - j else MIDDLE_MORE
    worst = MIDDLE_SAME
    while i < i_end and j < j_end:
        x, y = names.middles.values[i], names.middles.values[j]
        agreed = _first(words, x, y, taken)
        if agreed == CLASH:
            return CLASH
        if agreed == FIRST_INITIALS:
            worst = min(worst, MIDDLE_INITIALS)
        elif agreed != FIRST_SAME:
            worst = min(worst, MIDDLE_INITIAL)
        i += 1
        j += 1
    return level * worst


@njit(cache=True, nogil=True)
def _date(one, other):  # type: ignore[no-untyped-def]
    """How well two dates (year, month, day; 0 unknown) agree."""
    years = abs(one[0] - other[0])
    if years > 0:
        return max(0.0, 0.75 - 0.25 * years)
    if one[1] == 0 or other[1] == 0:
        return 0.9
    if one[1] != other[1]:
        return 0.4
    if one[2] == 0 or other[2] == 0:
        return 0.95
    return 1.0 if one[2] == other[2] else 0.5


@njit(cache=True, nogil=True)
def _years_apart(lives, a, b):  # type: ignore[no-untyped-def]
    """The least number of years between two births of which a range of years is known."""
    return max(lives.earliest[a] - lives.latest[b], lives.earliest[b] - lives.latest[a], 0)


@njit(cache=True, nogil=True)
def life_dates(lives, pairs):  # type: ignore[no-untyped-def]
    """Agreement of births and deaths, or else of ages; NaN where nothing can be compared.

    Of two dates that agree the more precise one counts, of two that do not both the one that does not.
    """
    out = np.full(len(pairs), np.nan, dtype=np.float32)
    for k in range(len(pairs)):
        a, b = pairs[k, 0], pairs[k, 1]
        score = 2.0
        if lives.born[a, 0] and lives.born[b, 0]:
            score = _date(lives.born[a], lives.born[b])
        elif lives.latest[a] and lives.latest[b]:
            score = max(0.0, 0.8 - 0.25 * _years_apart(lives, a, b))
        if lives.died[a, 0] and lives.died[b, 0]:
            death = _date(lives.died[a], lives.died[b])
            agree = 1.0 >= score > DATES_DIFFER and death > DATES_DIFFER
            score = max(score, death) if agree else min(score, death)
        if score > 1.0 and lives.age[a] >= 0 and lives.age[b] >= 0:
            # Nobody knows how long after one another the documents were written.
            score = max(0.2, 0.7 - 0.025 * max(abs(lives.age[a] - lives.age[b]) - 1, 0))
        if score <= 1.0:
            out[k] = score
    return out


@njit(cache=True, nogil=True)
def contradiction(lives, people, pairs, most_years):  # type: ignore[no-untyped-def]
    """0 where two profiles cannot be one person, NaN elsewhere."""
    out = np.full(len(pairs), np.nan, dtype=np.float32)
    for k in range(len(pairs)):
        a, b = pairs[k, 0], pairs[k, 1]
        gender = people.gender[a] and people.gender[b] and people.gender[a] != people.gender[b]
        suffix = people.suffix[a] and people.suffix[b] and people.suffix[a] != people.suffix[b]
        middle = people.initial[a] and people.initial[b] and people.initial[a] != people.initial[b]
        # "Gabriel José García" and "Gabriel García Márquez": that is no middle name, but half of a surname.
        if middle and (people.middle[a] == people.last[b] or people.middle[b] == people.last[a]):
            middle = False
        births = lives.latest[a] and lives.latest[b] and _years_apart(lives, a, b) > most_years
        died_a, died_b = lives.died[a, 0], lives.died[b, 0]
        deaths = died_a and died_b and abs(died_a - died_b) > most_years
        early = (died_a and died_a < lives.earliest[b]) or (died_b and died_b < lives.earliest[a])
        if gender or suffix or middle or births or deaths or early:
            out[k] = 0.0
    return out
