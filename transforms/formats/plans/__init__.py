"""Execution plans: the memory that a network needs if segments of its ops run in certain schedules.

`graph` is what a plan needs to know of a network. `ordinary`, `partial`, `patches`, `streaming` and `layer_orders` say
what a segment of consecutive ops takes in each schedule, `segmentation` chooses the segments, `modes` names the plans.
"""
