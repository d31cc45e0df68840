"""Model learned from labelled data, in one readable, versioned file: `default_model.json`, or the user's own."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from crossdoc import errors
from crossdoc.compare.curve import Curve
from crossdoc.compare.ensemble import LearnedEnsemble
from crossdoc.compare.evidence import FACTS, Fact
from crossdoc.compare.fields import CONTEXT, FIELDS
from crossdoc.compare.name_prior import NamePrior
from crossdoc.compare.story_evidence import TopicPrior
from crossdoc.files import whole_file

MOST_BYTES = 1 << 26
"""Bytes of a model file. `crossdoc train` writes one or two megabytes."""


FORMER_TITLE = "regnal_name"
"""Name of the fact `title` in results and models of an earlier version."""


class Fitted(BaseModel):
    """Estimates for one entity type of a collection (`fit.py`)."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    names: dict[str, float] = Field(description="By name: log odds to add to its prior.")
    shift: float = Field(0.0, le=0, description="The part of it that all names share.")
    others: float = Field(0.0, ge=0, le=1, description="What a prior above 0 loses of itself for other names.")
    curves: dict[str, Curve] = Field(description="By field: the fitted curve.")
    pairs: int = Field(ge=0, description="Independent pairs of agreeing names, n − 1 for a name in n documents.")
    chosen: float = Field(ge=0, le=1, description="The mean probability that a name was chosen, as in a search.")


class Shrinkage(BaseModel):
    """How far a collection moves the shipped values (`fit.py`)."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    curve_pairs: float = Field(300.0, gt=0, description="Pairs of the collection that weigh as much as a curve.")
    name_sd: float = Field(0.2, gt=0, description="Standard deviation of a name's log odds around its prior.")
    shift_sd: float = Field(3.0, gt=0, description="Standard deviation of the shift that all names share.")


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
