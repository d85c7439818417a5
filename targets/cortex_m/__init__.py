"""The ARM Cortex-M cores without vector extension: M0 and M0+, M3, M4, M7 and M33."""
