"""Live ranges of buffers, and the views that replace placed buffers."""
