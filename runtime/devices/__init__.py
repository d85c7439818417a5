"""Runners, which build a generated model, run it on the host or a simulated chip, and measure it."""
