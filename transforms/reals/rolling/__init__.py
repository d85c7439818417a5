"""Copies of a recurrent step, and the loop that replaces them (`roll-steps`)."""
