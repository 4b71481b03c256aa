/* Validates the constraints of a permission while they are typed. Saving validates them again. */

/** Milliseconds after the last keystroke before validation. */
const PAUSE = 300;

const note = document.querySelector("[data-check-constraints]");
const form = note?.closest("form");
let timer;
let latest = 0;

/** Shows the errors, or the matches. */
function show(faults, matches) {
  note.hidden = false;
  note.className = faults.length > 0 ? "flash error" : "flash";
  const lines = document.createElement("div");
  for (
    const text of faults.length > 0
      ? faults
      : [matches ? `Matches ${matches} that you may view.` : "The constraints are valid."]
  ) {
    const line = document.createElement("p");
    line.textContent = text;
    lines.append(line);
  }
  note.replaceChildren(lines);
}

async function check() {
  const turn = ++latest;
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (["csrf", "constraints", "object_types"].includes(name)) body.append(name, value);
  }
  const response = await fetch(note.dataset.checkConstraints, { method: "POST", body });
  if (turn !== latest || !response.ok) return;
  const { errors, matches } = await response.json();
  if (turn === latest) show(errors, matches);
}

/** Shows the filters of the chosen types only. */
function showNames() {
  const chosen = new FormData(form).getAll("object_types");
  for (const names of form.querySelectorAll("[data-filters-of]")) {
    names.hidden = chosen.length > 0 && !chosen.includes(names.dataset.filtersOf);
  }
}

if (form) {
  form.addEventListener("input", ({ target }) => {
    if (target.name === "object_types") showNames();
    if (!["constraints", "object_types"].includes(target.name)) return;
    clearTimeout(timer);
    timer = setTimeout(check, PAUSE);
  });
  showNames();
  if (form.elements.constraints.value.trim() !== "") check();
}
