"""Parts of the lowering to loops."""
