/* Enhancements of pages, which also work without scripts. */

/** Units of relative times, in seconds. */
const UNITS = [["year", 31_536_000], ["month", 2_592_000], ["day", 86_400], ["hour", 3_600], ["minute", 60]];
const DAY_MS = 86_400_000;
/** Seconds within which a list shows a relative time instead of the date. */
const RECENT = 7 * 86_400;

/** Formats times as "2026-11-23 14:02", in the time zone of the user's profile or of the browser. */
function timeFormat() {
  const { timeZone } = document.documentElement.dataset;
  // Swedish dates are those of ISO 8601.
  const options = { dateStyle: "short", timeStyle: "short" };
  try {
    return new Intl.DateTimeFormat("sv", { ...options, timeZone });
  } catch {
    // The browser does not know this zone.
    return new Intl.DateTimeFormat("sv", options);
  }
}

/** Shows local times; lists show recent ones as relative times. The title has both, and UTC. */
function localizeTimes(root = document) {
  const format = timeFormat();
  const ofDays = new Intl.RelativeTimeFormat("en");
  const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  for (const time of root.querySelectorAll("time[data-time]")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const seconds = (at.getTime() - Date.now()) / 1000;
    const [unit, size] = UNITS.find((one) => Math.abs(seconds) >= one[1]) ?? ["second", 1];
    // Calendar days in UTC, as the server counts them.
    const days = Math.floor(at.getTime() / DAY_MS) - Math.floor(Date.now() / DAY_MS);
    const distance = unit === "day"
      ? ofDays.format(days, unit)
      : relative.format(Math.round(seconds / size), unit);
    const local = format.format(at);
    time.title = `${local} · ${distance} · ${time.title}`;
    const recent = time.closest("td, tr.group") && Math.abs(seconds) < RECENT;
    time.textContent = recent ? distance : local;
    if (!time.closest("dl.facts")) continue;
    const note = document.createElement("small");
    note.className = "faint";
    note.textContent = ` ${distance}`;
    time.after(note);
  }
}

/** Shows the copy button of each copyable text. */
function enableCopying() {
  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const source = button.parentElement.querySelector("[data-copy-source]");
      await navigator.clipboard.writeText(source.textContent);
      const label = button.title;
      button.title = "Copied";
      button.setAttribute("aria-label", "Copied");
      setTimeout(() => {
        button.title = label;
        button.setAttribute("aria-label", label);
      }, 2000);
    });
  }
}

/** Adds the checkbox that selects all rows of a table. */
function enableChoosingAll() {
  for (const all of document.querySelectorAll("[data-select-all]")) {
    const boxes = [...all.closest("table").querySelectorAll('tbody input[type="checkbox"]')];
    all.hidden = boxes.length === 0;
    const list = document.querySelector("[data-select-list]");
    const show = () => {
      const ticked = boxes.filter((box) => box.checked).length;
      const chosen = list?.checked ? Number(list.dataset.selectList) : ticked;
      all.checked = ticked > 0 && ticked === boxes.length;
      all.indeterminate = ticked > 0 && ticked < boxes.length;
      for (const text of document.querySelectorAll("[data-selected-text]")) {
        text.textContent = `${chosen.toLocaleString("en")} selected`;
      }
      for (const bar of document.querySelectorAll("[data-selection]")) {
        bar.toggleAttribute("data-open", chosen > 0);
      }
    };
    all.addEventListener("change", () => {
      for (const box of boxes) box.checked = all.checked;
      if (!all.checked && list) list.checked = false;
      show();
    });
    // The row that was clicked last: Shift and a click change all rows from it to the clicked one.
    let last = -1;
    boxes.forEach((box, index) => {
      box.addEventListener("click", (event) => {
        if (event.shiftKey && last >= 0) {
          for (const other of boxes.slice(Math.min(last, index), Math.max(last, index) + 1)) {
            other.checked = box.checked;
          }
        }
        last = index;
      });
      box.addEventListener("change", () => {
        // A user who deselects a row does not want the whole list.
        if (!box.checked && list) list.checked = false;
        show();
      });
    });
    list?.addEventListener("change", () => {
      for (const box of boxes) box.checked = list.checked;
      show();
    });
    for (const button of document.querySelectorAll("[data-clear-selection]")) {
      button.hidden = false;
      button.addEventListener("click", () => {
        for (const box of boxes) box.checked = false;
        if (list) list.checked = false;
        show();
        all.focus();
      });
    }
    show();
    // After going back, the browser restores checkboxes after scripts have run.
    addEventListener("pageshow", show);
  }
}

/** Shows the buttons that choose all boxes of a group, or none if all are chosen. */
function enableToggles() {
  for (const button of document.querySelectorAll("[data-toggle-all]")) {
    const group = button.closest("fieldset");
    const boxes = () => [...group.querySelectorAll('input[type="checkbox"]')];
    const show = () => {
      const text = boxes().every((box) => box.checked) ? "None" : "All";
      button.textContent = text;
      button.setAttribute("aria-label", `${text}: ${button.dataset.toggleAll}`);
    };
    button.hidden = false;
    button.addEventListener("click", () => {
      const checked = boxes().some((box) => !box.checked);
      for (const box of boxes()) box.checked = checked;
      boxes()[0]?.dispatchEvent(new Event("input", { bubbles: true }));
    });
    // A list and its groups have the same checkboxes.
    group.closest(".checkboxes").addEventListener("input", show);
    show();
  }
}

/** Shows fields only while another one has one of their values. Fields with an error stay visible. */
function followFields() {
  for (const part of document.querySelectorAll("[data-shown-for]")) {
    const { shownFor, shownValues, leftOut } = part.dataset;
    const values = shownValues.split(" ").filter(Boolean);
    const form = part.closest("form");
    const show = () => {
      // A suggestion ends with the id: "web-01 (#3)".
      const chosen = new FormData(form).getAll(shownFor).map((one) => /#(\d+)\)$/.exec(one)?.[1] ?? one);
      part.hidden = !part.querySelector(".error") && !chosen.some((one) => values.includes(one));
      if (leftOut) part.disabled = part.hidden;
    };
    form.addEventListener("input", show);
    form.addEventListener("change", show);
    addEventListener("pageshow", show);
    show();
  }
}

/** Makes buttons generate a secret (Standard Webhooks: 32 random bytes in base64), which is then visible. */
function enableGenerating() {
  for (const button of document.querySelectorAll("[data-generate]")) {
    const field = document.getElementById(button.dataset.generate);
    button.addEventListener("click", () => {
      const bytes = crypto.getRandomValues(new Uint8Array(32));
      field.type = "text";
      field.value = `whsec_${btoa(String.fromCharCode(...bytes))}`;
      field.focus();
      field.select();
    });
  }
}

/** Loads a section again while its content is being processed. */
function refreshSections() {
  const section = document.querySelector("[data-refresh]");
  let tries = 30;
  const load = async () => {
    const text = await fetch(location.href).then((answer) => answer.ok ? answer.text() : undefined)
      .catch(() => undefined);
    if (text === undefined) return;
    const page = new DOMParser().parseFromString(text, "text/html");
    const fresh = page.getElementById(section.id);
    if (!fresh) return;
    // A link with the focus keeps it.
    if (!section.contains(document.activeElement)) {
      section.innerHTML = fresh.innerHTML;
      localizeTimes(section);
    }
    wait("refresh" in fresh.dataset || section.contains(document.activeElement));
  };
  const wait = (again) => {
    if (again && tries-- > 0) setTimeout(load, 1000);
  };
  wait(section !== null);
}

/** Ignores a second click of a button while its form is being sent. */
function guardForms() {
  for (const form of document.querySelectorAll('form[method="post"]')) {
    form.addEventListener("submit", (event) => {
      if (event.defaultPrevented) return;
      if (form.dataset.sent) event.preventDefault();
      form.dataset.sent = "yes";
    });
  }
  addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
  });
}

/** Opens the global search by `/` and Ctrl-K, with results while the user types; arrows and Enter select. */
function enablePalette() {
  const field = document.querySelector("[data-palette]");
  if (!field) return;
  const dialog = document.createElement("dialog");
  dialog.className = "palette";
  const input = document.createElement("input");
  input.type = "search";
  input.setAttribute("aria-label", "Search everything");
  input.placeholder = "Search pages, certificates, tenants, devices …";
  const results = document.createElement("div");
  results.setAttribute("role", "status");
  const keys = document.createElement("p");
  keys.className = "faint keys";
  keys.textContent = "↑ ↓ choose · Enter open · Esc close · in a list: j k move, x select, Enter open";
  const box = document.createElement("article");
  box.append(input, results, keys);
  dialog.append(box);
  document.body.append(dialog);

  let latest = 0;
  let loading = Promise.resolve();
  let moving = Promise.resolve();
  const load = async (waitMs) => {
    const mine = ++latest;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    if (mine !== latest) return;
    const text = await fetch(`${field.dataset.palette}?q=${encodeURIComponent(input.value.trim())}`)
      .then((answer) => answer.ok ? answer.text() : "").catch(() => "");
    // A response to an earlier text must not replace that to a later one.
    if (mine !== latest) return;
    results.innerHTML = text;
    // Enter opens the first result when something is typed.
    if (input.value.trim() !== "") results.querySelector("li")?.classList.add("first");
  };
  const open = () => {
    input.value = field.value;
    dialog.showModal();
    input.focus();
    loading = load(0);
  };
  const links = () => [...results.querySelectorAll("a")];
  const move = async (step) => {
    // Results of an earlier text cannot be selected.
    for (let waited; waited !== loading;) await (waited = loading);
    const all = links();
    if (all.length === 0) return;
    const at = all.indexOf(document.activeElement);
    // The first result is selected while the focus is in the field.
    const first = results.querySelector(".first");
    const next = (first !== null && at < 0 && step > 0 ? 0 : at) + step;
    if (next < 0) input.focus();
    else all[Math.min(next, all.length - 1)].focus();
  };
  const choose = async () => {
    // An arrow that was pressed before may still be waiting for its results.
    await moving;
    for (let waited; waited !== loading;) await (waited = loading);
    const chosen = links().includes(document.activeElement)
      ? document.activeElement
      : results.querySelector(".first a");
    location.href = chosen?.href ?? `/search/?q=${encodeURIComponent(input.value.trim())}`;
  };
  input.addEventListener("input", () => {
    loading = load(150);
  });
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      moving = moving.then(() => move(event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter" && document.activeElement === input) {
      event.preventDefault();
      choose();
    } else if (event.key === "Escape") {
      // By itself, a search field would only be emptied.
      event.preventDefault();
      dialog.close();
    }
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  field.addEventListener("click", open);
  addEventListener("keydown", (event) => {
    // The field of a closed dialog keeps the focus until the next frame.
    const typing = dialog.contains(event.target)
      ? dialog.open
      : event.target.closest("input, textarea, select, [contenteditable]");
    const slash = event.key === "/" && hasPlainKeys() && !typing && !event.ctrlKey && !event.metaKey &&
      !event.altKey;
    if (slash || (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey))) {
      event.preventDefault();
      if (!dialog.open) open();
    }
  });
}

/** The item of the browser's storage that switches keys without Ctrl off, which speech input would press. */
const NO_KEYS = "no-plain-keys";

function hasPlainKeys() {
  try {
    return localStorage.getItem(NO_KEYS) === null;
  } catch {
    // The browser allows pages no storage.
    return true;
  }
}

/** Shows the choice on the profile. It takes effect on the next page. */
function offerPlainKeys() {
  const choice = document.querySelector("[data-plain-keys]");
  if (!choice) return;
  const box = choice.querySelector("input");
  box.checked = hasPlainKeys();
  box.addEventListener("change", () => {
    if (box.checked) localStorage.removeItem(NO_KEYS);
    else localStorage.setItem(NO_KEYS, "");
  });
  choice.hidden = false;
}

/** Where a key would be typed. */
const TYPING = "input:not([type=checkbox]), textarea, select, dialog, [contenteditable]";
/** Returns whether a key is neither typed nor part of a combination. */
function isCommand({ ctrlKey, metaKey, altKey, target }) {
  return !ctrlKey && !metaKey && !altKey && !target.closest(TYPING);
}

/** The controls that keys press, and the places of the menu to which they go after g. */
const KEYS = {
  e: 'main a[role=button][href$="/edit/"]',
  r: 'main a[role=button][href$="/renew/"]',
  f: "main .filter-box > summary",
};
const PLACES = {
  o: "Overview",
  w: "Work",
  c: "Certificates",
  e: "Endpoints",
  a: "Authorities",
  p: "Compliance",
  s: "Systems",
  n: "Notifications",
};

/** Enables the keys of pages: e edits, r renews, f filters; g and a letter go to a place of the menu. */
function enablePageKeys() {
  for (const [key, selector] of Object.entries(KEYS)) {
    const control = document.querySelector(selector);
    control?.setAttribute("aria-keyshortcuts", key);
    if (control) control.title = `Key: ${key}`;
  }
  let isGoing = false;
  addEventListener("keydown", (event) => {
    if (!isCommand(event)) return;
    const { key } = event;
    const control = document.querySelector(
      isGoing ? `nav.menu a[title="${PLACES[key]}"]` : KEYS[key] ?? "none",
    );
    isGoing = key === "g";
    if (control === null) return;
    event.preventDefault();
    control.click();
    if (key === "f") control.parentElement.querySelector(":is(select, input):not([type=hidden])")?.focus();
  });
}

/** Enables the keys of lists: j and k move between rows, starting at the one with the focus; x selects, Enter opens. */
function enableListKeys() {
  const rows = [...document.querySelectorAll("main .table.dense tbody tr:not(.group)")];
  if (rows.length === 0) return;
  const linkOf = (row) => row.querySelector("a.object, a");
  let at = -1;
  addEventListener("keydown", (event) => {
    if (!isCommand(event)) return;
    const focused = rows.indexOf(event.target.closest("tr"));
    if (focused >= 0) at = focused;
    if (event.key === "j" || event.key === "k") {
      const next = at + (event.key === "j" ? 1 : -1);
      if (rows[next]) at = next;
      if (at < 0) return;
      linkOf(rows[at])?.focus();
      rows[at].scrollIntoView({ block: "nearest" });
    } else if (event.key === "x" && at >= 0) {
      rows[at].querySelector('input[type="checkbox"]')?.click();
    } else if (event.key === "Enter" && focused >= 0 && event.target.type === "checkbox") {
      // In a checkbox it would press the first button of the form for selected rows.
      event.preventDefault();
      linkOf(rows[at])?.click();
    }
  });
}

/** Moves the focus after an action to its result: the summary of errors or the message. */
function focusOutcome() {
  if (document.activeElement !== document.body) return;
  const target = document.querySelector("main .flash[role]");
  if (!target?.checkVisibility()) return;
  target.tabIndex = -1;
  target.focus();
}

/** Asks before edits are lost. */
function keepForms() {
  const form = document.querySelector("form[data-kept]");
  let edited = false;
  form?.addEventListener("input", () => edited = true);
  form?.addEventListener("submit", () => edited = false);
  addEventListener("beforeunload", (event) => {
    if (edited) event.preventDefault();
  });
}

/** Shows the buttons that print the page. */
function enablePrinting() {
  for (const button of document.querySelectorAll("[data-print]")) {
    button.hidden = false;
    button.addEventListener("click", () => print());
  }
}

/** Closes a menu or the panel of the filters on a click outside it, and on Escape. */
function closeMenus() {
  const open = () => [...document.querySelectorAll("details:is(.menu, .filter-box)[open]")];
  addEventListener("click", ({ target }) => {
    for (const menu of open()) if (!menu.contains(target)) menu.open = false;
  });
  addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    for (const menu of open()) {
      if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
      menu.open = false;
    }
  });
}

localizeTimes();
enableCopying();
enablePrinting();
enableChoosingAll();
enableGenerating();
enableToggles();
closeMenus();
refreshSections();
guardForms();
// On a phone, the tabs of a place can be wider than the page.
document.querySelector("nav.place [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
enablePalette();
if (hasPlainKeys()) {
  enableListKeys();
  enablePageKeys();
}
offerPlainKeys();
focusOutcome();
keepForms();
followFields();
