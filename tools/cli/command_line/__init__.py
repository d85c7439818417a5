"""The parser of a command, and the ends of help texts."""
