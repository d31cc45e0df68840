"""numba kernels of the model of bags: who holds which feature, what a node and a bag have in common, bag against bag.

A feature's holders are its entities in ascending order with how often they hold it, so that one pass over a node's
features meets every entity that shares one. Nothing here is validated.
"""

from __future__ import annotations

from math import lgamma, log, log1p

import numpy as np
from numba import njit

from crossdoc.cluster.sampling.pair_moves import limit_sum
from crossdoc.cluster.sampling.proposals import keep_best

LARGEST_PRODUCT = 1e100
"""Products of likelihood ratios are kept below this, so that no logarithm is needed for each feature."""
LOG_OF_BIT, BITS_OF_ONE = log(2) / 2**52, 1023 << 52
PROPOSED_HOLDERS = 10
"""Holders of a node's words that are looked at, for each of its words, if words have more than a few."""
MAIN_NAME, FEWEST_TO_NAME = 0.1, 3
"""Share of a bag's mentions, and mentions. Bags are joined by names alone from these values on."""
STAMP, PRODUCT, SCALE, RATIO_WORD, RATIO_NAME, PRIOR, LEAST_WORD, LEAST_NAME = range(8)
"""Columns of the state of an entity while a node is compared with it."""
MOST_TIMES_LARGER = 30
"""A bag is not joined with one that is so many times larger: its mentions find that by themselves, in less time."""
REPEATED = 8
"""Bags of this many mentions look for others by the features that they hold more than once."""


@njit(cache=True, nogil=True)
def held(ends, entity, times, f, e):  # type: ignore[no-untyped-def]
    """How often an entity holds a feature."""
    low, high = ends[f], ends[f + 1]
    while low < high:
        middle = (low + high) >> 1
        if entity[middle] < e:
            low = middle + 1
        else:
            high = middle
    return times[low] if low < ends[f + 1] and entity[low] == e else 0


@njit(cache=True, nogil=True)
def held_by(start, feature, label, ends, entity, times, nodes, out):  # type: ignore[no-untyped-def]
    """For each feature of some nodes how often an entity, `label` of the node, holds it; flat, in their order."""
    at = 0
    for i in nodes:
        for c in range(start[i], start[i + 1]):
            out[at] = held(ends, entity, times, feature[c], label[i])
            at += 1


@njit(cache=True, nogil=True, inline="always")
def constants(size, strengths):  # type: ignore[no-untyped-def]
    """Return the log likelihood ratio of a feature that a bag lacks, and the relative gain per occurrence."""
    room = size + strengths[1]
    least = strengths[0] + (1 - strengths[0]) * strengths[1] / room
    return log(least), (1 - strengths[0]) / (room * least)


@njit(cache=True, nogil=True)
def evidence(times, many, count, odds, length, size, strengths, found):  # type: ignore[no-untyped-def]
    """The evidence of nodes with their bags: a bag holds each of the `many` cells of a node `times`."""
    at = 0
    for i in range(len(many)):
        least, ratio = constants(size[i], strengths)
        total, product = length[i] * least, 1.0
        for c in range(at, at + many[i]):
            if times[c] > 0 and count[c] == 1:
                product *= 1 + times[c] * odds[c] * ratio
                if product > LARGEST_PRODUCT:
                    total += log(product)
                    product = 1.0
            elif times[c] > 0:
                total += count[c] * log1p(times[c] * odds[c] * ratio)
        found[i] = total + log(product)
        at += many[i]


@njit(cache=True, nogil=True)
def reach(start, feature, ends, i, longest, most):  # type: ignore[no-untyped-def]
    """How many may hold a feature that proposes: `longest`, or more while these are at most `most` for each feature."""
    holders = np.empty(start[i + 1] - start[i], dtype=np.int64)
    for c in range(start[i], start[i + 1]):
        holders[c - start[i]] = ends[feature[c] + 1] - ends[feature[c]]
    holders.sort()
    total = 0
    for many in holders:
        total += many
        if many > longest:
            if total > most * len(holders):
                break
            longest = many
    return longest


@njit(cache=True, nogil=True)
def heaviest(ends, entity, times, longest, kept):  # type: ignore[no-untyped-def]
    """Return the `kept` most frequent holders of each feature with more than `longest`, the first among equals.

    For feature f they are at[ends[f]:ends[f + 1]], as places among the holders; of other features there are none.
    """
    begins = np.zeros(len(ends), dtype=np.int64)
    for f in range(len(ends) - 1):
        begins[f + 1] = begins[f] + (kept if ends[f + 1] - ends[f] > max(longest, kept) else 0)
    at = np.empty(begins[-1], dtype=np.int64)
    value, place = np.empty(kept, dtype=np.int64), np.empty(kept, dtype=np.int64)
    for f in range(len(ends) - 1):
        if begins[f + 1] > begins[f]:
            many = 0
            for k in range(ends[f], ends[f + 1]):
                many = keep_best(value, place, many, times[k], k)
            at[begins[f] : begins[f + 1]] = place
    return begins, at


@njit(cache=True, nogil=True)
def gather(family, bags, heavy, state, ratio, mine, i, longest, touched, many):  # type: ignore[no-untyped-def]
    """Multiply the likelihood ratios of one family into every entity that shares a feature with a node.

    `mine` is the entity to which the node gave its features. `ratio` is the column of the family's. Only the heaviest
    holders of a feature with more than `longest` are used.
    """
    start, feature, count, odds = family[0], family[1], family[2], family[3]
    ends, entity, times = bags[0], bags[1], bags[2]
    begins, places = heavy
    for c in range(start[i], start[i + 1]):
        f = feature[c]
        few = ends[f + 1] - ends[f] <= longest
        first, last = (ends[f], ends[f + 1]) if few else (begins[f], begins[f + 1])
        for at in range(first, last):
            k = at if few else places[at]
            e = entity[k]
            v = times[k] - (count[c] if e == mine else 0)
            if state[e, STAMP] != i:
                state[e, STAMP] = i
                state[e, PRODUCT] = 1.0
                state[e, SCALE] = 0.0
                touched[many] = e
                many += 1
            if count[c] == 1:
                state[e, PRODUCT] *= 1 + v * odds[c] * state[e, ratio]
            else:
                state[e, SCALE] += count[c] * log1p(v * odds[c] * state[e, ratio])
            if state[e, PRODUCT] > LARGEST_PRODUCT:
                state[e, SCALE] += log(state[e, PRODUCT])
                state[e, PRODUCT] = 1.0
    return many


@njit(cache=True, nogil=True)
def add_beyond(family, bags, heavy, state, ratio, mine, i, longest, entities, found):  # type: ignore[no-untyped-def]
    """Add to `found` what features say for entities that they did not propose, since more than `longest` hold them.

    Feature by feature: looking for one entity among the holders is half of the way to the next.
    """
    start, feature, count, odds = family[0], family[1], family[2], family[3]
    ends, entity, times = bags[0], bags[1], bags[2]
    begins, places = heavy
    for c in range(start[i], start[i + 1]):
        f = feature[c]
        if ends[f + 1] - ends[f] <= longest:
            continue
        for t in range(len(entities)):
            e = entities[t]
            gathered = False
            for at in range(begins[f], begins[f + 1]):
                gathered |= entity[places[at]] == e
            if not gathered:
                v = held(ends, entity, times, f, e) - (count[c] if e == mine else 0)
                if v > 0:
                    found[t] += count[c] * log1p(v * odds[c] * state[e, ratio])


@njit(cache=True, nogil=True)
def entity_states(word_size, name_size, word_strengths, name_strengths, mass, discount):  # type: ignore[no-untyped-def]
    """All that ranking an entity needs, in one cache line for each."""
    state = np.empty((len(mass), 8))
    for e in range(len(mass)):
        state[e, STAMP] = -1.0
        state[e, LEAST_WORD], state[e, RATIO_WORD] = constants(word_size[e], word_strengths)
        state[e, LEAST_NAME], state[e, RATIO_NAME] = constants(name_size[e], name_strengths)
        state[e, PRIOR] = log(max(mass[e] - discount, 1e-9))
    return state


@njit(cache=True, nogil=True)
def best_entities(  # type: ignore[no-untyped-def]
    nodes, label, words, names, word_bags, name_bags, word_heavy, name_heavy, word_strengths, name_strengths,
    stands_for, mass, weight, discount, new, longest, most_named, limits, who, value, first, last,
):  # fmt: skip
    """For nodes[first:last] the best entities (own first, −1: a new one) with log p(node | rest of it) + log prior.

    Entities are ranked by all features, of which those that too many hold count for the heaviest alone, and the best
    get their value by all features.
    """
    state = entity_states(word_bags[4], name_bags[4], word_strengths, name_strengths, mass, discount)
    bits = state.view(np.int64)
    touched = np.empty(len(mass), dtype=np.int32)
    width = who.shape[1] - 2
    best_value, best = np.empty(width), np.empty(width + 1, dtype=np.int32)
    chosen, said = np.empty(width + 1, dtype=np.int32), np.empty(width + 1)
    length, named = words[4], names[4]
    for at in range(first, last):
        i = nodes[at]
        own, mine = label[i], mass[label[i]] - weight[i]
        gave = label[stands_for[i]]
        # A node's own features in a bag are no evidence for it.
        words_of, names_of = state[gave].copy(), state[own].copy()
        state[gave, LEAST_WORD], state[gave, RATIO_WORD] = constants(
            word_bags[4][gave] - length[stands_for[i]], word_strengths
        )
        state[own, LEAST_NAME], state[own, RATIO_NAME] = constants(name_bags[4][own] - named[i], name_strengths)
        state[own, PRIOR] = log(max(mine - discount, 1e-9))
        far = reach(words[0], words[1], word_bags[0], i, longest, PROPOSED_HOLDERS)
        many = gather(words, word_bags, word_heavy, state, RATIO_WORD, gave, i, far, touched, 0)
        many = gather(names, name_bags, name_heavy, state, RATIO_NAME, own, i, most_named, touched, many)
        found = 0
        for t in range(many):
            e = touched[t]
            if e != own:
                # A float's bits are about its logarithm, which is all that ranking needs.
                about = state[e, SCALE] + LOG_OF_BIT * (bits[e, PRODUCT] - BITS_OF_ONE) + state[e, PRIOR]
                about += length[i] * state[e, LEAST_WORD] + named[i] * state[e, LEAST_NAME]
                found = keep_best(best_value, best, found, about, e)
        for k in range(limits[0][i], limits[0][i + 1]):
            e = label[limits[1][k]]
            if limits[2][k] > 0 and e != own and not (best[:found] == e).any():
                found = keep_best(best_value, best, found, np.inf, e)
        chosen[0] = own
        chosen[1 : found + 1] = best[:found]
        said[: found + 1] = 0.0
        among, sums = chosen[: found + 1], said[: found + 1]
        add_beyond(words, word_bags, word_heavy, state, RATIO_WORD, gave, i, far, among, sums)
        add_beyond(names, name_bags, name_heavy, state, RATIO_NAME, own, i, most_named, among, sums)
        who[at, :] = -2
        who[at, 0] = own
        value[at, 0] = new
        if mine > 0:
            who[at, 1] = -1
            value[at, 1] = new
        for t in range(0 if mine > 0 else 1, found + 1):
            e = chosen[t]
            if state[e, STAMP] != i:
                state[e, PRODUCT] = 1.0
                state[e, SCALE] = 0.0
            k = 0 if t == 0 else 1 + t
            who[at, k] = e
            value[at, k] = (
                state[e, SCALE] + log(state[e, PRODUCT]) + state[e, PRIOR]
                + limit_sum(limits[0], limits[1], limits[2], label, i, e)
                + length[i] * state[e, LEAST_WORD] + named[i] * state[e, LEAST_NAME] + said[t]
            )  # fmt: skip
        state[own] = names_of
        state[gave] = words_of


@njit(cache=True, nogil=True)
def take_moves(nodes, who, value, label, limits, following, sure, settled):  # type: ignore[no-untyped-def]
    """Move nodes to their best entities, one by one, unless another that may not be there has come; how many moved.

    A node is `settled` if its best entity exceeds the next by more than `sure`. An entity that half of its members
    have just left is not what it was: two that would each go to the other would go on for ever.
    """
    moved = 0
    members = np.zeros(following, dtype=np.int64)
    gone = np.zeros(following, dtype=np.int64)
    for e in label:
        members[e] += 1
    for at in range(len(nodes)):
        i = nodes[at]
        best, next_best = 0, -np.inf
        for k in range(1, who.shape[1]):
            if who[at, k] > -2 and value[at, k] > value[at, best]:
                next_best = value[at, best]
                best = k
            elif who[at, k] > -2:
                next_best = max(next_best, value[at, k])
        settled[i] = value[at, best] - next_best > sure
        e = who[at, best]
        if best == 0:
            continue
        if e < 0:
            e = following
            following += 1
        elif 2 * gone[e] >= members[e]:
            continue
        if limit_sum(limits[0], limits[1], limits[2], label, i, e) == -np.inf:
            continue
        gone[label[i]] += 1
        label[i] = e
        moved += 1
    return moved


@njit(cache=True, nogil=True)
def family_gain(start, feature, count, odds, size, mass, strengths, a, b, out):  # type: ignore[no-untyped-def]
    """The evidence of each bag's members with the rest of it: for a, b and both together (out[0], out[1], out[2])."""
    both, united = mass[a] + mass[b], size[a] + size[b]
    least_a, ratio_a = constants(size[a] * (1 - 1 / mass[a]), strengths)
    least_b, ratio_b = constants(size[b] * (1 - 1 / mass[b]), strengths)
    least_c, ratio_c = constants(united * (1 - 1 / both), strengths)
    out[0] += size[a] * least_a
    out[1] += size[b] * least_b
    out[2] += united * least_c
    i, j, end_a, end_b = start[a], start[b], start[a + 1], start[b + 1]
    while i < end_a or j < end_b:
        f = feature[i] if i < end_a else np.int32(2147483647)
        g = feature[j] if j < end_b else np.int32(2147483647)
        x, y, odd = 0, 0, np.inf
        if f <= g:
            x = count[i]
            odd = np.float64(odds[i])
            i += 1
        if g <= f:
            y = count[j]
            # A word that is common in the topic of either bag is no evidence.
            odd = min(odd, np.float64(odds[j]))
            j += 1
        if x > 1:
            out[0] += x * log1p((x - 1) * odd * ratio_a)
        if y > 1:
            out[1] += y * log1p((y - 1) * odd * ratio_b)
        if x + y > 1:
            out[2] += (x + y) * log1p((x + y - 1) * odd * ratio_c)


@njit(cache=True, nogil=True)
def joined_gain(words, names, word_strengths, name_strengths, mass, discount, new, a, b, out):  # type: ignore[no-untyped-def]
    """Return the gain of joining two bags: the evidence within both less that within each, and the prior."""
    out[:] = 0.0
    family_gain(words[0], words[1], words[2], words[3], words[4], mass, word_strengths, a, b, out)
    family_gain(names[0], names[1], names[2], names[3], names[4], mass, name_strengths, a, b, out)
    x, y, both = mass[a], mass[b], mass[a] + mass[b]
    # The first of n members has nothing to agree with.
    evidence = out[2] * (1 - 1 / both) - out[0] * (1 - 1 / x) - out[1] * (1 - 1 / y)
    prior = lgamma(both - discount) - lgamma(x - discount) - lgamma(y - discount) + lgamma(1 - discount) - new
    return evidence + prior


@njit(cache=True, nogil=True)
def add_alike(rows, bags, heavy, strengths, a, fewest, longest, common, touched, many):  # type: ignore[no-untyped-def]
    """Add to every bag that shares a feature with a bag about what the feature says for their being one."""
    start, feature, count, odds, size = rows
    ends, entity, times = bags[0], bags[1], bags[2]
    begins, places = heavy
    floor, weight = strengths
    for c in range(start[a], start[a + 1]):
        f = feature[c]
        if count[c] < fewest:
            continue
        few = ends[f + 1] - ends[f] <= longest
        first, last = (ends[f], ends[f + 1]) if few else (begins[f], begins[f + 1])
        worth = log1p((1 - floor) * odds[c] / (size[a] + weight))
        for at in range(first, last):
            k = at if few else places[at]
            e = entity[k]
            if e == a:
                continue
            if common[e] == 0:
                touched[many] = e
                many += 1
            common[e] += min(count[c], times[k]) * worth
    return many


@njit(cache=True, nogil=True)
def best_partners(  # type: ignore[no-untyped-def]
    which, words, names, word_holders, name_holders, word_heavy, name_heavy, within, word_strengths, name_strengths,
    mass, discount, new, longest, most_named, width, partner, gain, first, last,
):  # fmt: skip
    """For each of the bags which[first:last] the one that it gains most with (−1: none), and how much."""
    entities = len(mass)
    common = np.zeros(entities)
    touched = np.empty(entities, dtype=np.int32)
    best_value, best = np.empty(width), np.empty(width, dtype=np.int32)
    out = np.zeros(3)
    for a in which[first:last]:
        fewest = 2 if mass[a] >= REPEATED else 1
        far = reach(words[0], words[1], word_holders[0], a, longest, PROPOSED_HOLDERS * min(1.0, REPEATED / mass[a]))
        many = add_alike(words, word_holders, word_heavy, word_strengths, a, fewest, far, common, touched, 0)
        many = add_alike(names, name_holders, name_heavy, name_strengths, a, 1, most_named, common, touched, many)
        found = 0
        for t in range(many):
            e = touched[t]
            # Nothing weighs less than 1, so that of most nothing more has to be fetched.
            if (
                (found < width or common[e] > best_value[found - 1])
                and mass[e] <= MOST_TIMES_LARGER * mass[a]
                and within[e] == within[a]
            ):
                found = keep_best(best_value, best, found, common[e] / min(mass[a], mass[e]), e)
            common[e] = 0
        partner[a] = -1
        gain[a] = 0.0
        for t in range(found):
            g = joined_gain(words, names, word_strengths, name_strengths, mass, discount, new, a, best[t], out)
            if g > gain[a]:
                gain[a] = g
                partner[a] = best[t]


@njit(cache=True, nogil=True)
def names_after(start, feature, times, odds, size, floor, a, b):  # type: ignore[no-untyped-def]
    """Σ log(ν + (1 − ν) share / p) over the main names of bag b, by their shares of bag a: each is drawn once."""
    total = 0.0
    for c in range(start[b], start[b + 1]):
        if times[c] < MAIN_NAME * size[b]:
            continue
        share = 0.0
        for k in range(start[a], start[a + 1]):
            if feature[k] == feature[c]:
                share = times[k] / size[a]
        total += log(floor + (1 - floor) * share * odds[c])
    return total


@njit(cache=True, nogil=True)
def partners_by_name(start, feature, times, odds, size, ends, entity, floor, mass, new, most_named, partner, gain):  # type: ignore[no-untyped-def]
    """For each bag of several mentions the one whose names it shares as only the same entity would (−1: none)."""
    for a in range(len(mass)):
        partner[a] = -1
        gain[a] = 0.0
        if mass[a] < FEWEST_TO_NAME:
            continue
        for c in range(start[a], start[a + 1]):
            f = feature[c]
            if times[c] < MAIN_NAME * size[a] or ends[f + 1] - ends[f] > most_named:
                continue
            for k in range(ends[f], ends[f + 1]):
                b = entity[k]
                if b == a or mass[b] < FEWEST_TO_NAME:
                    continue
                both = min(
                    names_after(start, feature, times, odds, size, floor, a, b),
                    names_after(start, feature, times, odds, size, floor, b, a),
                )
                if both - new > gain[a]:
                    gain[a] = both - new
                    partner[a] = b


@njit(cache=True, nogil=True)
def matched(order, partner, forbidden, entities):  # type: ignore[no-untyped-def]
    """Join bags with their partners, the largest gain first, each bag once; `forbidden` are sorted codes a·k + b."""
    goes_to = np.arange(entities)
    taken = np.zeros(entities, dtype=np.bool_)
    joined = 0
    for a in order:
        b = partner[a]
        if taken[a] or taken[b]:
            continue
        code = a * np.int64(entities) + b
        at = np.searchsorted(forbidden, code)
        if at < len(forbidden) and forbidden[at] == code:
            continue
        taken[a] = taken[b] = True
        goes_to[max(a, b)] = min(a, b)
        joined += 1
    return goes_to, joined
