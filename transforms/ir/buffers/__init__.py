"""Uses of buffers and of their views, and changes of their types."""
