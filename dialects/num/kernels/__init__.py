"""The op that calls a kernel, and the attributes that say what it computes and which kernel does."""
