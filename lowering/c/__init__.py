"""Parts of the lowering to C (L5): one file per kind of op, and the program around them."""
