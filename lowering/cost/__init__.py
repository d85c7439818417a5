"""Passes that record the cost of a program on a target: estimated or measured."""
