"""`crossdoc settings`: a commented crossdoc.toml."""

from __future__ import annotations

import sys


def settings() -> None:
    """Print every setting with its meaning and default, ready to be saved as crossdoc.toml.

    Example:  crossdoc settings > crossdoc.toml
    """
    from crossdoc.settings import Settings

    sys.stdout.write(Settings().to_toml())
