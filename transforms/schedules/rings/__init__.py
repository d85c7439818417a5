"""Ring buffers of streamed segments.

`on_demand` computes the least number of slots of a ring if each slice is computed when its first reader needs it. Plans
compare segments by these numbers. `ticks` assigns fixed times to the stages of a compiled program. `smallest_rings`
chooses the order of branches for these times. In compiled programs, rings are longer where branches join.
"""
