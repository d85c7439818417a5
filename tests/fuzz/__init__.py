"""A harness that runs inputs that no user should need: damaged files, wrong options, killed runs, and random programs.

A *kind* is a family of cases (`kinds/`). Each case is generated from a number alone, so that any case can be repeated.
Cases run in processes with limits on time and memory (`watched.py`). The verdict on a case states whether the input was
accepted, rejected with a message of one line, or did harm.
"""
