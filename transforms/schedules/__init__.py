"""Schedules: execution orders, their memory, and the rewrites that implement them (L1).

Each file directly in this folder defines schedules, except for `protocol` (the interface of a schedule) and `table`
(all schedules). `plans` describes networks as graphs and chooses the segments of a plan, `rings` sizes the ring buffers
of streamed segments, `slices` computes rows and pixels of each kind of op, and `rewriting` builds the loops of each
tiling.
"""
