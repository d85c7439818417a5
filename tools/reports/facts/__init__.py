"""Facts about a program that its page shows in addition to the report, each with its figure."""
