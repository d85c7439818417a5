"""What callers ask of a program: its scores, or only the class."""

SCORES, CLASS = OUTPUTS = ("scores", "class")
