"""The basis of a schedule in clock cycles: delays, widths of indices, and dependences through memory."""
