"""Facts of a program that pages and pictures show beside its report: answers, tensors, loops, and time by line."""
