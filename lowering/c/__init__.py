"""Parts of the lowering to C."""
