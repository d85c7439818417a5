"""The store of programs. Each program is created once, and facts that are computed about a program are stored with
it.
"""
