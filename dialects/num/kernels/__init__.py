"""The op `num.call`, which calls a kernel, and the attributes that specify the computation and the kernel."""
