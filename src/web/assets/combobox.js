/*
 * Comboboxes for references to objects that are too numerous to list (ARIA Authoring Practices, "Editable Combobox With
 * List Autocomplete"). Without scripts the field accepts an ID or a name.
 */

/** Milliseconds after the last keystroke before suggestions are requested. */
const PAUSE = 200;

let latest = 0;
let timer;
let lists = 0;

/** The field whose list is open, its options, and the index of the active one; -1 for none. */
let open;

/** Returns the URL of a field's suggestions. */
function addressOf(field) {
  // A chosen value (`web-01 (#3)`) lists everything, so that another one can be chosen.
  const text = /\(([a-z ]+ )?#\d+\)$/i.test(field.value) ? "" : field.value.trim();
  return `${field.dataset.suggest}?q=${encodeURIComponent(text)}`;
}

/** Makes a field a combobox. */
function enable(field) {
  const list = document.createElement("ul");
  list.id = `combobox-${++lists}`;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Suggestions");
  const note = document.createElement("p");
  note.setAttribute("role", "status");
  const popup = document.createElement("div");
  popup.className = "popup";
  popup.append(list, note);
  const box = document.createElement("div");
  box.className = "combobox";
  field.replaceWith(box);
  box.append(field, popup);
  const attributes = {
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": list.id,
  };
  for (const [name, value] of Object.entries(attributes)) field.setAttribute(name, value);
  // The focus stays in the field while an option is clicked.
  popup.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", ({ target }) => {
    const option = target.closest("[role=option]");
    if (option) choose(field, option);
  });
  field.addEventListener("click", () => {
    if (open?.field !== field) suggest(field, 0);
  });
  field.addEventListener("blur", close);
  field.addEventListener("input", ({ isTrusted }) => {
    if (!isTrusted) return;
    addLine(field);
    suggest(field, PAUSE);
  });
  field.addEventListener("keydown", (event) => onKey(field, event));
}

function onKey(field, event) {
  const isOpen = open?.field === field;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    if (!isOpen) suggest(field, 0);
    else if (!event.altKey) activate(open.active + (event.key === "ArrowDown" ? 1 : -1));
    else if (event.key === "ArrowUp") close();
  } else if (event.key === "Enter" && isOpen && open.options[open.active]) {
    event.preventDefault();
    choose(field, open.options[open.active]);
  } else if (event.key === "Escape" && isOpen) {
    event.preventDefault();
    event.stopPropagation();
    close();
  }
}

/** Requests suggestions after a pause, and shows them. A response to an earlier text is ignored. */
function suggest(field, pause) {
  const mine = ++latest;
  clearTimeout(timer);
  timer = setTimeout(async () => {
    const found = await fetch(addressOf(field), { headers: { accept: "application/json" } })
      .then((response) => response.ok ? response.json() : undefined).catch(() => undefined);
    if (mine !== latest || document.activeElement !== field) return;
    if (found === undefined) return show(field, [], "No suggestions available. Enter an ID or a name.");
    const { options, more } = found;
    const count = options.length === 1 ? "1 match" : `${options.length} matches`;
    show(
      field,
      options,
      options.length === 0 ? "No matches" : more ? `First ${count}. Type to narrow.` : count,
    );
  }, pause);
}

function show(field, found, text) {
  close();
  const [list, note] = field.nextElementSibling.children;
  const options = found.map(({ value, label, note: aside }, index) => {
    const option = document.createElement("li");
    option.id = `${list.id}-${index}`;
    option.setAttribute("role", "option");
    option.setAttribute("aria-selected", "false");
    option.dataset.value = value;
    const name = document.createElement("bdi");
    name.textContent = label;
    option.append(name);
    if (aside) {
      const small = document.createElement("small");
      small.textContent = ` ${aside}`;
      option.append(small);
    }
    return option;
  });
  list.replaceChildren(...options);
  note.textContent = text;
  open = { field, options, active: -1 };
  field.setAttribute("aria-expanded", "true");
}

function close() {
  latest++;
  clearTimeout(timer);
  if (open === undefined) return;
  open.field.setAttribute("aria-expanded", "false");
  open.field.removeAttribute("aria-activedescendant");
  open = undefined;
}

/** Makes an option the active one; beyond one end it is that of the other end. */
function activate(index) {
  const { field, options } = open;
  if (options.length === 0) return;
  open.active = index < 0 ? options.length - 1 : index % options.length;
  for (const [at, option] of options.entries()) {
    option.setAttribute("aria-selected", String(at === open.active));
  }
  const option = options[open.active];
  field.setAttribute("aria-activedescendant", option.id);
  option.scrollIntoView({ block: "nearest" });
}

function choose(field, option) {
  field.value = option.dataset.value;
  close();
  addLine(field);
  // The form has been edited.
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Adds an empty line as soon as the last one is used. */
function addLine(field) {
  const lines = field.closest(".several")?.querySelectorAll("input") ?? [];
  if (lines[lines.length - 1] !== field || field.value === "") return;
  const line = document.createElement("input");
  for (const name of ["name", "aria-label", "autocomplete", "data-suggest"]) {
    line.setAttribute(name, field.getAttribute(name));
  }
  field.parentElement.after(line);
  enable(line);
}

// A form can have the script several times.
function enableAll() {
  for (const field of document.querySelectorAll("input[data-suggest]:not([role])")) enable(field);
}
enableAll();
// Parts of a form were rendered anew.
document.addEventListener("certmgr:replaced", enableAll);
