"""Lowerings by one level: `a_to_b.py` is the pass `lower-a-to-b`; its parts are in the folder named after level b.

`frontends/` imports models as tdsl, `exporters/` writes them, `pipelines.py` names the pipelines.
"""
