"""The interface for packages that extend tinyml: a module for each kind of extension, and the interface's version.

A package imports nothing else of tinyml than these modules and what `import tinyml` offers. docs/extending.md lists all
names, and states what may change, and when.
"""

from tinyml.dialects.interface_version import VERSION

__all__ = ["VERSION"]
