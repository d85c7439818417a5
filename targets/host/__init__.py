"""The host computer: plain C99."""
