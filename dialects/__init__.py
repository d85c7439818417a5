"""The vocabulary of the IR.

A folder is a dialect or a library of one; nothing here knows a pass, a chip or a command.
"""
