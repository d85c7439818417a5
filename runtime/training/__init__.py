"""Training of a program's constants in the arithmetic of devices.

Values are bit-identical to those of the evaluator. Derivatives treat rounding as the identity.
"""
