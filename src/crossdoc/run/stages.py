"""The stages as functions in memory, each usable by itself.

    read_documents → extract_profiles → compare_profiles → cluster_evidence → describe_partition

`resolve` (resolve.py) is their composition, with a store that keeps finished work.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from crossdoc import errors
from crossdoc.cluster.clusterer import Clustered, Work, cluster
from crossdoc.cluster.methods import DEFAULT, clusterer
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.memory_collection import DocumentTexts, MemoryCollection, compare
from crossdoc.extract import TextExtractor
from crossdoc.extract.corrections import retyped, with_opening_dates
from crossdoc.model import Documents, Evidence, Facts, Identity, Judgement, Mentions, Partition, Profiles
from crossdoc.model import identity as identities
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.read import DocumentReader, Input, read_profiles, sources_of
from crossdoc.run.reading import extracted, extraction_notes, extractor_for
from crossdoc.run.stored_collection import bystanders, run_fills
from crossdoc.settings import Settings


@dataclass(frozen=True, slots=True)
class Extracted:
    """Result of extraction: mentions, profiles, and notes on input that could not be read properly."""

    mentions: Mentions
    profiles: Profiles
    others: Profiles | None = None
    """Other people in the same documents, for one asked-for name. The background of contexts is learned from them."""
    notes: list[str] = field(default_factory=list)


def read_documents(*inputs: Input, settings: Settings | None = None) -> Documents:
    """Read documents from folders and files, or from records in memory.

    Parameters
    ----------
    *inputs : Input
        Folders and files, `Document` objects, or an Arrow, pandas or polars table.
    settings : Settings or None, default None
        Format, columns and the longest document that is read.

    Returns
    -------
    Documents
        A table of documents.

    Examples
    --------
    >>> from crossdoc import Document
    >>> read_documents([Document("a", "John Smith spoke."), Document("b", "Ann Lee left.")])
    <Documents: 2>
    """
    if not inputs:
        raise errors.no_inputs()
    given = settings or Settings()
    sources = sources_of(inputs, given.columns)
    reader = DocumentReader(sources, max_document_characters=given.max_document_characters)
    return Documents(pa.concat_tables([batch.arrow for batch in reader]))


def extract_profiles(
    documents: Input,
    *,
    name: str | None = None,
    describe: bool = True,
    settings: Settings | None = None,
) -> Extracted:
    """Extract the profiles of all people, organisations and places, or of one asked-for name.

    Parameters
    ----------
    documents : Input
        Documents, a table, a folder or a file of them.
    name : str or None, default None
        One ambiguous name, one profile per document; None extracts everybody.
    describe : bool, default True
        With a name: also parse the documents for attributes and relations. Much slower, and better.
    settings : Settings or None, default None
        Types, window, models and the like.

    Returns
    -------
    Extracted
        `.mentions`, `.profiles`, `.others` (of one name: other people in the documents) and `.notes`.

    Notes
    -----
    Linear in the text; some 30 articles per second and process.

    Examples
    --------
    >>> from crossdoc import Document
    >>> extract_profiles([Document("a", "Ann Lee spoke."), Document("b", "Ann Lee left.")], name="Ann Lee").profiles
    <Profiles: 2>
    """
    if name is not None and not name.strip():
        raise errors.empty_name()
    given = settings or Settings()
    table = documents if isinstance(documents, Documents) else read_documents(documents, settings=given)
    # Each call has a salt of its own, as each result has: contact details can be compared only within it.
    extractor = extractor_for(given, name, secrets.token_bytes(32), describe=describe)
    if isinstance(extractor, TextExtractor):
        extractor.learn([table.column("text").to_pylist()])
        table = with_opening_dates(table)
    mentions, profiles = extracted(extractor, table, given.types)
    if isinstance(extractor, TextExtractor) and table.column("mentions").null_count == len(table):
        mentions, profiles = retyped(mentions, profiles)
    # In the order of a store: later random choices must not depend on the order of the documents.
    profiles = profiles.take(np.argsort(profiles.ids.astype(str), kind="stable"))
    others = None
    if name is not None:
        others = bystanders(table, name, given.window)
    return Extracted(mentions, profiles, others, extraction_notes(extractor, name))


def compare_profiles(
    profiles: Input,
    documents: Documents | None = None,
    *,
    model: LearnedModel | None = None,
    constraints: Sequence[Judgement] = (),
    one_name: bool = False,
    others: Profiles | None = None,
    background: bool = True,
    seed: int = 0,
) -> MemoryCollection:
    """Compare profiles: return the evidence by entity type.

    Similarity is measured against that of different names in the collection; under one name these are the `others`.

    Parameters
    ----------
    profiles : Input
        Profiles, a table or a file of them.
    documents : Documents or None, default None
        Their documents, if full documents are to be compared.
    model : LearnedModel or None, default None
        Learned values; None is crossdoc's own.
    constraints : sequence of Judgement, default ()
        Judgements.
    one_name : bool, default False
        Whether all profiles are of one asked-for name.
    others : Profiles or None, default None
        Of one name: other people in the same documents.
    background : bool, default True
        Whether to measure in this collection how similar contexts are by chance.
    seed : int, default 0
        Random seed.

    Returns
    -------
    MemoryCollection
        A mapping from entity type to :class:`Evidence`, with `.notes`.

    Notes
    -----
    Pairs are compared when a clusterer asks for them; this call is linear in the words of the profiles.

    Examples
    --------
    >>> from crossdoc import Document
    >>> people = extract_profiles([Document("a", "Ann Lee spoke."), Document("b", "Ann Lee left.")], name="Ann Lee")
    >>> list(compare_profiles(people.profiles, one_name=True))
    ['person']
    """
    if not isinstance(profiles, Profiles):
        profiles = Profiles(
            pa.concat_tables([Profiles.of(()).arrow, *(batch.arrow for batch in read_profiles(sources_of([profiles])))])
        )
    return compare(
        profiles,
        None if documents is None else DocumentTexts(documents),
        model=model,
        constraints=Constraints.between(profiles.ids, constraints),
        one_name=one_name,
        others=others,
        background=background,
        seed=seed,
    )


def cluster_evidence(
    evidence: Evidence,
    method: str | Any = DEFAULT,
    *,
    threshold: float | None = None,
    model: LearnedModel | None = None,
    seed: int = 0,
    work: Work | None = None,
    **parameters: Any,
) -> Clustered:
    """Cluster the rows of the evidence, by a method's name and parameters or by an estimator.

    Without a `threshold` it is the one that the `model` learned for the method; without a `model`, that of crossdoc's
    own.

    Parameters
    ----------
    evidence : Evidence
        The evidence of one entity type.
    method : str or Any, default "mean-max-linkage"
        A method's name, or an estimator.
    threshold : float or None, default None
        The strength at which clusters are one; None takes the one that the `model` learned for the method.
    model : LearnedModel or None, default None
        Learned values; None is crossdoc's own.
    seed : int, default 0
        Random seed.
    work : Work or None, default None
        Threads, progress and checkpoints; None is one call in this process.
    **parameters : Any
        Further parameters of the method.

    Returns
    -------
    Clustered
        `.partition` and `.notes`.

    Notes
    -----
    As costly as the method: mean-max linkage takes O(n²) memory in the largest component.

    Examples
    --------
    >>> from crossdoc import Document
    >>> people = [Document(id, f"Ann Lee {did} in Paris.") for id, did in (("a", "raced"), ("b", "painted"))]
    >>> compared = compare_profiles(extract_profiles(people, name="Ann Lee").profiles, one_name=True)
    >>> cluster_evidence(compared["person"], "karc", variant="paper").partition
    <Partition: 2 profiles in 2 clusters>
    """
    if isinstance(evidence, MemoryCollection):
        raise errors.which_evidence(list(evidence))
    chosen = clusterer(method, parameters, threshold=threshold)
    return cluster(evidence, chosen, work, **run_fills(chosen, seed, model or LearnedModel.default()))


def describe_partition(
    partition: Partition | Clustered,
    profiles: Profiles,
    *,
    mentions: Mentions | None = None,
    documents: Documents | None = None,
    evidence: Evidence | None = None,
) -> list[Identity]:
    """Describe identities for readers: name, descriptor, variants, dates and certainty of each, largest first.

    Parameters
    ----------
    partition : Partition or Clustered
        Who is with whom.
    profiles : Profiles
        The profiles of the partition, in its order.
    mentions : Mentions or None, default None
        Their mentions, which are counted.
    documents : Documents or None, default None
        Their documents, for dates.
    evidence : Evidence or None, default None
        The evidence, for key words if no document describes an entity.

    Returns
    -------
    list[Identity]
        The identities, largest first.

    Examples
    --------
    >>> from crossdoc import Document
    >>> people = extract_profiles([Document("a", "Ann Lee spoke."), Document("b", "Ann Lee left.")], name="Ann Lee")
    >>> everyone = Partition.from_labels(people.profiles.ids, [0, 0])
    >>> [str(identity) for identity in describe_partition(everyone, people.profiles, mentions=people.mentions)]
    ['Ann Lee']
    """
    if isinstance(partition, Clustered):
        partition = partition.partition
    if partition.ids.tolist() != profiles.ids.tolist():
        raise errors.partition_of_others(len(partition), len(profiles))
    facts = Facts.of(mentions, documents)
    words = None if evidence is None else identities.key_words(partition, evidence.vectors)
    found = identities.describe(partition, profiles, facts, words)
    return sorted(found, key=lambda identity: (-identity.n_documents, -identity.n_mentions, identity.id))
