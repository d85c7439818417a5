"""The choice of a memory for each buffer, hot constant and stack: the problem, the search and the judge.

`choice.py` states the problem, `relaxation.py` bounds its cost from below, `search.py` solves it by branch and bound,
and `exhaustive.py` checks the result of small problems by other means.
"""
