"""Correlation clustering: seconds, memory and cost of the solvers, as ratios to each other and to peers in one run.

    python benchmarks/correlation_speed.py [lp] [exact] [sparse] [moves] [large] [--full-at 128 200] [--seeds 0 1 2 3]
                                           [--kinds near percolated anywhere] [--seconds 300]
    python benchmarks/correlation_speed.py resolve --profiles FILE… [--one-name] [--certificate]

lp: the lazy relaxation against the paper's full program; exact: the integer optimum; sparse: 100,000 nodes, of each
of `--kinds`, for at most `--seconds`; moves: local search against bioimage-cpp (GAEC + Kernighan-Lin) and leidenalg
(CPM), where they are installed, on instances of each of `--seeds`; large: 10 million edges; resolve: clustering as in
`crossdoc resolve`, of profiles that `crossdoc extract` wrote, against average linkage, and with `--certificate` against
what it costs to prove how good the answers are.
Seconds are of the wall clock and (cpu) of the processor, memory is the peak of the process so far.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from crossdoc.cluster.correlation import CorrelationProblem, build, exact, full_program, local_search, relaxation
from crossdoc.model import Evidence, Profiles
from crossdoc.run.stages import cluster_evidence, compare_profiles

sys.path.insert(0, str(Path(__file__).parents[1] / "experiments"))
from correlation_instances import languages, planted

PARTS = ("lp", "exact", "sparse", "moves", "large")
RESOLVE = "resolve"
KINDS: dict[str, dict[str, Any]] = {
    "near": {"across": 6.1},
    "percolated": {"across": 5.6, "reach": 100},
    "anywhere": {"reach": 0, "flipped": 0.03},
}
"""Where repulsive pairs of the sparse graphs lead."""
NEVER = 1e4
"""The weight of pairs that may not be together, for peers that know no constraints."""


def problem_of(n: int, positive: float, constrained: bool = True, seed: int = 0) -> CorrelationProblem:
    """Groups in eight languages, similarity − bias."""
    drawn = languages(n, 8, positive, seed=seed)
    return build(drawn.similarity, bias=drawn.bias, groups=drawn.language if constrained else None)


def random_signs(n: int, density: float, seed: int) -> CorrelationProblem:
    """Random weights round 0 between random pairs: nothing is planted, and clusters are large."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.normal(size=(n, n)) * (rng.random((n, n)) < density), 1)
    return build(upper + upper.T)


def gigabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


@dataclass(frozen=True)
class Timed:
    result: Any
    seconds: float
    cpu: float
    """Of the processor: what is left of it when other work shares the machine."""


def timed(work: Callable[..., Any], *given: Any) -> Timed:
    start, cpu = time.perf_counter(), time.process_time()
    result = work(*given)
    return Timed(result, time.perf_counter() - start, time.process_time() - cpu)


def lp(full_at: list[int]) -> None:
    print(
        "\nrelaxation, dense, eight languages (seconds of the wall clock; ratio of processor seconds)\n"
        "     n  positive    lazy s   full s  full/lazy   lazy bound   full bound   peak GB"
    )
    for n, positive in [(n, 0.03) for n in full_at] + [(512, 0.03), (1024, 0.01)]:
        problem = problem_of(n, positive)
        lazy = timed(relaxation.solve, problem)
        line = f"{n:6,} {positive:8.0%} {lazy.seconds:9.2f}"
        if n in full_at:
            memory = gigabytes()
            whole = timed(full_program.solve, problem)
            line += f" {whole.seconds:8.1f} {whole.cpu / lazy.cpu:10.0f} {lazy.result.lower_bound:12.6f}"
            line += f" {whole.result.lower_bound:12.6f}"
            line += f"   {memory:.2f}, full {gigabytes():.2f}"
        else:
            line += f" {'':8} {'':10} {lazy.result.lower_bound:12.6f} {'':12}   {gigabytes():.2f}"
        print(line, flush=True)


def integer() -> None:
    print("\nexact, dense, eight languages\n     n  positive   seconds     cpu         cost        bound       gap")
    for n, positive in [(512, 0.01), (128, 0.1), (160, 0.1), (512, 0.03)]:
        run = timed(lambda n=n, p=positive: exact.solve(problem_of(n, p), time_limit=120))  # type: ignore[misc]
        solution = run.result
        print(
            f"{n:6,} {positive:8.0%} {run.seconds:9.2f} {run.cpu:7.2f} {solution.objective:12.6f}"
            f" {solution.lower_bound:12.6f} {solution.gap:9.4%}",
            flush=True,
        )


def sparse(kinds: list[str], seconds: float) -> None:
    print(
        "\nsparse, 100,000 nodes; near, percolated: repulsive pairs within 60 and 100 nodes, 5% of signs wrong; "
        "anywhere: to any node, 3% of signs wrong"
    )
    for name in kinds:
        drawn = planted(100_000, **KINDS[name])
        problem = build(drawn[0], missing="sparse")
        left, right, _ = problem.positive
        links = coo_matrix((np.ones(len(left)), (left, right)), shape=(problem.n_nodes, problem.n_nodes))
        largest = np.bincount(connected_components(links, directed=False)[1]).max() / problem.n_nodes
        run = timed(lambda problem=problem: relaxation.solve(problem, time_limit=seconds))  # type: ignore[misc]
        solution = run.result
        print(
            f"{name}: {problem.n_edges:,} edges, largest attractive component {largest:.0%} of the nodes: relaxation "
            f"{run.seconds:.1f} s (cpu {run.cpu:.1f}), {gigabytes():.2f} GB, bound {solution.lower_bound:.1f}, cost "
            f"{solution.objective:.1f}, certified gap {solution.gap:.3%} (planted clusters: "
            f"{problem.cost(drawn[1]):.1f}); {solution.note}",
            flush=True,
        )


def planted_problem(n: int, seed: int, **how: float) -> CorrelationProblem:
    return build(planted(n, seed=seed, **how)[0], missing="sparse")  # type: ignore[arg-type]


def search_cases(seed: int) -> dict[str, Callable[[], CorrelationProblem]]:
    cases: dict[str, Callable[[], CorrelationProblem]] = {
        f"languages {n:,}, {positive:.0%}": lambda n=n, p=positive: problem_of(n, p, seed=seed)  # type: ignore[misc]
        for n, positive in [(128, 0.1), (200, 0.03), (200, 0.3), (512, 0.01), (512, 0.1), (1024, 0.01), (1024, 0.03)]
    }
    cases["no constraints 300, 10%"] = lambda: problem_of(300, 0.1, False, seed)
    cases["no constraints 600, 2%"] = lambda: problem_of(600, 0.02, False, seed)
    cases["random signs 300"] = lambda: random_signs(300, 1.0, seed)
    cases["random signs 800, 10%"] = lambda: random_signs(800, 0.1, seed)
    cases["planted 20,000"] = lambda: planted_problem(20_000, seed)
    cases["planted anywhere 20,000"] = lambda: planted_problem(20_000, seed, reach=0, flipped=0.03)
    cases["planted 100,000"] = lambda: planted_problem(100_000, seed, across=6.1)
    cases["planted anywhere 100,000"] = lambda: planted_problem(100_000, seed, reach=0, flipped=0.03)
    return cases


def search_speed(seeds: list[int]) -> None:
    peers = {name: run for name, run in PEERS.items() if installed(name)}
    for name in PEERS.keys() - peers.keys():
        print(f"\n{name.replace('_', '-')} is not installed and is left out")
    print(
        "\nlocal moves; 'one start' is restarts=0: edges a processor second, cost relative to that with restarts\n"
        "case                      seed      edges   seconds     cpu edges/cpu         cost  one start     cost"
        + "".join(f"  {name.replace('_', '-'):>13} cost      cpu  ours/theirs" for name in peers)
    )
    local_search.search(problem_of(64, 0.1))
    compared = worse = 0
    for seed, (name, make) in ((drawn, case) for drawn in seeds for case in search_cases(drawn).items()):
        problem = make()
        ours = timed(local_search.search, problem)
        once = timed(lambda problem=problem: local_search.search(problem, restarts=0))  # type: ignore[misc]
        cost = problem.cost(ours.result)
        line = f"{name:26s}{seed:4} {problem.n_edges:10,} {ours.seconds:9.3f} {ours.cpu:7.3f}"
        line += f"  {problem.n_edges / ours.cpu:8.1e} {cost:12.4f}   {problem.n_edges / once.cpu:8.1e}"
        line += f"  {problem.cost(once.result) / cost:7.5f}"
        left, right, weight = written_out(problem)
        for peer in peers.values():
            theirs = timed(peer, problem.n_nodes, left, right, weight)
            their_cost = problem.cost(np.unique(theirs.result, return_inverse=True)[1])
            lost = cost > their_cost * (1 + 1e-9)
            compared, worse = compared + 1, worse + lost
            line += f"  {their_cost:18.4f} {theirs.cpu:8.2f} {cost / their_cost:12.5f}{'  WORSE' if lost else ''}"
        print(line, flush=True)
    print(f"worse than a peer in {worse} of {compared} comparisons")


def written_out(problem: CorrelationProblem) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """All edges with their weights, penalty and constraints among them."""
    n = problem.n_nodes
    row = np.repeat(np.arange(n), np.diff(problem.starts))
    once = row < problem.neighbour
    left, right, weight = row[once], problem.neighbour[once].astype(np.int64), problem.weight[once].astype(np.float64)
    if problem.penalty or len(problem.kind):
        matrix = -problem.penalty * np.outer(problem.size, problem.size)
        matrix[left, right] += weight
        held = np.zeros((n, problem.n_kinds))
        held[np.repeat(np.arange(n), np.diff(problem.kind_starts)), problem.kind] = 1
        matrix[held @ held.T > 0] = -NEVER
        left, right = np.triu_indices(n, 1)
        weight = matrix[left, right]
    return left, right, weight


def by_bioimage(n: int, left: Any, right: Any, weight: Any) -> NDArray[Any]:
    graph = importlib.import_module("bioimage_cpp").graph
    edges = graph.UndirectedGraph.from_edges(n, np.stack([left, right], axis=1).astype(np.uint64))
    objective = graph.multicut.MulticutObjective(edges, weight)
    chain = [graph.multicut.GreedyAdditiveMulticut(), graph.multicut.KernighanLinMulticut()]
    return np.asarray(graph.multicut.ChainedMulticutSolvers(chain).optimize(objective))


def by_leidenalg(n: int, left: Any, right: Any, weight: Any) -> NDArray[Any]:
    leidenalg, igraph = importlib.import_module("leidenalg"), importlib.import_module("igraph")
    graph = igraph.Graph(n=n, edges=np.stack([left, right], axis=1))
    return np.array(
        leidenalg.find_partition(
            graph, leidenalg.CPMVertexPartition, weights=weight, resolution_parameter=0.0, seed=0
        ).membership
    )


PEERS: dict[str, Callable[..., NDArray[Any]]] = {"bioimage_cpp": by_bioimage, "leidenalg": by_leidenalg}


def installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def large() -> None:
    pairs, _ = planted(1_050_000, across=6.8)
    built = timed(lambda: build(pairs, missing="sparse"))
    problem = built.result
    search = timed(local_search.search, problem)
    print(
        f"\n{problem.n_edges:,} edges over {problem.n_nodes:,} nodes: built in {built.seconds:.1f} s, local moves "
        f"{search.seconds:.1f} s (cpu {search.cpu:.1f}), {gigabytes():.2f} GB"
    )


def total_cost(evidence: list[Evidence], labels: list[NDArray[Any]]) -> float:
    """The disagreements of a clustering, over all parts."""
    total = 0.0
    for each, of in zip(evidence, labels, strict=True):
        for rows in each.components():
            if len(rows) > 1:
                part = each.part(rows)
                problem = build(part.relations(), bias=0.5, constraints=part.limits)
                clusters = np.zeros(problem.n_nodes, dtype=np.int32)
                clusters[problem.node] = np.unique(of[rows], return_inverse=True)[1]
                total += problem.cost(clusters)
    return total


def resolve(files: list[Path], one_name: bool, certificate: bool) -> None:
    evidence: list[Evidence] = []
    for file in files:
        evidence += compare_profiles(Profiles(pq.read_table(file)), one_name=one_name).values()
    runs: dict[str, dict[str, Any]] = {"average-linkage": {}, "mean-max-linkage": {}, "correlation": {}}
    if certificate:
        runs["correlation, certificate"] = {"certificate": True}
    print(
        f"\nclustering as in resolve, {sum(map(len, evidence)):,} profiles (seconds, and of the processor)\n"
        "method                      seconds     cpu  times linkage (cpu)        cost"
    )
    linkage = None
    for name, how in runs.items():
        # The first run loads the kernels; a certificate takes far longer than that.
        tries = [timed(clustered, evidence, name.split(",")[0], how) for _ in range(1 if how else 3)]
        run = min(tries, key=attrgetter("cpu"))
        linkage = linkage or run
        cost = total_cost(evidence, run.result)
        print(
            f"{name:26s} {run.seconds:8.2f} {run.cpu:7.2f} {run.seconds / linkage.seconds:9.2f} "
            f"{run.cpu / linkage.cpu:11.2f} {cost:11.4f}",
            flush=True,
        )


def clustered(evidence: list[Evidence], method: str, how: dict[str, Any]) -> list[NDArray[Any]]:
    return [cluster_evidence(each, method, **how).partition.labels for each in evidence]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=PARTS, metavar="PART")
    parser.add_argument("--profiles", type=Path, nargs="+", default=[])
    parser.add_argument("--one-name", action="store_true", help="each file has the profiles of one name")
    parser.add_argument("--certificate", action="store_true")
    parser.add_argument("--full-at", type=int, nargs="*", default=[128, 200])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=KINDS)
    parser.add_argument("--seconds", type=float, default=300.0)
    options = parser.parse_args()
    if unknown := set(options.parts) - {*PARTS, RESOLVE}:
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join([*PARTS, RESOLVE])}")
    if RESOLVE in options.parts and not options.profiles:
        parser.error("resolve needs --profiles FILE, as crossdoc extract writes it")
    relaxation.solve(problem_of(64, 0.1))
    exact.solve(problem_of(64, 0.1))
    full_program.solve(problem_of(32, 0.1))
    work: dict[str, Callable[[], None]] = {
        "lp": lambda: lp(options.full_at),
        "exact": integer,
        "sparse": lambda: sparse(options.kinds, options.seconds),
        "moves": lambda: search_speed(options.seeds),
        "large": large,
        RESOLVE: lambda: resolve(options.profiles, options.one_name, options.certificate),
    }
    for part in options.parts:
        work[part]()


if __name__ == "__main__":
    main()
