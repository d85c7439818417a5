"""Passes on programs with memories and streams of hardware."""
