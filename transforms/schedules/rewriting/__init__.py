"""The loops that replace segments: streamed, over the channels of images, and over the tiles of a result."""
