"""Compilation within limits on RAM and flash."""
