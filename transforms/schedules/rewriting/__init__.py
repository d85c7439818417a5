"""Loops that replace segments: streamed, over the channels of images, and over tiles of a result."""
