"""What rows of the papers measure, by subject."""
