"""Interpreters of lowered IR that are independent of the compiler's own evaluator and code generators."""
