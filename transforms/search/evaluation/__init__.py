"""Evaluating many candidates: here, in other processes or on a cluster, with a journal."""
