"""Every knob, validated, loadable from crossdoc.toml. `crossdoc settings` prints them with these descriptions."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from crossdoc import errors
from crossdoc.model import ENTITY_TYPES, EntityType

Method = Literal[
    "average-linkage",
    "single-linkage",
    "complete-linkage",
    "karc",
    "arca",
    "frc",
    "correlation",
    "contexts",
    "sampling",
    "string-match",
    "one-in-one",
    "all-in-one",
]
METHODS: tuple[Method, ...] = Method.__args__  # type: ignore[attr-defined]


class Settings(BaseModel):
    """How to resolve a collection.

    >>> Settings(method="single-linkage").window
    300
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    method: Method = Field("average-linkage", description="How profiles are clustered into identities.")
    threshold: float | None = Field(
        None,
        ge=0,
        le=1,
        description="The strength at which clusters are joined; left out: the method's own (0.5 for average linkage).",
    )
    self_training: bool = Field(
        True,
        description="Learn on the collection itself, without labels, what similar contexts are worth.",
    )
    types: list[EntityType] = Field(list(ENTITY_TYPES), min_length=1, description="The kinds of entity to resolve.")
    window: int = Field(300, ge=20, description="Characters on each side of a mention that count as its context.")
    language_model: str | None = Field(
        None, description="The spaCy model to read text with; left out: the best installed one for the language."
    )
    contact_details: Literal["match", "keep", "off"] = Field(
        "match",
        description="E-mail addresses, phone numbers and URLs: only as salted hashes, as they are, or not at all.",
    )
    contact_salt: str | None = Field(
        None,
        min_length=8,
        description="The secret of those hashes, so that several results match; left out: another for each result.",
    )
    time_limit: float | None = Field(
        None, gt=0, description="Seconds that sampling may take for each type; then the best so far is the answer."
    )
    threads: int = Field(0, ge=0, description="Threads of sampling; 0 is one a core. Another number, another answer.")
    seed: int = Field(0, ge=0, le=2**32 - 1, description="Every random choice follows from it.")
    processes: int = Field(0, ge=0, description="Processes that read text; 0 is one a core.")
    batch_size: int = Field(256, ge=1, description="Documents per transaction; what a stopped run may have to redo.")
    max_document_characters: int = Field(20_000_000, ge=1, description="A longer document is refused.")
    max_block: int = Field(
        20_000, ge=2, description="Profiles that may all be one entity; average and complete linkage compare all pairs."
    )
    extractor: str | None = Field(
        None, description="The installed extractor that makes the profiles; left out: crossdoc's own."
    )

    @classmethod
    def load(cls, path: str | Path | None = None, **given: Any) -> Settings:
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
            except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
                raise errors.bad_settings(str(path), [str(error)]) from error
        values.update({name: value for name, value in given.items() if value is not None})
        try:
            return cls(**values)
        except ValidationError as error:
            problems = [
                f"{'.'.join(map(str, problem['loc'])) or 'settings'}: {_plain(problem['msg'])}" + _got(problem)
                for problem in error.errors()
            ]
            raise errors.bad_settings(str(path) if path else "The settings are not right", problems) from error

    def to_toml(self) -> str:
        """A commented crossdoc.toml with these values."""
        blocks = [
            "# Settings of `crossdoc resolve --settings crossdoc.toml`. A line that is commented out is the default."
        ]
        for name, field in type(self).model_fields.items():
            value = getattr(self, name)
            line = f"# {name} = " if value is None else f"{name} = {json.dumps(value, ensure_ascii=False)}"
            blocks.append(f"# {field.description}\n{_choices(field.annotation)}{line}".rstrip())
        return "\n\n".join(blocks) + "\n"


def _choices(annotation: Any) -> str:
    options = getattr(annotation, "__args__", None)
    if options and all(isinstance(option, str) for option in options):
        return f"# One of: {', '.join(options)}.\n"
    return ""


def _plain(message: str) -> str:
    return "there is no such setting" if message == "Extra inputs are not permitted" else message.lower()


def _got(problem: Any) -> str:
    return f" (not {problem['input']!r})" if problem["type"] not in ("extra_forbidden", "missing") else ""
