"""Facts about a program that its report page shows in addition to the report, each with a figure."""
