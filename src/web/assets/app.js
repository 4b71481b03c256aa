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

/** Offers the names of time zones that the browser knows. */
function offerTimeZones() {
  const field = document.querySelector("[data-time-zones]");
  if (!field) return;
  const list = document.createElement("datalist");
  list.id = "time-zones";
  list.append(...Intl.supportedValuesOf("timeZone").map((name) => new Option(name)));
  document.body.append(list);
  field.setAttribute("list", list.id);
  if (field.dataset.timeZones !== "own") return;
  field.placeholder = `This browser's: ${Intl.DateTimeFormat().resolvedOptions().timeZone}`;
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
            // Rows of a collapsed group are not visible.
            if (other.checkVisibility()) other.checked = box.checked;
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

/** Disables buttons until a value of the field that they need is chosen. */
function enableNeeds() {
  for (const button of document.querySelectorAll("[data-needs]")) {
    const field = button.form.elements.namedItem(button.dataset.needs);
    const show = () => {
      button.disabled = field.value === "";
    };
    field.addEventListener("change", show);
    show();
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

/** Adds a line to fields with several inputs in each line. */
function enableLines() {
  for (const button of document.querySelectorAll("[data-add-line]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const line = button.previousElementSibling.cloneNode(true);
      for (const field of line.querySelectorAll("input")) field.value = "";
      button.before(line);
      line.querySelector("input").focus();
    });
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

/** Shows the color picker next to the digits of a color, and keeps both equal. */
function enableColors() {
  for (const picker of document.querySelectorAll("[data-color-of]")) {
    const field = document.getElementById(picker.dataset.colorOf);
    const show = () => {
      if (/^[0-9a-f]{6}$/i.test(field.value)) picker.value = `#${field.value}`;
    };
    field.addEventListener("input", show);
    picker.addEventListener("input", () => field.value = picker.value.slice(1));
    picker.hidden = false;
    show();
  }
}

/** Derives a slug from the name until the user types another one. */
function deriveSlugs() {
  for (const slug of document.querySelectorAll("[data-derived]")) {
    const name = slug.form.elements.name ?? slug.form.elements.model;
    let derived = slug.value === "";
    slug.addEventListener("input", () => derived = slug.value === "");
    name?.addEventListener("input", () => {
      if (!derived) return;
      const plain = name.value.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
      slug.value = plain.replace(/[^a-z0-9]+/g, "-").slice(0, 100).replace(/^-|-$/g, "");
    });
  }
}

/** Loads a section again while its content is being processed. */
function refreshSections() {
  const section = document.querySelector("[data-refresh]");
  let tries = 30;
  const load = async () => {
    const answer = await fetch(location.href).catch(() => undefined);
    if (!answer?.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
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

/** Scrolls only the menu to the current page and the entries next to it in an open group, if they are not visible. */
function showCurrent() {
  const current = document.querySelector("nav.menu a[aria-current]");
  const menu = current?.closest("nav.menu");
  if (!menu) return;
  const [link, box] = [current, menu].map((one) => one.getBoundingClientRect());
  const hidden = (current.closest("details") ?? current).getBoundingClientRect().bottom - box.bottom;
  // Not so far that the current page is hidden above.
  if (hidden > 0) menu.scrollTop += Math.min(hidden + 20, link.top - box.top);
}

const RECENT_OBJECTS = "certmgr-recent";
const MAX_RECENT = 8;

/** Returns the objects that this user has opened in this browser, the latest first. */
function recentObjects() {
  try {
    const { user, objects } = JSON.parse(localStorage.getItem(RECENT_OBJECTS) ?? "{}");
    return user === document.querySelector("a.account")?.textContent ? objects : [];
  } catch {
    return [];
  }
}

/** Stores the object of the page. Signing out deletes all. */
function rememberObject() {
  document.querySelector('form[action="/sign-out/"]')?.addEventListener("submit", () => {
    localStorage.removeItem(RECENT_OBJECTS);
  });
  const account = document.querySelector("a.account");
  const heading = document.querySelector("main h1");
  const kind = [...document.querySelectorAll(".crumbs a")].at(-1);
  if (!account || !heading || !kind || !/^\/[a-z-]+\/\d+\/$/.test(location.pathname)) return;
  const shown = { path: location.pathname, name: heading.textContent.trim(), kind: kind.textContent.trim() };
  const others = recentObjects().filter(({ path }) => path !== shown.path);
  const kept = { user: account.textContent, objects: [shown, ...others].slice(0, MAX_RECENT) };
  localStorage.setItem(RECENT_OBJECTS, JSON.stringify(kept));
}

/** Fills the lists of recent objects, on the page of the search and in its dialog. */
function listRecent(root = document) {
  const section = root.querySelector("[data-recent]");
  if (!section) return;
  const objects = recentObjects();
  section.querySelector("p").hidden = objects.length > 0;
  section.querySelector("ul").append(...objects.map(({ path, name, kind }) => {
    const [item, link, of] = ["li", "a", "small"].map((tag) => document.createElement(tag));
    [link.href, link.textContent, of.textContent, of.className] = [path, ` ${name}`, ` ${kind}`, "faint"];
    // The icon of its list in the menu.
    const list = document.querySelector(`nav.menu a[href="/${path.split("/")[1]}/"] .icon`);
    if (list) link.prepend(list.cloneNode(true));
    link.append(of);
    item.append(link);
    return item;
  }));
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
  keys.textContent = "↑ ↓ choose · Enter open · Esc close · ? on a page: all keys";
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
    const answer = await fetch(`${field.dataset.palette}?q=${encodeURIComponent(input.value.trim())}`);
    // A response to an earlier text must not replace that to a later one.
    if (mine !== latest) return;
    results.innerHTML = answer.ok ? await answer.text() : "";
    listRecent(results);
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
    const slash = event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (slash || (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey))) {
      event.preventDefault();
      if (!dialog.open) open();
    }
  });
}

/** Adds a button to the sign-in pages that shows the typed password. */
function offerPasswords() {
  for (const input of document.querySelectorAll("main.bare input[type=password]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "plain show-password";
    const show = (shown) => {
      input.type = shown ? "text" : "password";
      button.textContent = shown ? "Hide characters" : "Show characters";
    };
    button.addEventListener("click", () => show(input.type === "password"));
    // The field is a password again when it is sent, also for password managers.
    input.form.addEventListener("submit", () => show(false));
    show(false);
    input.after(button);
  }
}

/** Enables the keys of lists: j and k move between rows, starting at the one with the focus; x selects, Enter opens. */
function enableListKeys() {
  const rows = [...document.querySelectorAll("main .table.dense tbody tr:not(.group)")];
  if (rows.length === 0) return;
  const linkOf = (row) => row.querySelector("a.object, a");
  let at = -1;
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input:not([type=checkbox]), textarea, select, dialog, [contenteditable]")) {
      return;
    }
    const focused = rows.indexOf(event.target.closest("tr"));
    if (focused >= 0) at = focused;
    if (event.key === "j" || event.key === "k") {
      const step = event.key === "j" ? 1 : -1;
      let next = at + step;
      // Rows of a collapsed group are not visible.
      while (rows[next] && !rows[next].checkVisibility()) next += step;
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

/** Keyboard shortcuts of all pages. */
const KEYS = [
  ["/ or Ctrl K", "Search everything, or go to a page"],
  ["j and k", "Next and previous row of a list"],
  ["x", "Select the row"],
  ["Shift and click", "Select the rows from the last one clicked"],
  ["Enter", "Open the row"],
  ["?", "Show these keys"],
];

/** Shows the keyboard shortcuts on "?". */
function explainKeys() {
  addEventListener("keydown", (event) => {
    if (event.key !== "?" || event.target.closest("input, textarea, select, dialog")) return;
    event.preventDefault();
    const dialog = document.createElement("dialog");
    dialog.setAttribute("aria-label", "Keys");
    const box = document.createElement("article");
    const heading = document.createElement("h2");
    heading.textContent = "Keys";
    const list = document.createElement("dl");
    list.className = "examples";
    for (const [keys, what] of KEYS) {
      const [term, text] = [document.createElement("dt"), document.createElement("dd")];
      [term.textContent, text.textContent] = [keys, what];
      list.append(term, text);
    }
    const close = document.createElement("button");
    close.textContent = "Close";
    close.className = "secondary";
    close.addEventListener("click", () => dialog.close());
    const actions = document.createElement("p");
    actions.className = "form-actions";
    actions.append(close);
    box.append(heading, list, actions);
    dialog.append(box);
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Moves the focus after an action to its result: the summary of errors or the message, else a section about it. */
function focusOutcome() {
  if (document.activeElement !== document.body) return;
  const target = document.querySelector("main .flash[role]") ?? document.querySelector("main [data-outcome]");
  if (!target?.checkVisibility()) return;
  target.tabIndex = -1;
  target.focus();
}

const KEPT_FORM = "certmgr-form";

/** Returns the values of a form's fields by name, without secrets and files. */
function valuesOf(form) {
  const fields = [...new FormData(form)].filter(([name, value]) =>
    typeof value === "string" && name !== "csrf" && name !== "version" && !value.includes("PRIVATE KEY")
  );
  const isSecret = (name) => {
    const field = form.querySelector(`[name="${CSS.escape(name)}"]`);
    return field?.type === "password" || field?.matches("[data-secret]");
  };
  return fields.filter(([name]) => !isSecret(name));
}

/**
 * Asks before edits are lost; keeps sent values until they are stored, in case the session has ended in the meantime.
 */
function keepForms() {
  const kept = JSON.parse(sessionStorage.getItem(KEPT_FORM) ?? "null");
  const form = document.querySelector("form[data-kept]");
  document.querySelector('form[action="/sign-out/"]')?.addEventListener("submit", () => {
    sessionStorage.removeItem(KEPT_FORM);
  });
  if (!form) {
    // On the sign-in page the values are still waiting for their form.
    if (kept && location.pathname !== "/sign-in/") sessionStorage.removeItem(KEPT_FORM);
    return;
  }
  sessionStorage.removeItem(KEPT_FORM);
  // A response to the form itself already has the entered values.
  const restored = kept?.path === location.pathname && form.dataset.kept !== "posted";
  if (restored) {
    for (const field of form.elements) {
      const values = kept.values.filter(([name]) => name === field.name).map(([, value]) => value);
      if (!field.name || field.name === "csrf" || field.name === "version" || field.type === "password") {
        continue;
      }
      if (field.type === "checkbox") field.checked = values.includes(field.value);
      else if (field instanceof HTMLSelectElement) {
        for (const option of field.options) option.selected = values.includes(option.value);
      } else if (field.type !== "file") {
        const same = [...form.elements].filter(({ name }) => name === field.name);
        field.value = values[same.indexOf(field)] ?? field.value;
      }
    }
    const note = document.createElement("p");
    note.className = "flash info";
    note.setAttribute("role", "status");
    note.textContent = "Your session had ended. Your entries were restored: check them and save again.";
    form.prepend(note);
  }
  let edited = restored;
  form.addEventListener("input", () => edited = true);
  form.addEventListener("submit", () => {
    edited = false;
    sessionStorage.setItem(KEPT_FORM, JSON.stringify({ path: location.pathname, values: valuesOf(form) }));
  });
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

offerPasswords();
localizeTimes();
offerTimeZones();
enableCopying();
enablePrinting();
enableChoosingAll();
enableNeeds();
enableColors();
enableGenerating();
enableToggles();
closeMenus();
enableLines();
deriveSlugs();
refreshSections();
guardForms();
showCurrent();
rememberObject();
listRecent();
enablePalette();
enableListKeys();
explainKeys();
focusOutcome();
keepForms();
followFields();
