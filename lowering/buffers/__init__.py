"""Parts of the lowering to buffers (L2)."""
