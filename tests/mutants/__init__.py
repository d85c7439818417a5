"""One-line defects in passes, and which tests catch them."""
