"""Training of a program's constants in the arithmetic of devices.

Values equal the evaluator's bit for bit; derivatives pass straight through roundings.
"""
