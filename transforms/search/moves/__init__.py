"""Moves: the steps from one candidate to another, and the published algorithms from which searches start."""
