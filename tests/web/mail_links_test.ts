/** E-mail addresses of contacts and authorities are links. */

import assert from "node:assert/strict";
import { testApp } from "../support/app.ts";
import { make } from "../support/make.ts";
import { PATHS } from "../support/paths.ts";
import { browserOf } from "./imports/browser.ts";

Deno.test("The e-mail address of a contact is a link that cannot carry further parts of a message", async () => {
  await using app = await testApp();
  const [{ id }] = await make(app, PATHS.contacts, [{ name: "Ops", email: "ops?cc=x@acme.example" }]) as [
    { id: number },
  ];
  const { html } = await (await browserOf(app)).get(`/contacts/${id}/`);
  assert.match(html, /<a href="mailto:ops%3Fcc%3Dx@acme\.example">/);
});
