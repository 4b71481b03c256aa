/** Messages about objects of every type that a caller may create. */

import assert from "node:assert/strict";
import { resources } from "../../../../src/domain/registry.ts";
import { testApp } from "../../../support/app.ts";
import { callJson } from "../../../support/call_json.ts";
import { sampleOf } from "../../../support/samples.ts";
import { drain, receiver } from "./support.ts";

for (const resource of resources.filter(({ methods }) => methods.collection.includes("POST"))) {
  Deno.test(`a webhook is notified of changes of ${resource.labelPlural}`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    await drain(app.ctx, receiver());
    await callJson(client, "/api/extras/webhooks/", "POST", {
      name: "Everything",
      object_types: [resource.objectType],
      events: ["created", "updated", "deleted"],
      payload_url: "https://hooks.example/",
      conditions: { id__gt: 0 },
    });
    const path = `/api/${resource.path}/`;
    const sample = sampleOf(resource);
    const made = await callJson(client, path, "POST", sample.create?.(1));
    const methods = resource.methods.item;
    if (methods.includes("PATCH")) await callJson(client, `${path}${made.id}/`, "PATCH", sample.change);
    if (methods.includes("DELETE")) await client(`${path}${made.id}/`, { method: "DELETE" });
    const received = receiver();
    await drain(app.ctx, received);
    const own = received.bodies.filter(({ data }) => (data as { id: unknown }).id === made.id);
    assert.deepEqual(own.map(({ event, object_type }) => [event, object_type]), [
      ["created", resource.objectType],
      ...(methods.includes("PATCH") ? [["updated", resource.objectType]] : []),
      ...(methods.includes("DELETE") ? [["deleted", resource.objectType]] : []),
    ]);
  });
}
