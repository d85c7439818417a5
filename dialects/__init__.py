"""The dialects of the IR.

Each subfolder contains one dialect or a library that a dialect uses. The modules of this package import no pass, no
chip and no command.
"""
