"""Passes that tell the cost of a program on a target: estimated, or measured."""
