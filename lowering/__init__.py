"""Lowering by one level: `a_to_b.py` is the pass `lower-a-to-b`; its parts are in the folder named after level b.

`frontends/` import models as tdsl, `cost/` estimates time and memory of programs.
"""
