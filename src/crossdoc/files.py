"""Files that are whole or not there: written beside their place and renamed when complete."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from crossdoc import errors


@contextmanager
def whole_file(path: Path | None) -> Iterator[BinaryIO]:
    """A file that appears under its name only when it is complete; None is standard output."""
    if path is None:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            # A pipe or a device, /dev/null among them, is written to and never replaced.
            with path.open("wb") as stream:
                yield stream
        else:
            with _replacing(path.resolve()) as stream:
                yield stream
    except BrokenPipeError:
        raise
    except OSError as error:
        raise errors.cannot_write(path, error.strerror or str(error)) from error


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".crossdoc-", delete=False) as stream:
            temporary = Path(stream.name)
            yield stream  # type: ignore[misc]
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
        temporary = None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
