"""Live ranges of buffers, and the order of ops in which the buffers that live at once take the least memory."""
