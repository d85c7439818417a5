"""Passes on programs with hardware memories and streams."""
