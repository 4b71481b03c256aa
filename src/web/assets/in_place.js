/* Renders parts of a form anew while it is filled in: sends the form, and takes the parts from its response. */

/** Milliseconds after the last keystroke before a text is sent. */
const PAUSE = 400;
/** Name of the buttons whose response is the same form. */
const PICK = "pick";

const regions = [...document.querySelectorAll("[data-in-place]")];
const form = regions[0]?.closest("form");
let timer;
let latest = 0;

/** Returns the control in a region that had the focus before, by its name and position. */
function controlLike(region, control) {
  const all = [...region.querySelectorAll("[name]")].filter(({ name }) => name === control?.name);
  const before = control
    ? [...form.querySelectorAll("[name]")].filter(({ name }) => name === control.name)
    : [];
  return all[before.indexOf(control)];
}

/** Replaces the content of a region; keeps what is open, and the focus. */
function replace(id, fresh, added) {
  const region = document.getElementById(id);
  const active = region.contains(document.activeElement) ? document.activeElement : undefined;
  // A text that is being typed stays; its own change sends it again.
  if (active?.matches("input[type=text], textarea")) {
    const [matches, now] = [region, fresh].map((one) => one.querySelector(".matches"));
    if (matches && now) matches.textContent = now.textContent;
    return;
  }
  const open = [...region.querySelectorAll("details")].map((one) => one.open);
  const next = active && controlLike(region, active) ? [active.name, active.value] : undefined;
  region.innerHTML = fresh.innerHTML;
  for (const [index, details] of [...region.querySelectorAll("details")].entries()) {
    details.open ||= open[index] ?? false;
  }
  const rows = [...region.querySelectorAll(".filter-row")];
  if (added === region.id.replace(/-rows$/, "")) rows.at(-1)?.querySelector("select").focus();
  else if (next) {
    const same = [...region.querySelectorAll("[name]")].filter(({ name }) => name === next[0]);
    (same.find(({ value }) => value === next[1]) ?? same[0])?.focus();
  }
}

async function refresh(pick) {
  const turn = ++latest;
  const body = new FormData(form);
  body.set(PICK, pick);
  // A list is a form that is sent as a query.
  const sent = form.method === "get"
    ? fetch(`${form.action}?${new URLSearchParams(body)}`)
    : fetch(form.action, { method: "POST", body });
  // It is broken off when the form is sent meanwhile.
  const text = await sent.then((response) => response.text()).catch(() => undefined);
  if (text === undefined || turn !== latest) return;
  const page = new DOMParser().parseFromString(text, "text/html");
  for (const { id } of document.querySelectorAll("[data-in-place]")) {
    const fresh = page.getElementById(id);
    if (fresh) replace(id, fresh, pick);
  }
  document.dispatchEvent(new Event("certmgr:replaced"));
}

form?.addEventListener("click", (event) => {
  const button = event.target.closest(`button[name="${PICK}"]`);
  if (!button) return;
  event.preventDefault();
  clearTimeout(timer);
  button.blur();
  refresh(button.value);
});

/** Returns whether regions depend on a control. */
function isRelevant(control) {
  return regions.some(({ id, dataset }) =>
    document.getElementById(id)?.contains(control) || dataset.inPlace.split(" ").includes(control.name)
  );
}

form?.addEventListener("change", ({ target }) => {
  if (!isRelevant(target)) return;
  clearTimeout(timer);
  timer = setTimeout(() => refresh("refresh"), 0);
});
form?.addEventListener("input", (event) => {
  if (!event.isTrusted || !isRelevant(event.target)) return;
  clearTimeout(timer);
  timer = setTimeout(() => refresh("refresh"), PAUSE);
});
