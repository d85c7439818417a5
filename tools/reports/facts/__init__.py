"""What pages and pictures show of a program beside its report: answers, tensors, loops, and where time is spent."""
