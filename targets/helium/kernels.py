"""The kernels for Cortex-M cores with Helium."""

from __future__ import annotations

from tinyml.targets.cortex_m import kernels as cortex_m

MAKERS = cortex_m.MAKERS
"""The table of the chip, best first."""
