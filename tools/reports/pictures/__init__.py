"""Pictures of reports: drawings of our own, and plots by matplotlib."""
