"""Foundations of a schedule in clock cycles: delays, widths of indices, dependences through memory."""
