"""The work of the commands. A command imports its file here when it runs, and not for a help text."""
