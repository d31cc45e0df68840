"""numba kernels of one round: Metropolis-Hastings steps (flat or informed) and best-move sweeps.

Singh et al. 2011, section 3: a node moves to another entity or a new one and the move is accepted with
min(1, (p(e′)/p(e))^{1/t} · q(e|e′)/q(e′|e)). A pair that comes together gains its affinity ψ and loses its repulsion
−ψ, so log p changes by 2ψ. Nothing here is validated.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from crossdoc.cluster.sampling.tables import FULL, LIVE, ask_row, ask_table, entity_dot, put_into, take_out

PROPOSED, EVALUATED, ACCEPTED, DOT, PAIRS = 0, 1, 2, 3, 4
"""What a kernel counts: proposals, those among them that needed a dot product with another entity or the node's own,
accepted ones, change of Σ query·stored and of Σ size·size over pairs within entities."""
STEPS_BETWEEN_LOOKS = 256
AT_HOME = 3
"""A best move does not look at entities that hold less than a third as many of a node's neighbours as its own does."""


@njit(cache=True, nogil=True, inline="always")
def draw(state):  # type: ignore[no-untyped-def]
    """64 random bits (splitmix64: Steele, Lea, Flood 2014, doi:10.1145/2660193.2660195)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(cache=True, nogil=True, inline="always")
def below(state, n):  # type: ignore[no-untyped-def]
    return np.int64(((draw(state) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@njit(cache=True, nogil=True, inline="always")
def unit(state):  # type: ignore[no-untyped-def]
    """In (0, 1], so that its logarithm is finite."""
    return (np.float64(draw(state) >> np.uint64(11)) + 1.0) * 2.0**-53


@njit(cache=True, nogil=True)
def limit_sum(rows, entities, where, node, e):  # type: ignore[no-untyped-def]
    """What the limits of a node add to its joining an entity; −inf if one of them forbids it."""
    total = 0.0
    for at in range(rows.limit_start[node], rows.limit_start[node + 1]):
        other = where[rows.limit_other[at]]
        if other >= 0 and entities.label[other] == e:
            total += rows.limit_weight[at]
    return total


@njit(cache=True, nogil=True, inline="always")
def value_of(rows, entities, where, node, e, dot, mass, bias, unit_value):  # type: ignore[no-untyped-def]
    """Σ ψ between a node and an entity of so much dot and mass."""
    value = np.float64(dot) * unit_value - bias * np.float64(rows.size[node]) * np.float64(mass)
    if rows.limit_start[node + 1] > rows.limit_start[node]:
        value += limit_sum(rows, entities, where, node, e)
    return value


@njit(cache=True, nogil=True)
def first_without(entities, i, priority):  # type: ignore[no-untyped-def]
    """Which node would be the first of node i's entity without it."""
    best = np.int64(-1)
    member = entities.head[entities.label[i]]
    while member >= 0:
        if member != i and (best < 0 or priority[member] < priority[best]):
            best = member
        member = entities.following[member]
    return best


@njit(cache=True, nogil=True)
def first_of(entities, priority):  # type: ignore[no-untyped-def]
    """The first member of each entity."""
    first = np.full(len(entities.nodes), -1, dtype=np.int64)
    for i in range(len(entities.nodes)):
        e = entities.label[i]
        if first[e] < 0 or priority[i] < priority[first[e]]:
            first[e] = i
    return first


@njit(cache=True, nogil=True)
def stays(entities, i, target, priority, here, first):  # type: ignore[no-untyped-def]
    """Whether a move leaves every entity with a first member whose worker is this one.

    Entities were dealt by their first members. A move after which they would be dealt otherwise has no way back in this
    round, so taking it would bend the distribution.
    """
    source = entities.label[i]
    if (target < 0 or priority[i] < priority[first[target]]) and not here[i]:
        return False
    return first[source] != i or entities.count[source] == 1 or here[first_without(entities, i, priority)]


@njit(cache=True, nogil=True)
def chain(  # type: ignore[no-untyped-def]
    rows, entities, where, neighbours, share_new, share_flat, bias, unit_value, temperature, in_order, tries, steps,
    priority, here, state, stop, samples, every,
):  # fmt: skip
    """Metropolis-Hastings steps; returns the counts.

    A proposal takes a random neighbour's entity (drawn from the fixed list of the node), a new entity (`share_new`) or
    any entity (`share_flat`; all of them if there are no neighbours): q(B) = share_near · |B ∩ N(i)| / |N(i)| +
    share_flat / choices, with share_new added for a new one. With `in_order` nodes take turns, `tries` proposals
    each, else each proposal is of a random node. `here` is empty, or says whose moves keep the deal (see `stays`).
    Every `every` proposals the labels go to the next row of `samples`.
    """
    counts = np.zeros(5, dtype=np.int64)
    m, width = len(entities.nodes), neighbours.shape[1]
    label, count, mass, tally = entities.label, entities.count, entities.mass, entities.tally
    share_near = 1.0 - share_new - share_flat
    taken, i = 0, np.int64(-1)
    # What a node has in common with its entity stays true until that entity changes.
    known = np.zeros(m, dtype=np.int64)
    known_at = np.full(m, -1, dtype=np.int32)
    changes = np.zeros(m, dtype=np.int32)
    upcoming = below(state, m)
    first = first_of(entities, priority) if len(here) > 0 else np.zeros(0, dtype=np.int64)
    for step in range(steps):
        if step % STEPS_BETWEEN_LOOKS == 0 and stop[0] != 0:
            break
        if every > 0 and step > 0 and step % every == 0 and taken < len(samples):
            samples[taken] = label
            taken += 1
        counts[PROPOSED] += 1
        if in_order:
            if step % tries == 0:
                i = (step // tries) % m
                ask_row(rows, np.int64(entities.nodes[(i + 1) % m]))
        else:
            i, upcoming = upcoming, below(state, m)
            ask_row(rows, np.int64(entities.nodes[upcoming]))
        node = np.int64(entities.nodes[i])
        source = np.int64(label[i])
        alone = count[source] == 1
        chosen = unit(state)
        target = np.int64(-2)
        if chosen <= share_near:
            other = neighbours[node, below(state, width)]
            if other >= 0 and where[other] >= 0:
                target = np.int64(label[where[other]])
        elif chosen <= share_near + share_new:
            target = np.int64(-1)
        else:
            # The other entities, and a new one unless the node is alone: the same number of choices on the way back.
            at = below(state, tally[LIVE] - (1 if alone else 0)) if tally[LIVE] > (1 if alone else 0) else np.int64(-1)
            if at >= 0:
                at += at >= entities.place[source]
                target = np.int64(entities.live[at]) if at < tally[LIVE] else np.int64(-1)
        if target == -2 or target == source or (target < 0 and alone):
            continue
        if len(here) > 0 and not stays(entities, i, target, priority, here, first):
            continue
        counts[EVALUATED] += 1
        stale = not alone and known_at[i] != changes[source]
        if stale:
            ask_table(rows, entities, node, source)
        if target >= 0:
            ask_table(rows, entities, node, target)
        if stale:
            known[i] = entity_dot(rows, entities, node, source) - rows.own[node]
            known_at[i] = changes[source]
        own_value, own_dot = 0.0, np.int64(0)
        if not alone:
            own_dot = known[i]
            own_value = value_of(
                rows, entities, where, node, source, own_dot, mass[source] - rows.size[node], bias, unit_value
            )
        new_value, new_dot, new_mass = 0.0, np.int64(0), np.int64(0)
        if target >= 0:
            new_dot = entity_dot(rows, entities, node, target)
            new_mass = mass[target]
            new_value = value_of(rows, entities, where, node, target, new_dot, new_mass, bias, unit_value)
        gain = 2.0 * (new_value - own_value)
        if temperature > 0.0:
            back = 0.0
            if width > 0:
                choices = np.float64(tally[LIVE] - (1 if alone else 0))
                there = share_flat / choices + (share_new if target < 0 else 0.0)
                here_again = share_flat / choices + (share_new if alone else 0.0)
                for k in range(width):
                    other = neighbours[node, k]
                    if other >= 0 and where[other] >= 0 and where[other] != i:
                        held = label[where[other]]
                        if held == target:
                            there += share_near / width
                        elif held == source:
                            here_again += share_near / width
                if here_again <= 0.0:
                    continue
                back = np.log(here_again / there)
            accepted = np.log(unit(state)) <= gain / temperature + back
        else:
            accepted = gain > 0.0
        if not accepted:
            continue
        counts[ACCEPTED] += 1
        counts[DOT] += new_dot - own_dot
        counts[PAIRS] += rows.size[node] * (new_mass - (mass[source] - rows.size[node]))
        if len(here) > 0 and first[source] == i and not alone:
            first[source] = first_without(entities, i, priority)
        take_out(rows, entities, i)
        put_into(rows, entities, i, target)
        joined = label[i]
        if len(here) > 0 and (count[joined] == 1 or priority[i] < priority[first[joined]]):
            first[joined] = i
        changes[source] += 1
        changes[joined] += 1
        known_at[i] = -1
        if tally[FULL] != 0:
            break
    if every > 0 and taken < len(samples):
        samples[taken] = label
    return counts


@njit(cache=True, nogil=True)
def best_moves(rows, entities, where, neighbours, most, bias, unit_value, sweeps, stop):  # type: ignore[no-untyped-def]
    """Sweeps in which every node goes where it gains most: to one of the `most` entities that hold most of its
    neighbours, or to a new one, or nowhere. Stops early after a sweep without a move. Returns the counts.
    """
    counts = np.zeros(5, dtype=np.int64)
    m, width = len(entities.nodes), neighbours.shape[1]
    label, count, mass = entities.label, entities.count, entities.mass
    held = np.empty(width, dtype=np.int64)
    votes = np.empty(width, dtype=np.int64)
    for _ in range(sweeps):
        moved = False
        for i in range(m):
            if i % STEPS_BETWEEN_LOOKS == 0 and stop[0] != 0:
                return counts
            node = np.int64(entities.nodes[i])
            source = np.int64(label[i])
            if i + 1 < m:
                ask_row(rows, np.int64(entities.nodes[i + 1]))
            kinds, at_home = 0, 0
            for k in range(width):
                other = neighbours[node, k]
                if other < 0 or where[other] < 0:
                    continue
                e = np.int64(label[where[other]])
                if e == source:
                    at_home += 1
                    continue
                at = 0
                while at < kinds and held[at] != e:
                    at += 1
                if at == kinds:
                    held[at] = e
                    votes[at] = 0
                    kinds += 1
                votes[at] += 1
            looked = 0
            while looked < min(kinds, most):
                best = looked
                for k in range(looked + 1, kinds):
                    if votes[k] > votes[best]:
                        best = k
                if votes[best] * AT_HOME < at_home:
                    break
                held[looked], held[best] = held[best], held[looked]
                votes[looked], votes[best] = votes[best], votes[looked]
                ask_table(rows, entities, node, held[looked])
                looked += 1
            if looked == 0 and at_home > 1:
                continue
            own_value, own_dot = 0.0, np.int64(0)
            if count[source] > 1:
                own_dot = entity_dot(rows, entities, node, source) - rows.own[node]
                own_value = value_of(
                    rows, entities, where, node, source, own_dot, mass[source] - rows.size[node], bias, unit_value
                )
            target, best_value, best_dot, best_mass = source, own_value, own_dot, np.int64(0)
            if best_value < 0.0:
                target, best_value, best_dot = np.int64(-1), 0.0, np.int64(0)
            for at in range(looked):
                e = held[at]
                dot = entity_dot(rows, entities, node, e)
                value = value_of(rows, entities, where, node, e, dot, mass[e], bias, unit_value)
                if value > best_value:
                    target, best_value, best_dot, best_mass = e, value, dot, mass[e]
            counts[PROPOSED] += looked + 1
            counts[EVALUATED] += looked
            if target == source:
                continue
            moved = True
            counts[ACCEPTED] += 1
            counts[DOT] += best_dot - own_dot
            counts[PAIRS] += rows.size[node] * (best_mass - (mass[source] - rows.size[node]))
            take_out(rows, entities, i)
            put_into(rows, entities, i, target)
            if entities.tally[FULL] != 0:
                return counts
        if not moved:
            break
    return counts
