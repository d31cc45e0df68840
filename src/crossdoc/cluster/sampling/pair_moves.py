"""numba kernels of one round: Metropolis-Hastings steps (flat or informed) and best-move sweeps.

Singh et al. 2011, section 3: a node moves to another entity or a new one and the move is accepted with
min(1, (p(e′)/p(e))^{1/t} · q(e|e′)/q(e′|e)). A pair that comes together gains its affinity ψ and loses its repulsion
−ψ, so log p changes by 2ψ. Nothing here is validated.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from crossdoc.cluster.sampling.entity_tables import (
    ARENA_FULL,
    CHANGES,
    COUNT,
    LIVE_PLACE,
    MASS,
    N_LIVE,
    ask_entity,
    ask_row,
    entity_dot,
    put_into,
    take_out,
)

PROPOSED, EVALUATED, ACCEPTED, DOT, PAIRS = 0, 1, 2, 3, 4
"""Indices of a kernel's counts: proposals, proposals that needed a dot product, accepted ones, and the changes of
Σ query·stored and Σ size·size over pairs within entities."""
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
def within(bits, n):  # type: ignore[no-untyped-def]
    """A number below n from 64 random bits."""
    return np.int64(((bits >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@njit(cache=True, nogil=True, inline="always")
def below(state, n):  # type: ignore[no-untyped-def]
    return within(draw(state), n)


@njit(cache=True, nogil=True, inline="always")
def unit(state):  # type: ignore[no-untyped-def]
    """In (0, 1], so that its logarithm is finite."""
    return (np.float64(draw(state) >> np.uint64(11)) + 1.0) * 2.0**-53


@njit(cache=True, nogil=True)
def limit_sum(limit_start, limit_other, limit_weight, label, node, e):  # type: ignore[no-untyped-def]
    """Return the sum of a node's limits with an entity; −inf if one of them forbids it."""
    total = 0.0
    for at in range(limit_start[node], limit_start[node + 1]):
        if label[limit_other[at]] == e:
            total += limit_weight[at]
    return total


@njit(cache=True, nogil=True)
def those_here(nodes, label, neighbours):  # type: ignore[no-untyped-def]
    """Each node's neighbours that take part in the round, and how many: who does so stays the same through it."""
    near = np.empty(neighbours.shape, dtype=np.int32)
    many = np.zeros(len(label), dtype=np.int32)
    for node in nodes:
        for other in neighbours[node]:
            if other >= 0 and other != node and label[other] >= 0:
                near[node, many[node]] = other
                many[node] += 1
    return near, many


@njit(cache=True, nogil=True)
def target_of(label, record, live, tally, near, many, node, chosen, pick, share_near, share_new):  # type: ignore[no-untyped-def]
    """The entity that two random numbers propose for a node: −1 is a new one, −2 none."""
    if chosen <= share_near:
        return np.int64(label[near[node, within(pick, many[node])]]) if many[node] > 0 else np.int64(-2)
    if chosen <= share_near + share_new:
        return np.int64(-1)
    # The other entities, and a new one unless the node is alone: the same number of choices on the way back.
    source = label[node]
    choices = tally[N_LIVE] - (record[source, COUNT] == 1)
    if choices == 0:
        return np.int64(-2)
    at = within(pick, choices)
    at += at >= record[source, LIVE_PLACE]
    return np.int64(live[at]) if at < tally[N_LIVE] else np.int64(-1)


@njit(cache=True, nogil=True)
def chain(  # type: ignore[no-untyped-def]
    rows, entities, neighbours, share_new, share_flat, bias, unit_value, temperature, in_order, tries, steps, state,
    stop,
):  # fmt: skip
    """Metropolis-Hastings steps; returns the counts.

    A proposal takes the entity of a random neighbour (of the node's fixed list N, those that are here), a new entity
    (`share_new`) or any entity (`share_flat`; all of them if there are no neighbours): q(B) = share_near · |B ∩ N| /
    |N| + share_flat / choices, with share_new added for a new one. With `in_order` nodes take turns, `tries` proposals
    each, else each proposal is of a random node.
    """
    counts = np.zeros(5, dtype=np.int64)
    nodes, label, record, arena = entities.nodes, entities.label, entities.record, entities.arena
    live, tally = entities.live, entities.tally
    query, query_start, cells, start = rows.query_cells, rows.query_start, rows.cells, rows.start
    limits = rows.limit_start, rows.limit_other, rows.limit_weight
    m, n, width = len(nodes), len(label), neighbours.shape[1]
    share_near = 1.0 - share_new - share_flat
    near, many = those_here(nodes, label, neighbours)
    # The dot of a node with its entity is valid until that entity changes.
    known = np.zeros(n, dtype=np.int64)
    known_at = np.full(n, -1, dtype=np.int64)
    for step in range(steps):
        if step % STEPS_BETWEEN_LOOKS == 0 and stop[0] != 0:
            break
        counts[PROPOSED] += 1
        node = np.int64(nodes[(step // tries) % m if in_order else below(state, m)])
        chosen, pick = unit(state), draw(state)
        source = np.int64(label[node])
        alone = record[source, COUNT] == 1
        target = target_of(label, record, live, tally, near, many, node, chosen, pick, share_near, share_new)
        if target == -2 or target == source or (target < 0 and alone):
            continue
        counts[EVALUATED] += 1
        size = rows.size[node]
        limited = limits[0][node + 1] > limits[0][node]
        own_value, own_dot, own_mass = 0.0, np.int64(0), record[source, MASS] - size
        if not alone:
            if known_at[node] != record[source, CHANGES]:
                dot = entity_dot(query, query_start, cells, start, record, arena, node, source)
                known[node] = dot - rows.own[node]
                known_at[node] = record[source, CHANGES]
            own_dot = known[node]
            own_value = np.float64(own_dot) * unit_value - bias * np.float64(size) * np.float64(own_mass)
            if limited:
                own_value += limit_sum(*limits, label, node, source)
        new_value, new_dot, new_mass = 0.0, np.int64(0), np.int64(0)
        if target >= 0:
            new_dot = entity_dot(query, query_start, cells, start, record, arena, node, target)
            new_mass = record[target, MASS]
            new_value = np.float64(new_dot) * unit_value - bias * np.float64(size) * np.float64(new_mass)
            if limited:
                new_value += limit_sum(*limits, label, node, target)
        gain = 2.0 * (new_value - own_value)
        if temperature > 0.0:
            back = 0.0
            if width > 0:
                choices = np.float64(tally[N_LIVE] - alone)
                there = share_flat / choices + (share_new if target < 0 else 0.0)
                here_again = share_flat / choices + (share_new if alone else 0.0)
                for k in range(many[node]):
                    held = label[near[node, k]]
                    if held == target:
                        there += share_near / many[node]
                    elif held == source:
                        here_again += share_near / many[node]
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
        counts[PAIRS] += size * (new_mass - own_mass)
        take_out(rows, entities, node)
        put_into(rows, entities, node, target)
        known_at[node] = -1
        if tally[ARENA_FULL] != 0:
            break
    return counts


@njit(cache=True, nogil=True)
def candidates(label, neighbours, node, most, held, votes):  # type: ignore[no-untyped-def]
    """Into `held` the entities that hold most of a node's neighbours; how many, and how many are in its own."""
    source = label[node]
    kinds, at_home = 0, 0
    for k in range(neighbours.shape[1]):
        other = neighbours[node, k]
        if other < 0 or label[other] < 0:
            continue
        e = label[other]
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
        looked += 1
    return looked, at_home


@njit(cache=True, nogil=True)
def best_moves(  # type: ignore[no-untyped-def]
    rows, entities, neighbours, most, bias, unit_value, sweeps, thorough, stop
):
    """Sweeps in which every node goes where it gains most: to one of the `most` entities that hold most of its
    neighbours, or to a new one, or nowhere. Stops early after a sweep without a move. Returns the counts.

    A node with all its neighbours at home is passed over, unless the sweep is `thorough`: what is in one entity though
    it should not be would stay there.

    The candidates of a node are found while the one before it is still in work, so that memory can be asked for them.
    """
    counts = np.zeros(5, dtype=np.int64)
    nodes, label, record, arena = entities.nodes, entities.label, entities.record, entities.arena
    query, query_start, cells, start = rows.query_cells, rows.query_start, rows.cells, rows.start
    limits = rows.limit_start, rows.limit_other, rows.limit_weight
    m, width = len(nodes), neighbours.shape[1]
    held = np.empty((2, width), dtype=np.int64)
    votes = np.empty(width, dtype=np.int64)
    for _ in range(sweeps):
        moved = False
        next_looked, next_at_home = candidates(label, neighbours, np.int64(nodes[0]), most, held[0], votes)
        for i in range(m):
            if i % STEPS_BETWEEN_LOOKS == 0 and stop[0] != 0:
                return counts
            looked, at_home, mine = next_looked, next_at_home, held[i % 2]
            if i + 2 < m:
                ask_row(query, query_start, np.int64(nodes[i + 2]))
            if i + 1 < m:
                theirs, upcoming = held[(i + 1) % 2], np.int64(nodes[i + 1])
                next_looked, next_at_home = candidates(label, neighbours, upcoming, most, theirs, votes)
                for at in range(next_looked):
                    ask_entity(query, query_start, cells, start, record, arena, upcoming, theirs[at])
                if thorough or next_looked > 0 or next_at_home <= 1:
                    home = np.int64(label[upcoming])
                    ask_entity(query, query_start, cells, start, record, arena, upcoming, home)
            if looked == 0 and at_home > 1 and not thorough:
                continue
            node = np.int64(nodes[i])
            source = np.int64(label[node])
            size = rows.size[node]
            limited = limits[0][node + 1] > limits[0][node]
            own_value, own_dot, own_mass = 0.0, np.int64(0), record[source, MASS] - size
            if record[source, COUNT] > 1:
                own_dot = entity_dot(query, query_start, cells, start, record, arena, node, source) - rows.own[node]
                own_value = np.float64(own_dot) * unit_value - bias * np.float64(size) * np.float64(own_mass)
                if limited:
                    own_value += limit_sum(*limits, label, node, source)
            target, best_value, best_dot, best_mass = source, own_value, own_dot, np.int64(0)
            if best_value < 0.0:
                target, best_value, best_dot = np.int64(-1), 0.0, np.int64(0)
            counts[PROPOSED] += 1
            for at in range(looked):
                e = mine[at]
                # The node before may have been its last.
                if record[e, COUNT] == 0:
                    continue
                counts[PROPOSED] += 1
                counts[EVALUATED] += 1
                dot = entity_dot(query, query_start, cells, start, record, arena, node, e)
                value = np.float64(dot) * unit_value - bias * np.float64(size) * np.float64(record[e, MASS])
                if limited:
                    value += limit_sum(*limits, label, node, e)
                if value > best_value:
                    target, best_value, best_dot, best_mass = e, value, dot, record[e, MASS]
            if target == source:
                continue
            moved = True
            counts[ACCEPTED] += 1
            counts[DOT] += best_dot - own_dot
            counts[PAIRS] += size * (best_mass - own_mass)
            take_out(rows, entities, node)
            put_into(rows, entities, node, target)
            if entities.tally[ARENA_FULL] != 0:
                return counts
        if not moved:
            break
    return counts
