"""Facts about a program that its report page shows in addition to the report, and the figures of the page."""
