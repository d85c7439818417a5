"""Ring buffers of streamed segments.

`on_demand` counts the slices that a ring holds at least, when each is computed once its first reader asks for it, by
which plans compare segments. `ticks` gives the stages of a program fixed times, for which `smallest_rings` chooses the
order of branches; rings are longer there where branches join.
"""
