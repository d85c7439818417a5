"""Code that the kernel generators (composers) of several chips share: instructions, weight streams and tile kernels."""
