"""Behaviour shared by all command lines: one-line errors, progress, and files that are written completely or not at
all.
"""
