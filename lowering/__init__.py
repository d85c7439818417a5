"""Lowerings by one level of the IR. `a_to_b.py` contains the pass `lower-a-to-b`; the folder named after level b
contains its parts.

`frontends/` imports models as `tdsl` programs, `exporters/` writes programs to files, and `pipelines.py` defines the
named pipelines.
"""
