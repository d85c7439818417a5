"""Pruning of channels in networks on reals: coupled channels, their importance, and their removal.

`channel_groups` determines the channels that can only be removed together, `importance` ranks them, `pruning` chooses
them by the memory of a plan, and `removal` rewrites the program.
"""
