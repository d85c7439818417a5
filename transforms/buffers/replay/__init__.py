"""Execution of loops on buffers byte by byte, as far as addresses go, to check what passes claim (L2)."""
