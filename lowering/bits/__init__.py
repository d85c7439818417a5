"""Parts of the lowering to bits."""
