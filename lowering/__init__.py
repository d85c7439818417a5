"""Passes that each lower a program by one level of the IR. `a_to_b.py` contains the pass `lower-a-to-b`; the folder
named after level b contains the parts of that pass.

`frontends/` imports models as `tdsl` programs. `exporters/` writes programs to files. `pipelines.py` defines the named
pipelines.
"""
