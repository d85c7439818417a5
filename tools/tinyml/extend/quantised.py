"""Quantised networks: importers of models whose numbers have a scale and a zero point."""

from tinyml.dialects.formats.zeroskew.type import ZeroSkewType

__all__ = ["ZeroSkewType"]
