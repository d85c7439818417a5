"""Training of a program's constants in the arithmetic of devices.

Values are bit-identical to the values that the evaluator computes. Derivatives treat rounding as the identity.
"""
