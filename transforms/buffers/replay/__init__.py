"""Execution of loops on buffers, limited to byte addresses, to check the claims of passes (L2)."""
