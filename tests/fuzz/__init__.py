"""A harness that tries what no user should have to: damaged files, wrong options, killed runs, and random programs.

A *kind* is a family of cases (`kinds/`), each made from a number alone, so that any case can be tried again. Cases run
in processes that are watched for time and memory (`watched.py`); a case's verdict says whether the input was accepted,
refused in one line, or did harm.
"""
