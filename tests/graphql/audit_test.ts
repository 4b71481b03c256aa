/** The audits of GraphQL over HTTP, against a service that listens. */

import assert from "node:assert/strict";
import { serverAudits } from "graphql-http";
import { startListening } from "../support/listening.ts";

/** Recommendations that are not met, with the reason. */
const DECLINED: Readonly<Record<string, string>> = {};

Deno.test("GraphQL over HTTP: every requirement is met, and every recommendation but those that are declined", async (t) => {
  await using listening = await startListening();
  const identity = await listening.identify("superuser");
  const audits = serverAudits({
    url: `${listening.origin}/graphql/`,
    // Audits check the status and ignore the body, which has to be read because of the connection.
    fetchFn: async (url: string, init: RequestInit = {}) => {
      const headers = { ...init.headers as Record<string, string>, ...identity };
      const response = await fetch(url, { ...init, headers });
      return new Response(await response.text(), response);
    },
  });
  assert.ok(audits.length > 50, `Only ${audits.length} audits`);
  const unmet: string[] = [];
  for (const audit of audits) {
    await t.step(audit.name, async () => {
      const result = await audit.fn();
      if (result.status === "ok") return;
      const must = audit.name.startsWith("MUST");
      if (!must) unmet.push(audit.name);
      assert.ok(!must, result.reason);
    });
  }
  assert.deepEqual(unmet.sort(), Object.keys(DECLINED).sort());
});
