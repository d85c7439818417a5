"""Handlers of ops on sequences: loops over the steps."""
