"""Training of a program's constants in the arithmetic of devices: values are the evaluator's, bit for bit, and
derivatives pass straight through roundings."""
