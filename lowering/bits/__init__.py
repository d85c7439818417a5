"""Parts of the lowering of numbers to bits."""
