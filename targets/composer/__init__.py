"""What the composers of several chips share: instructions, weight streams and tile kernels."""
