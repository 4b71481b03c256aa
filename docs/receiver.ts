// Run it: WEBHOOK_SECRET=… PORT=9000 deno run --allow-net --allow-env docs/receiver.ts
import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";

const secret = Deno.env.get("WEBHOOK_SECRET") ?? "";
const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret);
const seen = new Set<string>();

Deno.serve({ hostname: "127.0.0.1", port: Number(Deno.env.get("PORT") ?? 9000) }, async (request) => {
  const id = request.headers.get("webhook-id") ?? "";
  const time = request.headers.get("webhook-timestamp") ?? "";
  const body = await request.text();
  const expected = createHmac("sha256", key).update(`${id}.${time}.${body}`).digest();
  const genuine = (request.headers.get("webhook-signature") ?? "").split(" ").some((signature) => {
    const received = Buffer.from(signature.replace(/^v1,/, ""), "base64");
    return received.length === expected.length && timingSafeEqual(received, expected);
  });
  // An old message may be a recording that someone sends again.
  const recent = Math.abs(Date.now() / 1000 - Number(time)) < 300;
  if (!genuine || !recent) return new Response("Not signed, or too old\n", { status: 401 });
  // The same message can arrive more than once.
  if (!seen.has(id)) {
    seen.add(id);
    const { event, model, data } = JSON.parse(body);
    console.log(event, model, data.id);
  }
  return new Response(null, { status: 204 });
});
