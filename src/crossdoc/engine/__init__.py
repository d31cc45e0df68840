"""Engines that run work on all cores of this machine or on a Ray cluster, behind one protocol."""

from crossdoc.engine.local import Engine, LocalEngine, Lost, Ref

__all__ = ["Engine", "LocalEngine", "Lost", "Ref"]
