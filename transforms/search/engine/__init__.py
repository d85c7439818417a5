"""What all searches share: the problem, its limits, the result."""
