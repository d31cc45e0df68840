"""Where work runs: all cores of this machine, or a Ray cluster, behind one protocol."""

from crossdoc.engine.local import LocalEngine
from crossdoc.engine.protocol import Engine, Lost, Ref

__all__ = ["Engine", "LocalEngine", "Lost", "Ref"]
