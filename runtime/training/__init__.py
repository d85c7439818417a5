"""Training of a program's constants on reals or in the arithmetic of devices.

In the arithmetic of devices, the forward pass computes the values that the evaluator computes, equal in every bit.
Derivatives treat rounding as the identity.
"""
