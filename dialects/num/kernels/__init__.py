"""The op that calls a kernel, and the attributes that specify its computation and the kernel."""
