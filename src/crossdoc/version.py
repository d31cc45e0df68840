"""The version, as the installed package has it."""

from importlib.metadata import version

__version__ = version("crossdoc")
