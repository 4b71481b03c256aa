/* What scripts add to pages that work without them. */

/** Moments in the reader's zone; the UTC stays in the title. */
function localizeTimes() {
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  for (const time of document.querySelectorAll("time[data-time]")) {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.getTime())) time.textContent = format.format(at);
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

/** One box that chooses all rows of its table. */
function enableChoosingAll() {
  for (const all of document.querySelectorAll("[data-select-all]")) {
    const boxes = [...all.closest("table").querySelectorAll('tbody input[type="checkbox"]')];
    all.hidden = boxes.length === 0;
    const show = () => {
      const chosen = boxes.filter((box) => box.checked).length;
      all.checked = chosen > 0 && chosen === boxes.length;
      all.indeterminate = chosen > 0 && chosen < boxes.length;
      for (const count of document.querySelectorAll("[data-selected]")) count.textContent = String(chosen);
    };
    all.addEventListener("change", () => {
      for (const box of boxes) box.checked = all.checked;
      show();
    });
    for (const box of boxes) box.addEventListener("change", show);
    show();
  }
}

/** A second press of a button does not send its form again. */
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

localizeTimes();
enableCopying();
enableChoosingAll();
guardForms();
