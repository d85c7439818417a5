"""Evaluation of many candidates, in this process, in others or on a cluster, with a journal."""
