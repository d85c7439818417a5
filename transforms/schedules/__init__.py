"""Schedules: the orders in which programs compute, what memory each takes, and how they are made (L1).

A file directly in this room defines schedules, except for `protocol` (what a schedule is) and `table` (all of them).
`plans` says what a plan needs to know of a network and chooses its segments, `rings` sizes the ring buffers of streamed
segments, `slices` computes rows and pixels of each kind of op, and `rewriting` builds the loops of each tiling.
"""
