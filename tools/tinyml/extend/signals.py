"""Signals: front ends that compute features with the ops of `tdsl` for filters, spectra and counts."""

from tinyml.dialects.tdsl import signals

__all__ = ["signals"]
