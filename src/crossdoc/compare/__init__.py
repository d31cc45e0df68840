"""Profiles → Relations and Vectors: blocking, names, contexts."""
