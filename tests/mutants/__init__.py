"""One-line defects in passes, and the tests that detect them."""
