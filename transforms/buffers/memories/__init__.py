"""The assignment of each buffer, each frequently read constant and the stack to one of a chip's memories.

`choice.py` states the problem, `relaxation.py` computes a lower bound on its cost, `search.py` solves it by branch and
bound, and `exhaustive.py` checks the result of small problems by a different method.
"""
