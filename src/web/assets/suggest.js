/* Suggestions for references to objects that are too numerous to list. */

/** Milliseconds after the last keystroke before suggestions are requested. */
const PAUSE = 200;

let timer;

/** Returns the address of a field's suggestions; braces are replaced by the value of another field. */
function addressOf(field) {
  let known = true;
  const path = field.dataset.suggest.replace(/\{(\w+)\}/, (_, name) => {
    const { value } = field.form.elements[name];
    known &&= value !== "";
    return encodeURIComponent(value);
  });
  return known ? `${path}?q=${encodeURIComponent(field.value)}` : undefined;
}

/** Returns the list of a field; creates it when it is first needed. */
function listOf(field) {
  if (field.list) return field.list;
  const list = document.createElement("datalist");
  list.id = `suggestions-${document.querySelectorAll("datalist").length}`;
  document.body.append(list);
  field.setAttribute("list", list.id);
  return list;
}

async function suggest(field) {
  const address = addressOf(field);
  // A chosen value needs no suggestions.
  if (address === undefined || /^#\d/.test(field.value)) return;
  const response = await fetch(address, { headers: { accept: "application/json" } });
  if (!response.ok) return;
  const found = await response.json();
  listOf(field).replaceChildren(...found.map(({ value, label }) => {
    const option = document.createElement("option");
    option.value = `#${value} ${label}`;
    return option;
  }));
}

/** Adds an empty line as soon as the last one is used. */
function addLine(field) {
  const lines = field.closest(".several")?.querySelectorAll("input") ?? [];
  if (lines[lines.length - 1] !== field || field.value === "") return;
  const line = field.cloneNode();
  line.value = "";
  line.removeAttribute("list");
  field.after(line);
}

document.addEventListener("input", ({ target }) => {
  if (!target.matches("[data-suggest]")) return;
  addLine(target);
  clearTimeout(timer);
  timer = setTimeout(() => suggest(target), PAUSE);
});
document.addEventListener("focusin", ({ target }) => {
  if (target.matches("[data-suggest]") && target.value === "") suggest(target);
});
