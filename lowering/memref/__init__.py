"""Parts of `lower-scratch-to-memref`: flat arrays, packed elements in them, and transpositions in place."""
