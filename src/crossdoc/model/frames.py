"""Objects that can be read as one table: as Arrow, and as a pandas or Polars frame if those are installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pyarrow as pa

from crossdoc import errors


class Frames:
    """Gives frames of what `to_arrow` gives."""

    def to_arrow(self) -> pa.Table:
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """A pandas DataFrame."""
        _package("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """A Polars DataFrame."""
        return _package("polars").from_arrow(self.to_arrow())


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise errors.needs_package(f"to_{name}()", name) from error
