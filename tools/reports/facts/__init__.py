"""Facts of a program that its page shows beside the report, each with its picture."""
