"""Runners. A runner builds a generated model, runs it on the host or a simulated chip, and measures it."""
