"""How the predicates of `arith` are spelled in C."""

INTEGER_PREDICATES = dict(enumerate(("==", "!=", "<", "<=", ">", ">=")))
"""Of arith.cmpi, by number."""

FLOAT_PREDICATES = {
    **{1: ("==", False), 2: (">", False), 3: (">=", False), 4: ("<", False), 5: ("<=", False)},
    **{13: ("!=", False), 9: ("<=", True), 10: ("<", True), 11: (">=", True), 12: (">", True)},
}
"""Of arith.cmpf, by number: operator of C, and whether the answer is negated (unordered comparisons)."""
