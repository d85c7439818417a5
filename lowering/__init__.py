"""One level down: `a_to_b.py` is the pass `lower-a-to-b`; the folder named as the level it leads to holds its parts.

`frontends/` lead into tdsl, `cost/` asks what a program takes.
"""
