"""The results that callers may ask a classifier for: its scores, or only the class."""

SCORES, CLASS = OUTPUTS = ("scores", "class")
