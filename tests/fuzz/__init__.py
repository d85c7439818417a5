"""A test harness for unusual inputs: damaged files, wrong options, killed runs and random programs.

A *kind* is a family of cases (`kinds/`). Each case is generated from one number, so that it can be repeated. Cases run
in processes with limits on time and memory (`watched.py`). The verdict on a case states whether the input was accepted,
was rejected with a message of one line, or caused a failure that must not occur.
"""
