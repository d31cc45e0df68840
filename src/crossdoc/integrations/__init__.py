"""Adapters to other programs: each is a thin file over :func:`crossdoc.resolve_mentions` or over a finished answer.

The packages that they adapt to are extras; an adapter imports its package and nothing else does.
"""
