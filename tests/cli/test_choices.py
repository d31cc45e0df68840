"""What `--help` says without loading it is what there is."""

from crossdoc.cli import choices
from crossdoc.cli.cluster_command import OF_GRAPHS
from crossdoc.cluster import registry
from crossdoc.cluster.contexts import calibrated_link, context_clustering, criteria, partitioning
from crossdoc.cluster.correlation import SOLVERS
from crossdoc.cluster.graph_clustering import graph_methods
from crossdoc.compare import context_vectors, training
from crossdoc.compare.association import Cooccurrence
from crossdoc.corpora import CORPORA, conflation
from crossdoc.corpora.wikilinks import LinkFilters
from crossdoc.crosslingual import FEATURE_KINDS, LINK_METHODS, MEASURES
from crossdoc.read.sources import ANNOTATED

THEIRS = '[project.entry-points."crossdoc.clusterers"]\nleaders = "theirs:leaders"\nkarc = "theirs:leaders"\n'


def test_names_are_those_that_there_are():
    assert list(choices.METHODS) == registry.names()
    assert graph_methods() == OF_GRAPHS
    assert choices.DEFAULT_METHOD == registry.DEFAULT
    assert choices.ANNOTATED == ANNOTATED
    assert tuple(CORPORA) == choices.CORPUS_NAMES
    assert choices.STOPPING_RULES == context_clustering.CONTEXT_RULES
    assert tuple(criteria.CODES) == choices.CRITERIA
    assert choices.PARTITIONERS == partitioning.PARTITION_METHODS
    assert choices.VECTORS == context_vectors.KINDS
    assert choices.SOLVERS == SOLVERS
    assert (choices.LINK_METHODS, choices.LINK_FEATURES, choices.LINK_MEASURES) == (
        LINK_METHODS,
        FEATURE_KINDS,
        MEASURES,
    )


def test_defaults_are_those_that_count():
    pairs, links = Cooccurrence(), LinkFilters()
    assert (
        pairs.window, pairs.least_count, pairs.least_score,
    ) == (choices.PAIR_WINDOW, choices.LEAST_COUNT, choices.LEAST_SCORE)  # fmt: skip
    assert (
        links.least_words, links.most_distance, links.least_links,
    ) == (choices.LEAST_WORDS, choices.MOST_DISTANCE, choices.LEAST_LINKS)  # fmt: skip
    assert (links.development, links.seed) == (choices.DEVELOPMENT_SHARE, choices.LINK_SEED)
    assert (choices.LEAST_SIZE, choices.CONTEXT_WORDS) == (calibrated_link.LEAST_SIZE, conflation.WORDS)
    assert choices.TRAINING_PAIRS == training.MOST_PAIRS


def test_a_packages_method_is_listed_once(package):
    package({"theirs": "leaders = None\n"}, THEIRS)
    assert choices.methods() == [*choices.METHODS, "leaders"] == registry.names()
    assert choices.CLUSTERERS == registry.GROUP
