/** An edge as a separate process that answers requests, and works on demand instead of on a schedule. */

Reflect.deleteProperty(Deno, "cron");
const { default: edge, work } = await import("../../src/edge.ts");

const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  (request) => edge.fetch(request),
);
console.log(`http://127.0.0.1:${server.addr.port}`);
for await (const _ of Deno.stdin.readable) {
  await work();
  console.log("worked");
}
await server.shutdown();
