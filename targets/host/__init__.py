"""The computer that compiles: plain C99."""
