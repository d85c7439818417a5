"""How operands are prepared for kernels."""
