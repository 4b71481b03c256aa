/*
 * Checks texts and files before they are sent: a private key must not leave the browser. In the preview of
 * certificates, counts those that will be renewed and imported.
 */

const KEY_MESSAGE = "Private key detected. Nothing was sent: private keys are never stored.";

/**
 * Patterns of private keys in text: PEM of any kind with some base64 after its header lines, PuTTY, OpenSSH without PEM
 * lines, JSON Web Keys, OpenSSL's and BIND's text, .NET, age. The service knows more.
 */
const MARKS = [
  /-----\s*BEGIN[A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----(?:\s|\\[nr])*(?:[A-Za-z-]+:[^\n]*\s+)*[A-Za-z0-9+/]{16}/,
  /Private-Lines: \d/,
  /priv(?:ate ?(?:exponent|key))?:\s*(?:[0-9a-f]{2}:){13}|^PrivateExponent: /im,
  /<D>[A-Za-z0-9+/]{16}/,
  /AGE-SECRET-KEY-1[0-9A-Z]{40}/,
  /b3BlbnNzaC1rZXktdjEA/,
  /"kty"[\s\S]*"d"\s*:\s*"[\w-]{16}/,
];

/** Beginnings of private keys in DER, after the outer SEQUENCE: the version and what must follow it. */
const BEGINNINGS = [
  [0x02, 0x01, 0x00, 0x30], // PKCS#8 (RFC 5958)
  [0x02, 0x01, 0x01, 0x30],
  [0x02, 0x01, 0x00, 0x02], // RSA (RFC 8017, A.1.2)
  [0x02, 0x01, 0x01, 0x04], // elliptic curve (RFC 5915)
];
/** PKCS#12 (RFC 7292), which can have certificates and private keys. */
const PKCS12 = [0x02, 0x01, 0x03, 0x30];
/** Encrypted PKCS#8: OID prefixes of the algorithms of PKCS#5 and PKCS#12. */
const ENCRYPTED = [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05];
const ENCRYPTED_12 = [0x06, 0x0a, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x0c];

/** Returns the line in which a private key begins, from 1; undefined if the text has none. */
function keyLine(text) {
  const places = MARKS.map((mark) => text.search(mark)).filter((place) => place >= 0);
  return places.length === 0 ? undefined : text.slice(0, Math.min(...places)).split(/\r\n|\r|\n/).length;
}

function keyMessage(line, fileName) {
  if (line === undefined) {
    return fileName === undefined ? KEY_MESSAGE : `${KEY_MESSAGE} It is in "${fileName}".`;
  }
  const where = fileName === undefined ? "" : ` of "${fileName}"`;
  return `${KEY_MESSAGE} It begins in line ${line.toLocaleString("en")}${where}. Remove it and try again.`;
}

function pkcs12Message(fileName) {
  return `"${fileName}" is a PKCS#12 file, which can have private keys, so nothing was sent. ` +
    "Export the certificates without the key: openssl pkcs12 -in FILE -nokeys -out certificates.pem";
}

/** Returns where the content of a SEQUENCE begins; undefined if there is none. */
function contentOf(bytes, at) {
  if (bytes[at] !== 0x30) return undefined;
  const length = bytes[at + 1];
  return at + 2 + (length > 0x80 ? length - 0x80 : 0);
}

function begins(bytes, at, prefix) {
  return prefix.every((byte, index) => bytes[at + index] === byte);
}

/** Returns the message about a private key in a file; undefined if it has none. */
function fileFault(bytes, name) {
  const at = contentOf(bytes, 0);
  if (at !== undefined) {
    if (begins(bytes, at, PKCS12)) return pkcs12Message(name);
    if (BEGINNINGS.some((prefix) => begins(bytes, at, prefix))) return keyMessage(undefined, name);
    const inner = contentOf(bytes, at);
    if (inner !== undefined && [ENCRYPTED, ENCRYPTED_12].some((prefix) => begins(bytes, inner, prefix))) {
      return keyMessage(undefined, name);
    }
  }
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const encoding = utf16 ? (bytes[0] === 0xff ? "utf-16le" : "utf-16be") : "latin1";
  const line = keyLine(new TextDecoder(encoding).decode(bytes));
  return line === undefined ? undefined : keyMessage(line, name);
}

function sizeText(bytes) {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${Math.ceil(bytes / 10485.76) / 100} MB`;
}

/** Returns the reason why a form must not be sent; undefined if it may be sent. */
async function faultOf(form, maxBytes) {
  for (const area of form.querySelectorAll("textarea")) {
    const line = keyLine(area.value);
    if (line !== undefined) return { field: area, message: keyMessage(line) };
  }
  for (const input of form.querySelectorAll('input[type="file"]')) {
    const files = [...input.files];
    const size = files.reduce((sum, file) => sum + file.size, 0);
    if (size > maxBytes) {
      const subject = files.length === 1 ? "The file is" : "The files are";
      const message = `${subject} ${sizeText(size)}; the limit is ${sizeText(maxBytes)}. Nothing was sent.`;
      return { field: input, message };
    }
    const messages = await Promise.all(files.map(messageAbout));
    const message = messages.find((one) => one !== undefined);
    if (message === undefined) continue;
    const kept = files.filter((_, index) => messages[index] === undefined);
    const others = kept.length === 0
      ? ""
      : kept.length === 1
      ? "other file is"
      : `other ${kept.length} files are`;
    return {
      field: input,
      message: others === "" ? message : `${message} The ${others} still chosen.`,
      kept,
    };
  }
  return undefined;
}

/** Returns the reason why a file must not be sent; undefined if it may be sent. */
async function messageAbout(file) {
  try {
    return fileFault(new Uint8Array(await file.arrayBuffer()), file.name);
  } catch {
    return `The file "${file.name}" cannot be read. Choose it again.`;
  }
}

/** Leaves only some of the chosen files. */
function choose(input, files) {
  const chosen = new DataTransfer();
  for (const file of files) chosen.items.add(file);
  input.files = chosen.files;
}

function guard(box) {
  const form = box.querySelector("form");
  const output = box.querySelector("[data-guard-message]");
  const maxBytes = Number(box.dataset.maxBytes);
  let good = false;
  // The fault of files that were deselected; repeated until there is other input.
  let refused;

  async function check() {
    const isEmpty = [...form.querySelectorAll("textarea, input[type=file]")].every(({ value }) =>
      value.trim() === ""
    );
    const fault = await faultOf(form, maxBytes) ?? (isEmpty ? refused : undefined);
    refused = fault?.field.type === "file" ? fault : undefined;
    for (const field of form.querySelectorAll("textarea, input[type=file]")) {
      if (fault?.field === field) field.setAttribute("aria-invalid", "true");
      else if (field.hasAttribute("aria-invalid")) field.removeAttribute("aria-invalid");
    }
    output.hidden = fault === undefined;
    output.textContent = fault?.message ?? "";
    // A file that must not be sent is deselected.
    if (fault?.field.type === "file") choose(fault.field, fault.kept ?? []);
    return fault === undefined;
  }

  form.addEventListener("change", () => {
    good = false;
    check();
  });
  // Corrected input is checked again immediately.
  form.addEventListener("input", () => {
    if (!output.hidden) check();
  });
  // Runs before other listeners, so that a blocked form does not count as sent.
  document.addEventListener("submit", async (event) => {
    if (event.target !== form || good) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    good = await check();
    // The form cannot be submitted while this event is being handled (HTML §4.10.21.3).
    if (good) setTimeout(() => form.requestSubmit(event.submitter));
    else output.scrollIntoView({ block: "center" });
  }, true);
  addEventListener("pageshow", () => good = false);
  takeFiles(form);
}

/** Selects files that are dropped anywhere on the page, or pasted. */
function takeFiles(form) {
  const input = form.querySelector('input[type="file"]');
  if (!input) return;
  const hasFiles = (data) => [...data?.types ?? []].includes("Files");
  const take = (event, data) => {
    if (data.files.length === 0) return;
    event.preventDefault();
    input.files = data.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  };
  addEventListener("dragover", (event) => {
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    input.classList.add("dragged");
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) input.classList.remove("dragged");
  });
  addEventListener("drop", (event) => {
    input.classList.remove("dragged");
    if (hasFiles(event.dataTransfer)) take(event, event.dataTransfer);
  });
  addEventListener("paste", (event) => {
    if (hasFiles(event.clipboardData)) take(event, event.clipboardData);
  });
}

for (const box of document.querySelectorAll("[data-guard]")) guard(box);

/** Writes into the buttons how many certificates they renew and import, and into each row what becomes of it. */
function countChosen() {
  const renewals = document.querySelectorAll("input[data-renews]:checked").length;
  for (const renews of document.querySelectorAll("input[data-renews]")) {
    const badge = renews.closest("fieldset").previousElementSibling.querySelector("summary .badge");
    badge.textContent = renews.checked ? "will renew" : "will be added";
  }
  for (const button of document.querySelectorAll("[data-import-count]")) {
    const count = Number(button.dataset.importCount) - renewals;
    button.textContent = renewals > 0
      ? renewalText(renewals, count)
      : count === 1
      ? "Import certificate"
      : `Import ${count === 0 ? "" : `${count.toLocaleString("en")} `}certificates`;
  }
}

/** Returns "Renew 1, import 2"; without the numbers if there is only one certificate. */
function renewalText(renewals, count) {
  if (count > 0) return `Renew ${renewals.toLocaleString("en")}, import ${count.toLocaleString("en")}`;
  return renewals === 1 ? "Renew certificate" : `Renew ${renewals.toLocaleString("en")} certificates`;
}

if (document.querySelector("[data-import-count]")) {
  addEventListener("change", countChosen);
  // A browser restores the boxes when the user comes back to the page.
  addEventListener("pageshow", countChosen);
  countChosen();
}
