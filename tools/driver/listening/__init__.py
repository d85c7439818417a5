"""Compiled programs that stream, as they hear a recording: answers over time, and the words among them."""
