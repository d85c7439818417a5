"""Parts of the lowering to buffers."""
