"""The memories of boards, and the value of `--memory`, which names some of them."""
