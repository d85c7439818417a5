"""The host computer as a chip. Its programs are plain C99."""
