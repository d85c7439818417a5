"""Advice in reports: what was chosen and why, and what costs accuracy or time."""
