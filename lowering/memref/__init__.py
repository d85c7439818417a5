"""Parts of `lower-scratch-to-memref`: flat arrays, packed elements in such arrays, and transpositions in place."""
