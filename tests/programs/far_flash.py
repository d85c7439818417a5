"""C code that moves the functions and far constants of a program for an ATmega2560 beyond the first 64 KB of flash."""

from __future__ import annotations

CODE = '__asm__(".section .init3,\\"ax\\",@progbits\\n\\tjmp 1f\\n\\t.space 66000\\n1:\\n\\t.text");\n'
"""Code in front of all functions, as the linker orders them, which the program jumps over at its start."""
