// Wide tables, which the theme wraps in boxes that scroll, scroll by the keyboard, too.
addEventListener("load", () => {
  for (const box of document.querySelectorAll(".md-typeset__scrollwrap")) box.tabIndex = 0
})
