"""The version of `tinyml.extend`, the interface for packages that extend tinyml."""

VERSION = 1
"""It rises by one where a name of the interface goes, or changes its meaning. Names are added without a step."""
