"""Runs on boards at serial ports."""
