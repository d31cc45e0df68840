"""The stages one by one give what `resolve` gives."""

import numpy as np
import pytest

from crossdoc import (
    Document,
    Judgement,
    Partition,
    Settings,
    cluster_evidence,
    compare_profiles,
    describe_partition,
    errors,
    extract_profiles,
    read_documents,
    resolve,
)

DETROIT = "the carmaker General Motors in Detroit"
COMMONS = "the Labour leader in the House of Commons"
ARTICLES = [
    Document("a", f"John Smith is chairman of {DETROIT}. Write to smith@example.org."),
    Document("b", f"In Detroit John Smith, chairman of {DETROIT}, spoke. Write to smith@example.org."),
    Document("c", f"John Smith is {COMMONS}."),
    Document("d", f"For {COMMONS}, John Smith, the budget is a fraud."),
]


@pytest.fixture
def found():
    return extract_profiles(ARTICLES, name="John Smith")


def test_together_they_are_resolve(found):
    documents = read_documents(ARTICLES)
    compared = compare_profiles(found.profiles, documents, one_name=True, others=found.others)
    clustered = cluster_evidence(compared["person"])
    described = describe_partition(
        clustered.partition, found.profiles, mentions=found.mentions, documents=documents, evidence=compared["person"]
    )
    with resolve(ARTICLES, name="John Smith") as answer:
        assert answer.partition.labels.tolist() == clustered.partition.labels.tolist() == [0, 0, 1, 1]
        np.testing.assert_allclose(answer.partition.membership.toarray(), clustered.partition.membership.toarray())
        assert [str(identity) for identity in answer.identities()] == [str(identity) for identity in described]


def test_judgements_count(found):
    said = [Judgement("a", "b", "different"), Judgement("b", "c", "same")]
    compared = compare_profiles(found.profiles, one_name=True, constraints=said)
    labels = cluster_evidence(compared["person"], "karc", seed=3).partition.labels
    assert labels[0] != labels[1] == labels[2]


def test_parameters_and_thresholds_reach_the_method(found):
    evidence = compare_profiles(found.profiles, one_name=True)["person"]
    assert cluster_evidence(evidence, threshold=1.0).partition.labels.tolist() == [0, 1, 2, 3]
    assert cluster_evidence(evidence, "karc", variant="paper", n_clusters=3).partition.membership.shape == (4, 3)
    with pytest.raises(errors.UsageError, match="no such parameter"):
        cluster_evidence(evidence, "karc", variants="paper")


def test_contact_details_meet_within_a_call_and_nowhere_else():
    def hashes():
        profiles = extract_profiles(ARTICLES[:2], name="John Smith", describe=True).profiles
        return [profile.attributes.get("email") for profile in profiles]

    (first, second), again = hashes(), hashes()[0]
    assert first == second != again
    kept = Settings(contact_salt="a secret of ours")
    told = [extract_profiles(ARTICLES[:1], name="John Smith", describe=True, settings=kept) for _ in range(2)]
    assert told[0].profiles[0].attributes == told[1].profiles[0].attributes


def test_a_partition_of_others_is_refused(found):
    with pytest.raises(errors.UsageError, match="3"):
        describe_partition(Partition.from_labels(["x", "y", "z"], [0, 0, 1]), found.profiles)
