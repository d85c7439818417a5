"""Live ranges of buffers, and rectangles made from them."""
