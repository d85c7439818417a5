"""Assignment of a format to every tensor of a program."""
