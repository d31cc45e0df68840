"""Data types exchanged by the stages: Document, Mention, Profile, Evidence, Judgement, Partition, Identity.

Collections of possibly millions are tables (`Documents`, `Mentions`, `Profiles`, backed by Arrow); single items are
light typed views of one row. Items made by hand are validated; views of a table's rows are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

if TYPE_CHECKING:
    from crossdoc.constraints import Constraints
from crossdoc import errors
from crossdoc.frames import Frames

EntityType = Literal["person", "organisation", "place"]
ENTITY_TYPES: tuple[EntityType, ...] = ("person", "organisation", "place")
MentionKind = Literal["name", "nominal", "pronoun"]
Verdict = Literal["same", "different"]
VERDICTS: tuple[Verdict, ...] = ("same", "different")

ROWS_AT_ONCE = 1024

IntArray = npt.NDArray[np.int32]
FloatArray = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Mention:
    """A span of a document that refers to an entity.

    Parameters
    ----------
    id : str
        The id.
    document : str
        The id of the document.
    start : int
        Where it begins, in code points of the text.
    end : int
        Where it ends (half-open).
    text : str
        The words themselves.
    type : str or None, default None
        "person", "organisation" or "place", if it is known.
    kind : {"name", "nominal", "pronoun"}, default "name"
        What kind of words they are.
    chain : str or None, default None
        The id of the profile that it belongs to; None if it belongs to none.

    Examples
    --------
    >>> Mention("a:0:10", "a", 0, 10, "John Smith", "person").kind
    'name'
    """

    id: str
    document: str
    start: int
    end: int
    text: str
    type: str | None = None
    kind: MentionKind = "name"
    chain: str | None = None
    """Id of the within-document chain in the input; after extraction, the id of the profile."""

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise errors.bad_span(self.id, self.start, self.end)


@dataclass(frozen=True, slots=True)
class Document:
    """A text and what is known about it.

    Parameters
    ----------
    id : str
        The id, unique in the collection.
    text : str
        The text.
    title : str or None, default None
        The title.
    language : str or None, default None
        ISO 639-1 code; None identifies it from the text.
    date : str or None, default None
        ISO 8601 date, or the beginning of one.
    source : str or None, default None
        Where the text was published.
    mentions : tuple[Mention, ...] or None, default None
        Mentions that are already known; then nothing else is extracted from the text.

    Examples
    --------
    >>> Document("a", "John Smith spoke.", date="1996-01-14").id
    'a'
    """

    id: str
    text: str
    title: str | None = None
    language: str | None = None
    date: str | None = None
    """ISO 8601, as precise as is known: 1996, 1996-01 or 1996-01-14."""
    source: str | None = None
    mentions: tuple[Mention, ...] | None = None
    """Mentions that came with the document; None means that extraction has to find them."""

    def __post_init__(self) -> None:
        if not self.id:
            raise errors.empty_id("document")


@dataclass(frozen=True, slots=True)
class Relation:
    """A typed link from a profile to another entity, with the sentence that states it.

    Parameters
    ----------
    type : str
        The kind of relation, such as employment, perhaps with a detail after a colon.
    name : str
        The name of the other end.
    profile : str or None, default None
        The id of its profile, if it has one.
    evidence : str or None, default None
        The sentence that states it.

    Examples
    --------
    >>> Relation("employment:chairman", "General Motors").name
    'General Motors'
    """

    type: str
    name: str
    profile: str | None = None
    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class Profile:
    """All that one document says about one entity.

    Parameters
    ----------
    id : str
        The id, unique in the collection.
    document : str
        The id of the document.
    name : str
        The fullest name that the document uses.
    type : str or None, default None
        "person", "organisation" or "place", if it is known.
    context : str, default ""
        The words around its mentions.
    language : str or None, default None
        ISO 639-1 code.
    attributes : dict[str, list[str]], optional
        What is stated about it, by type: {"born": ["1931"]}.
    relations : tuple[Relation, ...], default ()
        Whom and what it is related to.

    Examples
    --------
    >>> profile = Profile("p1", "a", "John Smith", "person", "chairman of General Motors")
    >>> profile.name, profile.attributes
    ('John Smith', {})
    """

    id: str
    document: str
    name: str
    type: str | None = None
    context: str = ""
    language: str | None = None
    attributes: dict[str, list[str]] = field(default_factory=dict)
    relations: tuple[Relation, ...] = ()

    def __post_init__(self) -> None:
        if not self.id:
            raise errors.empty_id("profile")


Row = TypeVar("Row", Mention, Document, Profile)
Noun = TypeVar("Noun")

_MENTION_STRUCT = pa.struct(
    [
        ("id", pa.string()),
        ("document", pa.string()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("text", pa.string()),
        ("type", pa.string()),
        ("kind", pa.string()),
        ("chain", pa.string()),
    ]
)
_RELATION_STRUCT = pa.struct(
    [("type", pa.string()), ("name", pa.string()), ("profile", pa.string()), ("evidence", pa.string())]
)


def view_of(kind: type[Noun], cells: dict[str, Any]) -> Noun:
    """A row as its table holds it, unchecked: whoever looks for what is wrong with a table has to see its rows."""
    row = object.__new__(kind)
    for name, value in cells.items():
        object.__setattr__(row, name, value)
    return row


class Table(Frames, Generic[Row]):
    """An Arrow table of one noun: a sequence of typed rows for people, columns for programs."""

    schema: ClassVar[pa.Schema]

    def __init__(self, arrow: pa.Table) -> None:
        self.arrow = arrow.select(self.schema.names).cast(self.schema)

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Self:
        listed = list(rows)
        columns = {}
        for column in cls.schema:
            cells = map(attrgetter(column.name), listed)
            columns[column.name] = list(map(cls._cell, cells) if pa.types.is_nested(column.type) else cells)
        return cls(pa.table(columns, schema=cls.schema))

    @staticmethod
    def _cell(value: Any) -> Any:
        if isinstance(value, dict):
            return list(value.items())
        if isinstance(value, tuple):
            return [{f.name: getattr(item, f.name) for f in fields(item)} for item in value]
        return value

    def _view(self, cells: dict[str, Any]) -> Row:
        raise NotImplementedError

    def column(self, name: str) -> pa.ChunkedArray:
        return self.arrow.column(name)

    @cached_property
    def ids(self) -> npt.NDArray[np.object_]:
        return self.arrow.column("id").to_numpy(zero_copy_only=False)

    def take(self, rows: Sequence[int] | npt.NDArray[Any]) -> Self:
        return type(self)(self.arrow.take(pa.array(np.asarray(rows, dtype=np.int64))))

    def __len__(self) -> int:
        return int(self.arrow.num_rows)

    def __getitem__(self, index: int) -> Row:
        return self._view(self.arrow.slice(range(len(self))[index], 1).to_pylist()[0])

    def __iter__(self) -> Iterator[Row]:
        for batch in self.arrow.to_batches(max_chunksize=4096):
            for cells in batch.to_pylist():
                yield self._view(cells)

    def to_arrow(self) -> pa.Table:
        return self.arrow

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self):,}>"

    def _repr_html_(self) -> str:
        from crossdoc.notebook import table_html

        return table_html(self)


class Mentions(Table[Mention]):
    """A table of mentions: a sequence of :class:`Mention`, backed by Arrow.

    Parameters
    ----------
    arrow : pyarrow.Table
        A table with the columns of :class:`Mention`; `Mentions.of` takes objects instead.

    Examples
    --------
    >>> Mentions.of([Mention("m", "a", 0, 10, "John Smith", "person")]).column("text").to_pylist()
    ['John Smith']
    """

    schema = pa.schema(list(_MENTION_STRUCT))

    def _view(self, cells: dict[str, Any]) -> Mention:
        return view_of(Mention, cells)


class Documents(Table[Document]):
    """A table of documents: a sequence of :class:`Document`, backed by Arrow.

    Parameters
    ----------
    arrow : pyarrow.Table
        A table with the columns of :class:`Document`; `Documents.of` takes objects instead.

    Examples
    --------
    >>> documents = Documents.of([Document("a", "John Smith spoke.")])
    >>> documents, documents[0].text
    (<Documents: 1>, 'John Smith spoke.')
    """

    schema = pa.schema(
        [
            ("id", pa.string()),
            ("text", pa.large_string()),
            ("title", pa.string()),
            ("language", pa.string()),
            ("date", pa.string()),
            ("source", pa.string()),
            ("mentions", pa.list_(_MENTION_STRUCT)),
        ]
    )

    def _view(self, cells: dict[str, Any]) -> Document:
        if cells["mentions"] is not None:
            cells["mentions"] = tuple(view_of(Mention, mention) for mention in cells["mentions"])
        return view_of(Document, cells)


class Profiles(Table[Profile]):
    """A table of profiles: a sequence of :class:`Profile`, backed by Arrow.

    Parameters
    ----------
    arrow : pyarrow.Table
        A table with the columns of :class:`Profile`; `Profiles.of` takes objects instead.

    Examples
    --------
    >>> Profiles.of([Profile("p", "a", "John Smith", "person")]).column("name").to_pylist()
    ['John Smith']
    """

    schema = pa.schema(
        [
            ("id", pa.string()),
            ("document", pa.string()),
            ("name", pa.string()),
            ("type", pa.string()),
            ("context", pa.large_string()),
            ("language", pa.string()),
            ("attributes", pa.map_(pa.string(), pa.list_(pa.string()))),
            ("relations", pa.list_(_RELATION_STRUCT)),
        ]
    )

    def _view(self, cells: dict[str, Any]) -> Profile:
        cells["attributes"] = {key: list(values or []) for key, values in cells["attributes"] or []}
        cells["relations"] = tuple(Relation(**relation) for relation in cells["relations"] or [])
        return view_of(Profile, cells)


def rows_of(table: pa.Table, ids: Sequence[str] | npt.NDArray[Any], column: str = "id") -> pa.Table:
    """The rows whose `column` holds one of the ids."""
    return table.filter(pc.is_in(table.column(column), value_set=pa.array(ids, pa.string())))


@dataclass(frozen=True, slots=True)
class Relations:
    """Pairs of profiles (row numbers, each pair once) with a strength in [0, 1]: 1 surely one entity, 0 surely two.

    A pair that is not listed was not compared; methods that need a value for it take `default_strength`.

    Parameters
    ----------
    n : int
        The number of rows.
    left : ndarray
        The smaller row number of each pair.
    right : ndarray
        The larger row number of each pair.
    strength : ndarray
        The strength of each pair.
    default_strength : float, default 0.0
        The strength of a pair that is not listed.

    Notes
    -----
    16 bytes or fewer a pair; `dense` needs 4n² bytes.

    Examples
    --------
    >>> Relations.from_dense(np.array([[1.0, 0.4], [0.4, 1.0]])).strength
    array([0.4], dtype=float32)
    """

    n: int
    left: IntArray
    right: IntArray
    strength: npt.NDArray[np.float32]
    default_strength: float = 0.0

    @classmethod
    def from_dense(cls, matrix: FloatArray) -> Relations:
        """All pairs of a square, symmetric similarity matrix.

        >>> Relations.from_dense(np.array([[1.0, 0.4], [0.4, 1.0]])).strength
        array([0.4], dtype=float32)
        """
        n = len(matrix)
        # Row by row, since np.triu_indices needs several times the matrix.
        counts = np.arange(n - 1, -1, -1)
        left = np.repeat(np.arange(n, dtype=np.int32), counts)
        right = np.empty(len(left), dtype=np.int32)
        strength = np.empty(len(left), dtype=np.float32)
        ends = np.cumsum(counts)
        for row, (end, count) in enumerate(zip(ends, counts, strict=True)):
            right[end - count : end] = np.arange(row + 1, n)
            strength[end - count : end] = matrix[row, row + 1 :]
        return cls(n, left, right, strength)

    def checked(self) -> Relations:
        """These relations, or a message that says what is wrong with them; what clusters them asks for it once.

        Signed weights are let through: which strengths it takes, and whether a row may be paired with itself, is for
        a method to say (correlation clustering takes both).
        """
        if not (np.shape(self.left) == np.shape(self.right) == np.shape(self.strength) == (len(self),)):
            raise errors.bad_similarities("left, right and strength differ in length")
        ends = (self.left, self.right)
        if len(self) and (min(end.min() for end in ends) < 0 or max(end.max() for end in ends) >= self.n):
            raise errors.bad_similarities(f"a pair names a row that is not among the {self.n:,}")
        if (self.left == self.right).any():
            raise errors.bad_similarities("a row is paired with itself")
        if not (np.isfinite(self.strength).all() and np.isfinite(self.default_strength)):
            raise errors.bad_similarities("some are not finite (NaN or infinite)")
        return self

    def dense(self) -> npt.NDArray[np.float32]:
        matrix = np.full((self.n, self.n), self.default_strength, dtype=np.float32)
        matrix[self.left, self.right] = self.strength
        matrix[self.right, self.left] = self.strength
        np.fill_diagonal(matrix, 1.0)
        return matrix

    def __len__(self) -> int:
        return len(self.left)


@dataclass(frozen=True, slots=True)
class Vectors:
    """Unit-length sparse rows, one per profile (an empty context is a row of zeros).

    Parameters
    ----------
    matrix : scipy.sparse.csr_matrix
        The rows.
    features : ndarray or None, default None
        What each column stands for, if it has a name.

    Examples
    --------
    >>> Vectors(sparse.csr_matrix(np.eye(2))).cosine().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    matrix: sparse.csr_matrix
    features: npt.NDArray[np.object_] | None = None

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def cosine(self, rows: npt.NDArray[Any] | None = None) -> npt.NDArray[np.float32]:
        """All cosines between the rows (or some of them), the diagonal set to 1."""
        matrix = self.matrix if rows is None else self.matrix[rows]
        n = matrix.shape[0]
        cosines = np.empty((n, n), dtype=np.float32)
        others = matrix.T.tocsr()
        # Some rows at a time, since the product of many is nearly full and sparse is then larger than dense.
        for start in range(0, n, ROWS_AT_ONCE):
            cosines[start : start + ROWS_AT_ONCE] = (matrix[start : start + ROWS_AT_ONCE] @ others).toarray()
        np.clip(cosines, 0.0, 1.0, out=cosines)
        np.fill_diagonal(cosines, 1.0)
        return cosines


class Evidence(Protocol):
    """All that a clusterer may ask about the profiles of one entity type (its rows), in memory and on demand.

    Made by `compare`, asked by `cluster`; :class:`crossdoc.compare.evidence.ProfileEvidence` is that of profiles, and
    :class:`crossdoc.cluster.graph_clustering.GraphEvidence` that of a graph on its own.

    Notes
    -----
    A method asks for what it needs: all pairs are compared only where `relations` is called.

    Examples
    --------
    >>> from crossdoc import compare_profiles
    >>> people = [Profile("a", "1", "Ann Lee", "person"), Profile("b", "2", "Bo Lee", "person")]
    >>> evidence = compare_profiles(Profiles.of(people))["person"]
    >>> evidence.ids.tolist(), evidence.relations().dense().shape
    (['a', 'b'], (2, 2))
    """

    @property
    def ids(self) -> npt.NDArray[np.object_]: ...

    @property
    def entity_type(self) -> str | None: ...

    @property
    def names(self) -> list[str] | None:
        """Names of the rows; None if all rows share one asked-for name."""

    @property
    def vectors(self) -> Vectors:
        """The contexts."""

    @property
    def even(self) -> float | None:
        """The cosine equally frequent among contexts of one entity and of two, if known."""

    @property
    def same_name(self) -> float:
        """Cosine to which sharing a name is equivalent."""

    @property
    def constraints(self) -> Constraints:
        """Constraints from judgements."""

    @property
    def limits(self) -> Constraints:
        """Constraints from judgements, and the rule that keeps clashing names apart."""

    def __len__(self) -> int: ...

    def part(self, rows: npt.NDArray[Any]) -> Evidence:
        """Return the evidence about some of the rows."""

    def components(self) -> list[npt.NDArray[np.int64]]:
        """The rows that candidates connect, every row in exactly one component."""

    def blocks(self) -> list[npt.NDArray[np.int64]]:
        """The rows that may have to be compared all with all, every row in exactly one block."""

    def relations(self) -> Relations:
        """The strengths of all pairs."""

    def candidates(self) -> Relations:
        """The strengths of the pairs that may be one entity, where all pairs would be too many."""

    def same_spelling(self) -> list[str]:
        """For each row what its name is when case, accents and spaces are nothing."""

    def agreeing(self, names: Sequence[str]) -> npt.NDArray[np.int64]:
        """Which of these n names can be one entity's: sorted codes a·n + b, each name with itself among them."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A statement that two profiles are the same entity or different ones.

    Judgements of people are hard, those of rules soft: a soft one adds its weight to the strength.

    Parameters
    ----------
    a : str
        The id of a profile.
    b : str
        The id of another.
    verdict : {"same", "different"}
        What they are.
    hard : bool, default True
        Whether it always holds, as a person's judgement does.
    weight : float, default 1.0
        For a soft judgement: what is added to the strength.
    who : str, default ""
        Who says so.
    why : str, default ""
        The reason.
    when : str, default ""
        When it was made.

    Examples
    --------
    >>> Judgement("a:0:10", "b:5:15", "same", who="Ada").hard
    True
    """

    a: str
    b: str
    verdict: Verdict
    hard: bool = True
    weight: float = 1.0
    who: str = ""
    why: str = ""
    when: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise errors.bad_judgement(f"the verdict is {self.verdict!r}, and must be 'same' or 'different'")
        if not self.a or not self.b:
            raise errors.bad_judgement("a profile's id is empty")
        if self.a == self.b:
            raise errors.bad_judgement(f"{self.a!r} is judged against itself")
        if not 0 <= self.weight < float("inf"):
            raise errors.bad_judgement(f"the weight is {self.weight}, and must be a finite number of at least 0")

    def __str__(self) -> str:
        word = "is the same as" if self.verdict == "same" else "is different from"
        by = f" ({self.who})" if self.who else ""
        return f"{self.a} {word} {self.b}{by}"


class Partition(Frames):
    """A soft partition: which profile belongs to which cluster, and how much.

    Parameters
    ----------
    ids : sequence of str or ndarray
        Profile ids, one per row.
    membership : Any
        Sparse matrix, profiles × clusters, values in (0, 1]; rows need not sum to 1.
    entities : sequence of str or None, default None
        What each cluster is called, where it has an id already; left out: see :attr:`entities`.

    Examples
    --------
    >>> partition = Partition(["a", "b", "c"], np.array([[1, 0], [0.6, 0.4], [0.1, 0.9]]))
    >>> partition.labels.tolist(), partition.entities
    ([0, 0, 1], ['a', 'c'])
    >>> partition.threshold(0.3).membership.toarray().tolist()
    [[1.0, 0.0], [0.6, 0.4], [0.0, 0.9]]
    """

    def __init__(
        self, ids: Sequence[str] | npt.NDArray[Any], membership: Any, entities: Sequence[str] | None = None
    ) -> None:
        self.ids = np.asarray(ids, dtype=object)
        # A copy, since dropping zeros in place would change the caller's matrix.
        self.membership = sparse.csr_matrix(membership, dtype=np.float64, copy=True)
        self.membership.sum_duplicates()
        self.membership.eliminate_zeros()
        if not ((self.membership.data > 0) & (self.membership.data <= 1 + 1e-9)).all():
            raise errors.bad_partition("memberships must lie between 0 and 1")
        if self.membership.shape[0] != len(self.ids):
            raise errors.bad_partition(f"{len(self.ids)} ids but {self.membership.shape[0]} rows of memberships")
        if entities is not None and len(entities) != self.n_clusters:
            raise errors.bad_partition(f"{len(entities)} names for {self.n_clusters} clusters")
        self._called = None if entities is None else list(entities)

    @classmethod
    def from_labels(cls, ids: Sequence[str] | npt.NDArray[Any], labels: npt.ArrayLike) -> Partition:
        """A hard partition; a negative label is a profile left out."""
        wanted = np.asarray(labels)
        if not len(wanted):
            return cls(ids, sparse.csr_matrix((0, 0)))
        kept = np.flatnonzero(wanted >= 0)
        distinct, column = np.unique(wanted[kept], return_inverse=True)
        shape = (len(wanted), len(distinct))
        return cls(ids, sparse.csr_matrix((np.ones(len(kept)), (kept, column)), shape=shape))

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def n_clusters(self) -> int:
        return int(self.membership.shape[1])

    @cached_property
    def labels(self) -> IntArray:
        """The best cluster of each profile (the first of several equally good ones), −1 where it has none."""
        m = self.membership
        best = np.full(len(self), -1, dtype=np.int32)
        rows = np.repeat(np.arange(len(self)), np.diff(m.indptr))
        order = np.lexsort((m.indices, -m.data, rows))
        present, first = np.unique(rows[order], return_index=True)
        best[present] = m.indices[order][first]
        return best

    def threshold(self, theta: float, drop: bool = False) -> Partition:
        """Keep memberships above θ. A profile with none above θ keeps its best cluster, or is left out with `drop`.

        The result may overlap: Huang et al. 2009, section 2.2 (P_θ).
        """
        m = self.membership.tocoo()
        keep = m.data > theta
        if not drop:
            lost = np.ones(len(self), dtype=bool)
            lost[m.row[keep]] = False
            keep |= lost[m.row] & (m.col == self.labels[m.row])
        kept = sparse.csr_matrix((m.data[keep], (m.row[keep], m.col[keep])), shape=m.shape)
        return Partition(self.ids, kept, self._called)

    def harden(self) -> Partition:
        """Put each profile in its best cluster alone; clusters that are the best of no profile disappear."""
        hard = Partition.from_labels(self.ids, self.labels)
        if self._called is not None:
            hard._called = [self._called[cluster] for cluster in np.unique(self.labels[self.labels >= 0])]
        return hard

    def called(self, entities: Sequence[str]) -> Partition:
        """The same with other names for its clusters, such as those they had before (:mod:`crossdoc.lineage`)."""
        return Partition(self.ids, self.membership, entities)

    @cached_property
    def entities(self) -> list[str]:
        """The id of each cluster: the one it was given, or the smallest profile id among its hard members.

        A result keeps an identity's id as long as the identity is recognisably the same. A cluster that is the best of
        no profile is called ``~`` and the id of its strongest member (``~~`` if that is taken).
        """
        if self._called is not None:
            return self._called
        rank = np.empty(len(self), dtype=np.int64)
        # Arrow orders strings by their UTF-8 bytes, which is the order of code points.
        rank[pc.sort_indices(pa.array(self.ids, pa.string())).to_numpy()] = np.arange(len(self))
        names = np.full(self.n_clusters, None, dtype=object)
        rows = np.flatnonzero(self.labels >= 0)
        rows = rows[np.argsort(rank[rows])]
        clusters, first = np.unique(self.labels[rows], return_index=True)
        names[clusters] = self.ids[rows[first]]
        nobodys = np.ones(self.n_clusters, dtype=bool)
        nobodys[clusters] = False
        if nobodys.any():
            m = self.membership.tocoo()
            cells = np.flatnonzero(nobodys[m.col])
            cells = cells[np.lexsort((rank[m.row[cells]], -m.data[cells], m.col[cells]))]
            strongest, first = np.unique(m.col[cells], return_index=True)
            names[strongest] = self.ids[m.row[cells[first]]]
            taken = set(names[~nobodys])
            for cluster in np.flatnonzero(nobodys):
                name = f"~{cluster if names[cluster] is None else names[cluster]}"
                while name in taken:
                    name = f"~{name}"
                taken.add(name)
                names[cluster] = name
        return names.tolist()

    @cached_property
    def _by_cluster(self) -> sparse.csc_matrix:
        return self.membership.tocsc()

    def ranking(self, cluster: int) -> tuple[IntArray, FloatArray]:
        """The rows of a cluster's profiles and their memberships, strongest first."""
        m = self._by_cluster
        part = slice(m.indptr[cluster], m.indptr[cluster + 1])
        rows, values = m.indices[part], m.data[part]
        order = np.lexsort((rows, -values))
        return rows[order].astype(np.int32), values[order]

    @cached_property
    def uncertainty(self) -> FloatArray:
        """Entropy (nats) of each profile's memberships, scaled to sum to 1: 0 is certain, log k torn between k."""
        m = self.membership
        rows = np.repeat(np.arange(len(self)), np.diff(m.indptr))
        totals = np.bincount(rows, weights=m.data, minlength=len(self))
        share = m.data / totals[rows]
        return np.bincount(rows, weights=-share * np.log(share), minlength=len(self)).astype(np.float64)

    def table(self, soft: bool = False) -> pa.Table:
        """Columns `id, entity, membership`: one row an id, its strongest; with `soft` all, the strongest first.

        >>> Partition(["a", "b"], np.array([[1, 0], [0.4, 0.6]])).table().to_pydict()
        {'id': ['a', 'b'], 'entity': ['a', 'b'], 'membership': [1.0, 0.6]}
        """
        m = self.membership.tocoo()
        order = np.lexsort((m.col, -m.data, m.row))
        if not soft:
            order = order[self.membership.indptr[:-1][np.diff(self.membership.indptr) > 0]]
        entities = pa.array(self.entities, pa.string()).take(pa.array(m.col[order].astype(np.int64)))
        ids = pa.array(self.ids, pa.string()).take(pa.array(m.row[order].astype(np.int64)))
        return pa.table({"id": ids, "entity": entities, "membership": m.data[order]})

    @classmethod
    def from_table(cls, ids: Sequence[str] | npt.NDArray[Any], table: pa.Table) -> Partition:
        """The inverse of a soft :meth:`table`; `ids` fixes the rows, clusters come in the order of appearance.

        Clusters keep the names that they have in the table.
        """
        rows = pc.index_in(table.column("id"), value_set=pa.array(ids, pa.string()))
        if rows.null_count:
            missing = table.column("id").filter(pc.is_null(rows))[0].as_py()
            raise errors.bad_partition(f"the table has a membership of {missing!r}, which is not among the ids")
        entities = pc.unique(table.column("entity"))
        columns = pc.index_in(table.column("entity"), value_set=entities)
        values = table.column("membership").to_numpy()
        where = (rows.to_numpy().astype(np.int64), columns.to_numpy().astype(np.int64))
        return cls(ids, sparse.csr_matrix((values, where), shape=(len(ids), len(entities))), entities.to_pylist())

    def to_arrow(self) -> pa.Table:
        """One row an id, its strongest entity; `table(soft=True)` has all of them."""
        return self.table()

    def __repr__(self) -> str:
        return f"<Partition: {len(self):,} profiles in {self.n_clusters:,} clusters>"


@dataclass(frozen=True, slots=True)
class Facts:
    """Data that describe identities in addition to their profiles."""

    variants: Mapping[str, list[str]] = field(default_factory=dict)
    """By profile the names that its document uses for it."""
    mention_counts: Mapping[str, int] = field(default_factory=dict)
    """By profile."""
    dates: Mapping[str, str] = field(default_factory=dict)
    """By document."""

    @classmethod
    def of(cls, mentions: Mentions | None, documents: Documents | None) -> Facts:
        named: dict[str, set[str]] = {}
        counted: Counter[str] = Counter()
        for mention in mentions or ():
            counted[mention.chain or ""] += 1
            if mention.kind == "name":
                named.setdefault(mention.chain or "", set()).add(mention.text)
        columns = () if documents is None else (documents.column(name).to_pylist() for name in ("id", "date"))
        dates = {id: date for id, date in zip(*columns, strict=True) if date is not None}
        return cls({profile: sorted(names) for profile, names in named.items()}, counted, dates)


@dataclass(frozen=True, slots=True)
class Member:
    """A profile as a part of an identity.

    Parameters
    ----------
    profile : str
        The id of the profile.
    document : str
        The id of its document.
    name : str
        The name that the document uses.
    membership : float
        How much the profile belongs to the identity, from 0 to 1.
    snippet : str, default ""
        The words around the name.

    Examples
    --------
    >>> Member("a:0:10", "a", "John Smith", 0.9).membership
    0.9
    """

    profile: str
    document: str
    name: str
    membership: float
    snippet: str = ""


@dataclass(frozen=True, slots=True)
class KnownEntry:
    """Entry of a known list: an authority file, a watch list, a list of customers."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    type: str | None = None
    """None: it may be of any."""
    description: str = ""
    attributes: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Appearance:
    """An identity in a document, under these names."""

    entity: str
    document: str
    names: list[str]


@dataclass(frozen=True, slots=True)
class Identity:
    """One real person, organisation or place, as a person would want to read it.

    Parameters
    ----------
    id : str
        The id, kept from run to run.
    name : str
        The name that a person reads.
    type : str or None
        "person", "organisation" or "place", if it is known.
    descriptor : str
        What the documents say it is.
    variants : dict[str, int]
        Its names, and how often each occurs.
    n_documents : int
        How many documents name it.
    n_mentions : int
        How many mentions it has.
    first_date : str or None
        The earliest date of its documents.
    last_date : str or None
        The latest date of its documents.
    certainty : float
        How sure the answer is, from 0 to 1.
    members : tuple[Member, ...], default ()
        Its profiles, the surest first.
    known : str or None, default None
        The id of the entry of a known list that it is.
    known_probability : float or None, default None
        How likely it is that entry.

    Examples
    --------
    >>> smith = Identity("a", "John Smith", "person", "chairman", {"John Smith": 2}, 2, 2, None, None, 0.9)
    >>> str(smith)
    'John Smith (chairman)'
    """

    id: str
    name: str
    type: str | None
    descriptor: str
    variants: dict[str, int]
    """Every name it goes by, with the number of profiles, commonest first."""
    n_documents: int
    n_mentions: int
    first_date: str | None
    last_date: str | None
    certainty: float
    """Mean membership of its hard members."""
    members: tuple[Member, ...] = ()
    """Ranked by membership."""
    known: str | None = None
    """The id of the entry of a known list that it is, if it is any."""
    known_probability: float | None = None

    def with_members(self, members: Iterable[Member]) -> Identity:
        return replace(self, members=tuple(members))

    def __str__(self) -> str:
        return f"{self.name} ({self.descriptor})" if self.descriptor else self.name

    def _repr_html_(self) -> str:
        from crossdoc.notebook import identity_html

        return identity_html(self)
