"""Parts of the lowering to C (L5): a file per kind of op, the program around them, and the interface for callers."""
