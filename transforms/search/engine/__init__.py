"""The engine of all searches: the base class of the passes, the candidates of a program, limits on candidates, and the
result.
"""
