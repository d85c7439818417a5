"""Loops that take the place of segments: streamed, over the channels of images, and over tiles of a result."""
