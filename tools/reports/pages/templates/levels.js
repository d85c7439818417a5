// Lines of one operation light up together, and a click shows it in every column.
const columns = [...document.querySelectorAll(".code")];
let lit = null;
function light(line) {
  const source = line && line.dataset.s;
  if (source === lit) return;
  for (const old of document.querySelectorAll(".lit")) old.classList.remove("lit");
  lit = source || null;
  if (lit !== null) for (const same of document.querySelectorAll(`[data-s="${lit}"]`)) same.classList.add("lit");
}
function lineOf(event) { return event.target.closest && event.target.closest("[data-s]"); }
document.addEventListener("pointerover", (event) => { if (lineOf(event)) light(lineOf(event)); });
document.addEventListener("focusin", (event) => { if (lineOf(event)) light(lineOf(event)); });
document.addEventListener("click", (event) => {
  const line = lineOf(event);
  if (!line) return;
  light(line);
  for (const column of columns) {
    const same = column.querySelector(`[data-s="${line.dataset.s}"]`);
    if (same && !column.contains(line)) column.scrollTop = same.offsetTop - column.offsetTop - 60;
  }
  event.preventDefault();
});
