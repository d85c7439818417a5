"""What a schedule in clock cycles rests on: delays, widths of indices, dependences through memory."""
