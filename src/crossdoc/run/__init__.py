"""Runs: stages in order, from inputs to answers."""
