"""Parts of the lowering to C (L5): one file per kind of op, the surrounding program, and the interface for callers."""
