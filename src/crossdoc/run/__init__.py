"""Runs from inputs to answers, and changes to answers."""
