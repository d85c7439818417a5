"""Ring buffers of streamed segments.

`on_demand` computes the fewest slots of a ring if each slice is computed when its first reader needs it; plans compare
segments by these. `ticks` assigns fixed times to the stages of a program, and `smallest_rings` chooses the order of
branches for them; rings are longer there where branches join.
"""
