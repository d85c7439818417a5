"use strict";
// The text under the pointer or the keyboard, without the wait of the browser's own tips.
const said = document.getElementById("said");
function say(event) {
  const part = event.target.closest && event.target.closest(".tm-picture rect, .tm-picture circle");
  const title = part && part.querySelector("title");
  said.textContent = title ? title.textContent : "";
}
for (const kind of ["pointerover", "focusin"]) document.addEventListener(kind, say);
