"""The vocabulary of the IR.

Each folder is a dialect or the library of one. This room imports no passes, chips or commands.
"""
