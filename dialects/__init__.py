"""The dialects of the IR.

Each subfolder contains one dialect or a library that a dialect uses. The modules of this package do not import passes,
targets or commands.
"""
