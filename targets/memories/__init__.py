"""The memories of boards, and the parser of the option `--memory`, which selects some of them."""
