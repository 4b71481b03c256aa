/* Passkeys: a form requests one from the browser and is sent with the response. Without scripts the forms stay hidden. */

const MESSAGES = {
  NotAllowedError: "No passkey was used. Try again, or sign in another way.",
  InvalidStateError: "This device has a passkey for your account.",
};

/** Requests a passkey with the options of a form, and returns the browser's response as JSON. */
async function ask({ passkey, options }) {
  const given = JSON.parse(options);
  const credential = passkey === "create"
    ? await navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(given),
    })
    : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(given) });
  return JSON.stringify(credential.toJSON());
}

function enable(form) {
  form.hidden = false;
  const alert = form.querySelector("[data-passkey-error]");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    alert.hidden = true;
    try {
      form.elements.response.value = await ask(form.dataset);
      form.submit();
    } catch (error) {
      alert.textContent = MESSAGES[error.name] ?? `The browser refuses passkeys here: ${error.message}`;
      alert.hidden = false;
      delete form.dataset.sent;
    }
  });
}

if (globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) {
  for (const form of document.querySelectorAll("form[data-passkey]")) enable(form);
  for (const note of document.querySelectorAll("[data-without-passkeys]")) note.hidden = true;
}
