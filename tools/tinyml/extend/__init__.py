"""The interface for packages that extend tinyml: a module for each kind of extension, and the interface's version.

A package imports only these modules and the public names of `import tinyml`. docs/extending.md lists all names, and
states what may change, and when.
"""

from tinyml.dialects.interface_version import VERSION

__all__ = ["VERSION"]
