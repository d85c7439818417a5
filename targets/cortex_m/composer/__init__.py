"""The kernel generator (composer) for Cortex-M: fragments, and a file for each kind of kernel."""
