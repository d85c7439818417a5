"""The parts that all searches have in common: the base class of the passes, the evaluation of candidates, limits on
candidates, moves between candidates, and the result.
"""
