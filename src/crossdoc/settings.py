"""Every knob, validated, loadable from crossdoc.toml. `crossdoc settings` prints them with these descriptions."""

from __future__ import annotations

import inspect
import json
import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import wraps
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from crossdoc import errors
from crossdoc.cluster.clusterer import MAX_ROWS, Clusterer, Method
from crossdoc.cluster.methods import DEFAULT, clusterer, method_named, names, usable
from crossdoc.model import ENTITY_TYPES, EntityType

SEEN_TO = ("max_block", "checkpoint", "resume", "progress", "random_state", "threads", "time_limit")
"""Parameters of estimators that a run sees to, by settings for all methods or by itself."""
MOST_WORKERS = 1_000
"""Threads or processes: settings, which a result brings along too, must not be able to start without end."""
FORMER_NAMES = {"self_training": "background"}
"""Former name of a setting → its name now."""

ContactDetails = Literal["match", "keep", "off"]
P = ParamSpec("P")
R = TypeVar("R")


class Settings(BaseModel):
    """How to resolve a collection; every field is described by `crossdoc settings`.

    Unknown names and values out of range are refused, all at once.

    Examples
    --------
    >>> Settings(method="single-linkage").window
    300
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    method: str = Field(DEFAULT, description="How profiles are clustered into identities.")
    parameters: dict[str, dict[str, Any]] = Field(
        {},
        description="Parameters of methods, by method; in crossdoc.toml, a table with the name of the method.",
    )
    threshold: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Join clusters at least this similar (default: the method's own, 0.6 for mean-max linkage).",
    )
    background: bool = Field(
        True,
        description="Calibrate similarity on different names in this collection, not on other collections.",
    )
    describe: bool = Field(
        True,
        description="With --name, also parse the documents, so that relations to other people and organisations count "
        "(off: much faster, but only contexts count).",
    )
    types: list[EntityType] = Field(list(ENTITY_TYPES), min_length=1, description="The kinds of entity to resolve.")
    window: int = Field(300, ge=20, description="Characters on each side of a mention that count as its context.")
    language_model: str | None = Field(
        None, description="The spaCy model to use (default: the best installed one for the language)."
    )
    contact_details: ContactDetails = Field(
        "match",
        description="Store e-mail addresses, phone numbers and URLs as salted hashes, as they are, or not at all.",
    )
    contact_salt: str | None = Field(
        None,
        min_length=8,
        description="Secret salt of the hashes, so that several results match (default: a new one for each result).",
    )
    time_limit: float | None = Field(
        None,
        gt=0,
        description="Stop sampling (for each type) or a solver (for each component) after this many seconds with the "
        "best answer so far.",
    )
    threads: int = Field(
        0,
        ge=0,
        le=MOST_WORKERS,
        description="Threads for clustering; 0 means one per core. The answer does not depend on it.",
    )
    seed: int = Field(0, ge=0, le=2**32 - 1, description="Random seed.")
    processes: int = Field(0, ge=0, le=MOST_WORKERS, description="Processes for reading text; 0 means one per core.")
    batch_size: int = Field(
        256, ge=1, description="Documents per transaction, which is what a stopped run may have to redo."
    )
    max_document_characters: int = Field(20_000_000, ge=1, description="Longer documents are refused.")
    max_block: int = Field(
        MAX_ROWS,
        ge=2,
        description="Compare all pairs of up to this many profiles; of more, only those whose names agree.",
    )
    columns: list[str] = Field(
        [], description="How to map the columns of tables with other names: FIELD=COLUMN, as in name=author."
    )
    extractor: str | None = Field(
        None,
        description="The installed extractor that makes the profiles (NAME or NAME:TEXT; default: crossdoc's own).",
    )

    @field_validator("method")
    @classmethod
    def _known_method(cls, name: str) -> str:
        method_named(name)
        return name

    @field_validator("parameters")
    @classmethod
    def _known_parameters(cls, given: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        return {name: method_named(name).checked(values) for name, values in given.items()}

    @field_validator("columns", mode="before")
    @classmethod
    def _from_mapping(cls, given: Any) -> Any:
        return [f"{field}={column}" for field, column in given.items()] if isinstance(given, dict) else given

    @field_validator("columns")
    @classmethod
    def _pairs(cls, given: list[str]) -> list[str]:
        for pair in given:
            field, equals, column = pair.partition("=")
            if not equals or not field.strip() or not column.strip():
                raise errors.not_columns(pair)
        return given

    def clusterer(self) -> Clusterer:
        """The method with what is set of it, checked before any work is done."""
        own = self.parameters.get(self.method, {})
        return clusterer(self.method, own, threshold=self.threshold, time_limit=self.time_limit)

    @classmethod
    def choose(cls, settings: errors.AnyPath | Settings | None, given: Mapping[str, Any]) -> Settings:
        """Settings from a file or an object, over which go those given (not None) by the name of a field."""
        given = {name: given[name] for name in cls.model_fields if given.get(name) is not None}
        method = given.get("method")
        if method is not None and not isinstance(method, str):
            if given.get("parameters"):
                raise errors.one_of_two("An estimator", "parameters for it")
            fitted = clusterer(method)
            given |= {"method": fitted.name, "parameters": {fitted.name: dict(fitted.parameters)}}
        if isinstance(settings, Settings):
            return cls.load(None, **{**settings.model_dump(exclude_unset=True), **given})
        return cls.load(settings, **given)

    @classmethod
    def load(cls, path: errors.AnyPath | None = None, **given: Any) -> Settings:
        """Settings from a file, with those given (and not None) taking precedence; all problems at once."""
        values: dict[str, Any] = {}
        if path is not None:
            if not Path(path).exists():
                raise errors.no_such_path(path)
            if not Path(path).is_file():
                raise errors.not_a_file(path)
            try:
                values = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
            except OSError as error:
                raise errors.unreadable(path, error.strerror or str(error)) from error
            except (ValueError, RecursionError) as error:
                raise errors.bad_settings(str(path), [str(error)]) from error
        chosen = {name: value for name, value in given.items() if value is not None}
        try:
            return cls(**_with_tables(values, chosen))
        except ValidationError as error:
            ours = [problem.get("ctx", {}).get("error") for problem in error.errors()]
            if len(ours) == 1 and isinstance(ours[0], errors.CrossdocError):
                raise ours[0] from error
            problems = [
                f"{'.'.join(map(str, problem['loc'])) or 'settings'}: {_plain(problem)}" for problem in error.errors()
            ]
            raise errors.bad_settings(str(path) if path else "The settings are not right", problems) from error

    def to_toml(self) -> str:
        """A commented crossdoc.toml with these values."""
        blocks = [
            "# Settings of `crossdoc resolve --settings crossdoc.toml`. A line that is commented out is the default."
        ]
        for name, field in type(self).model_fields.items():
            value = getattr(self, name)
            if name == "parameters":
                continue
            line = f"# {name} = " if value is None else f"{name} = {json.dumps(value, ensure_ascii=False)}"
            options = names() if name == "method" else getattr(field.annotation, "__args__", ())
            blocks.append(f"# {field.description}\n{_choices(options)}{line}".rstrip())
        listed = [method for method in usable() if method.parameters]
        tables = [_table(method, self.parameters.get(method.name, {})) for method in listed]
        return "\n\n".join([*blocks, *tables]) + "\n"


def takes_settings(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function whose keywords include the settings.

    The function then takes a table of parameters by the name of its method too, and for an unknown keyword the
    message names the nearest known one.
    """
    known = list(inspect.signature(function).parameters)

    @wraps(function)
    def checked(*args: P.args, **given: P.kwargs) -> R:
        tables = {name: given.pop(name) for name in names() if name in given}
        for name in given.keys() - set(known):
            if near := get_close_matches(name, [*known, *names()], 1):
                raise errors.unknown_setting(name, near[0])
            Settings.load(None, **{name: given[name]})
        if tables:
            given.update(_with_tables({"parameters": given.get("parameters") or {}}, tables))
        return function(*args, **given)

    return checked


def set_to(values: dict[str, Any], given: Sequence[str]) -> dict[str, Any]:
    """Settings with `KEY=VALUE` (of a method: `METHOD.KEY=VALUE`) put into them; a value is TOML, or else a text.

    >>> set_to({}, ["karc.variant=paper", "sampling.temperature=[1.0, 0.01]", "window=200"])
    {'karc': {'variant': 'paper'}, 'sampling': {'temperature': [1.0, 0.01]}, 'window': 200}
    """
    for assignment in given:
        key, equals, value = assignment.partition("=")
        if not equals or not key.strip():
            raise errors.not_an_assignment(assignment)
        *method, name = key.strip().rsplit(".", 1)
        table = values.setdefault(method[0], {}) if method else values
        if not isinstance(table, dict):
            raise errors.not_an_assignment(assignment)
        table[name] = _parsed(value.strip())
    return values


def _parsed(value: str) -> Any:
    try:
        return tomllib.loads(f"value = {value}")["value"]
    except (ValueError, RecursionError):
        return value


def _with_tables(*layers: dict[str, Any]) -> dict[str, Any]:
    """Settings over settings; a table named after a method is its parameters, of which each counts by itself."""
    values: dict[str, Any] = {}
    parameters: dict[str, Any] = {}
    for layer in layers:
        for name, value in layer.items():
            if not isinstance(value, dict) or name == "columns":
                values[name] = value
                continue
            for method, table in (value if name == "parameters" else {name: value}).items():
                below: Any = parameters.get(method)
                both = isinstance(below, dict) and isinstance(table, dict)
                parameters[method] = {**below, **table} if both else table
    return {"parameters": parameters, **values} if parameters else values


def _table(method: Method, given: dict[str, Any]) -> str:
    """The parameters of a method as a TOML table, those that are not given commented out."""
    usual = {key: parameter.default for key, parameter in method.parameters.items() if key not in SEEN_TO}
    usual |= method.usual
    given = {key: value for key, value in given.items() if value is not None}
    lines = [f"{key} = {_toml(value)}" for key, value in given.items()]
    lines += [f"# {key} = {_toml(value)}".rstrip() for key, value in usual.items() if key not in given]
    return "\n".join([f"# {method.about}", f"[{method.name}]" if given else f"# [{method.name}]", *lines])


def _toml(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)


def _choices(options: Sequence[Any]) -> str:
    if options and all(isinstance(option, str) for option in options):
        return f"# One of: {', '.join(options)}.\n"
    return ""


def _plain(problem: Any) -> str:
    ours = problem.get("ctx", {}).get("error")
    if isinstance(ours, errors.CrossdocError):
        return f"{ours.what} {ours.hint}"
    if problem["type"] != "extra_forbidden":
        got = f" (not {problem['input']!r})" if problem["type"] not in ("missing", "value_error") else ""
        return str(problem["msg"]).lower() + got
    name = str(problem["loc"][-1])
    if name in FORMER_NAMES:
        return f"this setting is called {FORMER_NAMES[name]} now"
    near = get_close_matches(name, list(Settings.model_fields), 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"there is no such setting, only {', '.join(Settings.model_fields)}, and a table for each method{hint}"
