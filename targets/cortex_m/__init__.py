"""The ARM cores Cortex-M0+, M3 and M4."""
