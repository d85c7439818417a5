"""Pruning of channels in networks on reals: coupled channels, their importance, and their removal.

`channel_groups` finds the channels that can only be removed together, `importance` ranks them, `pruning` chooses them
by the memory of a plan, `removal` rewrites the program.
"""
