"""Schedules: execution orders, their memory, and the rewrites that implement them (L1).

Each file directly in this folder defines schedules, except for `protocol` (the interface of a schedule), `segments`
(the interface of a tiling of a segment) and `table` (the list of all schedules). `plans` represents networks as
graphs and chooses the segments of a plan. `rings` computes the sizes of the ring buffers of streamed segments. `slices`
computes rows and pixels for each kind of op. `tiling` builds loops over the pixels of single ops. `rewriting` builds
the loops of each tiling of a segment. `streams` converts programs over whole sequences to steps in time.
"""
