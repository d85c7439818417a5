"""Training of a program's constants in the arithmetic of devices.

The forward pass computes the values that the evaluator computes, equal in every bit. Derivatives treat rounding as the
identity.
"""
