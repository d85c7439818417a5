"""The chip `pulse`: its description (`chip`), its kernels (`kernels`), its runner (`runner`) and the C code around
programs (`harness`).
"""
