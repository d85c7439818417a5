"""Runners: build a generated model, run it on the host or a simulated chip, measure it."""
