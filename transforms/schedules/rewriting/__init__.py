"""The loops that replace segments: streamed loops, loops over the channels of images, and loops over the tiles of a
result.
"""
