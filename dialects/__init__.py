"""The dialects of the IR.

Each folder contains a dialect or a library that one dialect uses. This folder imports no passes, chips or commands.
"""
