"""Assignment of a number format to every tensor of a program."""
