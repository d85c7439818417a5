"""Reference implementations with which computed values are compared; README.md of this folder states their
precision.
"""
