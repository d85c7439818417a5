"""Ring buffers of streamed segments.

`on_demand` computes the least number of slots of a ring if each slice is computed when its first reader needs it; plans
compare segments by these numbers. `ticks` assigns fixed times to the stages of a compiled program, and `smallest_rings`
chooses the order of branches for them. There, rings are longer where branches join.
"""
