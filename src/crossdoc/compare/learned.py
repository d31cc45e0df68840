"""Model learned from labelled data, in one readable, versioned file: `default_model.json`, or the user's own.

Attributes and relations of profiles that a model does not read are reported, so that a misspelt type is not ignored in
silence.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import pyarrow.compute as pc
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from crossdoc import errors
from crossdoc.compare.curve import Curve
from crossdoc.compare.ensemble import LearnedEnsemble
from crossdoc.compare.evidence import FACTS, Fact
from crossdoc.compare.fields import CONTEXT, FIELDS, RELATED
from crossdoc.compare.name_prior import NamePrior, NameShifts
from crossdoc.compare.specialists import all_specialists
from crossdoc.compare.specialists.base import Specialist, stated_types
from crossdoc.compare.story_evidence import TopicPrior
from crossdoc.files import whole_file
from crossdoc.model import Profiles
from crossdoc.names.evidence_types import SHOWN_ATTRIBUTES, SHOWN_RELATIONS, plain_type, relation_type

MOST_BYTES = 1 << 26
"""Bytes of a model file. `crossdoc train` writes one or two megabytes."""
WHOLE_PAGES = 4
"""Windows. A median context longer than this many windows gives a note; no answer depends on it."""
MOST_NAMED = 10
"""Types that a note names."""
Kind = Literal["attribute", "relation"]
FORMER_TITLE = "regnal_name"
"""Name of the fact `title` in results and models of an earlier version."""


class Fitted(BaseModel):
    """Estimates for one entity type of a collection (`fit.py`)."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    names: dict[str, float] = Field(description="By name: log odds to add to its prior.")
    shift: float = Field(0.0, description="The part of it that all names share.")
    others: float = Field(0.0, ge=0, le=1, description="What a prior above 0 loses of itself for other names.")
    curves: dict[str, Curve] = Field(description="By field: the fitted curve.")
    pairs: int = Field(ge=0, description="Independent pairs of agreeing names, n − 1 for a name in n documents.")
    chosen: float = Field(ge=0, le=1, description="The mean probability that a name was chosen, as in a search.")
    informative: float = Field(1.0, ge=0, le=1, description="The probability that contexts distinguish namesakes here.")

    @property
    def name_shifts(self) -> NameShifts:
        """Return what is added to the priors of names."""
        return NameShifts(self.names, self.others, max(self.shift, 0.0) * (1 - self.others))


class Shrinkage(BaseModel):
    """How far a collection moves the shipped values (`fit.py`)."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    curve_pairs: float = Field(300.0, gt=0, description="Pairs of the collection that weigh as much as a curve.")
    name_sd: float = Field(0.2, gt=0, description="Standard deviation of a name's log odds around its prior.")
    shift_sd: float = Field(3.0, gt=0, description="Standard deviation of the shift of all names, if it is below 0.")
    raise_sd: float = Field(1.0, gt=0, description="The same for a shift above 0.")


class LearnedModel(BaseModel):
    """Thresholds, weights of fields and names or an ensemble of specialists, and the data they were learned on.

    >>> "WePS-1" in LearnedModel.default().learned_on["threshold"]
    True
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    crossdoc_model: Literal[2]
    learned_on: dict[str, str] = Field(description="What each part was learned on, and by which command.")
    threshold: dict[str, float] = Field(description="The strength at which each method joins two clusters.")
    fields: dict[str, Curve] = Field({}, description="By field (fields.py): what a cosine is worth, in log odds.")
    facts: dict[str, Fact] = Field({}, description="What specialists' scores of stated facts are worth, in log odds.")
    names: NamePrior | None = Field(None, description="What names are worth before anything else is known.")
    topics: TopicPrior | None = Field(None, description="What mentions of one topic are worth that share no name.")
    shrinkage: Shrinkage = Field(Shrinkage(), description="How far a collection moves these values.")
    fitted: dict[str, Fitted] = Field({}, description="By entity type: estimates of this collection, where it has any.")
    shipped: dict[str, Curve] = Field({}, description="Fields before their mean and sd were those of this collection.")
    one_name: bool = Field(
        False, description="Whether all profiles of this collection have one name, so that contexts alone decide."
    )
    ensemble: LearnedEnsemble | None = Field(
        None, description="How specialists are combined into strengths; None: fields and names add up."
    )

    @model_validator(mode="before")
    @classmethod
    def _rename_facts(cls, content: Any) -> Any:
        """Read the fact of former versions that compared monarchs' names as the one that now compares titles."""
        facts = content.get("facts") if isinstance(content, dict) else None
        if not isinstance(facts, dict) or FORMER_TITLE not in facts:
            return content
        others = {name: fact for name, fact in facts.items() if name != FORMER_TITLE}
        return {**content, "facts": {"title": facts[FORMER_TITLE], **others}}

    @model_validator(mode="after")
    def _says_where_from(self) -> Self:
        if "threshold" not in self.learned_on:
            raise ValueError("learned_on must say what the threshold was learned on")
        if self.ensemble is None and (CONTEXT not in self.fields or self.names is None):
            raise ValueError("without an ensemble it must say what contexts and names are worth")
        for kind, given, known in (("field", self.fields, FIELDS), ("fact", self.facts, FACTS)):
            if unknown := sorted(set(given) - set(known)):
                raise ValueError(f"there is no {kind} {unknown[0]!r}; there are {', '.join(known)}")
        return self

    @classmethod
    def default(cls) -> LearnedModel:
        return cls.model_validate_json(resources.files("crossdoc.compare").joinpath("default_model.json").read_bytes())

    @classmethod
    def load(cls, path: str | Path | None) -> LearnedModel:
        """A model file, or the one that comes with crossdoc."""
        if path is None:
            return cls.default()
        try:
            with Path(path).open("rb") as stream:
                written = stream.read(MOST_BYTES + 1)
            if len(written) > MOST_BYTES:
                raise errors.not_a_model(path, [f"it has more than {MOST_BYTES >> 20} MB"])
            content = json.loads(written.decode())
        except (FileNotFoundError, IsADirectoryError) as error:
            raise errors.no_such_path(path) from error
        except (ValueError, RecursionError) as error:
            raise errors.not_a_model(path, [str(error)]) from error
        return cls.of(content, path)

    @classmethod
    def of(cls, content: Any, source: str | Path) -> LearnedModel:
        """The model in what was read of a file, or of the account of a run."""
        if isinstance(content, dict) and content.get("crossdoc_model") == 1:
            raise errors.old_model(source)
        try:
            return cls.model_validate(content)
        except ValidationError as error:
            problems = [f"{'.'.join(map(str, p['loc'])) or 'file'}: {p['msg']}" for p in error.errors()]
            raise errors.not_a_model(source, problems) from error

    def curves(self, entity_type: str) -> dict[str, Curve]:
        """Return the curves of all fields for a type: as fitted on the collection, else as shipped."""
        own = self.fitted.get(entity_type)
        return {**self.fields, **own.curves} if own else self.fields

    def as_shipped(self) -> LearnedModel:
        """Return the model without anything of a collection, so that another fit counts none of its pairs twice."""
        return self.model_copy(update={"fields": {**self.fields, **self.shipped}, "shipped": {}, "fitted": {}})

    def save(self, path: str | Path) -> None:
        """Write the model as readable JSON; the file appears complete or not at all."""
        with whole_file(Path(path)) as stream:
            stream.write(self.model_dump_json(indent=1).encode())


def types_read(kind: Kind, specialists: Iterable[Specialist[Any]]) -> dict[str, tuple[str, list[str]]]:
    """Each type that specialists declare: what it means, and the names of those that read it.

    >>> from crossdoc.compare.specialists.dates import LifeDates
    >>> types_read("attribute", [LifeDates()])["age"]
    ('in years', ['life_dates'])
    """
    found: dict[str, tuple[str, list[str]]] = {}
    for specialist in specialists:
        declared = specialist.reads_attributes if kind == "attribute" else specialist.reads_relations
        for type, meaning in declared.items():
            known, readers = found.setdefault(type, (meaning, []))
            found[type] = (known or meaning, [*readers, specialist.name])
    return found


def unread_types(
    profiles: Profiles, attributes: Collection[str], relations: Collection[str]
) -> Counter[tuple[Kind, str]]:
    """Count the attributes and relations of other types than these, by type as the profiles spell it.

    Types that crossdoc extracts only for display (a first name, a school) do not count.
    """
    counts: Counter[tuple[Kind, str]] = Counter()
    known = set(map(plain_type, (*attributes, *SHOWN_ATTRIBUTES)))
    for type, n in stated_types(profiles, "attributes").items():
        if plain_type(type) not in known:
            counts["attribute", type] += n
    known = set(map(plain_type, (*relations, *SHOWN_RELATIONS)))
    for type, n in stated_types(profiles, "relations").items():
        if relation_type(type) not in known:
            counts["relation", type.partition(":")[0].strip()] += n
    return counts


def unread_evidence(profiles: Profiles, specialists: Sequence[Specialist[Any]]) -> Counter[tuple[Kind, str]]:
    """Count the attributes and relations that no specialist reads.

    >>> from crossdoc.compare.specialists import default_specialists
    >>> from crossdoc.model import Profile, Relation
    >>> ann = Profile("1", "d", "Ann", attributes={"Born": ["1931"]}, relations=(Relation("employer", "IBM"),))
    >>> unread_evidence(Profiles.of([ann]), default_specialists())
    Counter({('relation', 'employer'): 1})
    """
    return unread_types(profiles, types_read("attribute", specialists), types_read("relation", specialists))


def unread_notes(unread: Mapping[tuple[Kind, str], int], specialists: Sequence[Specialist[Any]]) -> list[str]:
    """Return notes on the counts of :func:`unread_evidence`: one on attributes and one on relations."""
    notes = []
    kinds: tuple[Kind, ...] = ("attribute", "relation")
    for kind in kinds:
        found = sorted((-count, type) for (of, type), count in unread.items() if of == kind and count)
        shown = [f"{type!r} ({-count:,})" for count, type in found]
        more = [f"… and {len(shown) - MOST_NAMED:,} more"] if len(shown) > MOST_NAMED else []
        if found:
            notes.append(
                f"no specialist reads the {kind} types {', '.join([*shown[:MOST_NAMED], *more])}, so they have no "
                f"effect; known types are {', '.join(sorted(types_read(kind, specialists)))} (`crossdoc formats` "
                "explains them)"
            )
    return notes


def profile_notes(profiles: Profiles, model: LearnedModel, given: bool, window: int) -> list[str]:
    """Return notes on evidence in profiles that is not used, and on contexts that are much longer than expected.

    Parameters
    ----------
    given : whether the profiles come from another program.
    window : characters on each side of a name that are expected as its context.
    """
    if model.ensemble is not None:
        specialists = all_specialists()
        return unread_notes(unread_evidence(profiles, specialists), specialists)
    if not given:
        return []
    facts = [FACTS[name]() for name in model.facts]
    attributes = sorted(types_read("attribute", facts))
    beside = {type for field in model.fields for type in RELATED.get(field, ((), None))[0]}
    relations = sorted(beside | set(types_read("relation", facts)))
    notes = []
    if unread_types(profiles, attributes, relations):
        notes.append(
            f"only names, contexts, the attributes {', '.join(attributes)} and the relations "
            f"{', '.join(relations)} of the profiles count; "
            "`crossdoc train` makes a model for --model that can use others"
        )
    lengths = pc.fill_null(pc.utf8_length(profiles.column("context")), 0).to_numpy()
    half = int(np.median(lengths)) if len(lengths) else 0
    if half > WHOLE_PAGES * 2 * window:
        notes.append(
            f"half of the contexts have more than {half:,} characters, which suggests whole pages; about "
            f"{2 * window:,} around a name are expected. People on pages that are similar for other reasons may be "
            "merged (`crossdoc extract` makes profiles from documents)"
        )
    return notes
