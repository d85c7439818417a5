"""Builders and matchers for passes of every level."""
