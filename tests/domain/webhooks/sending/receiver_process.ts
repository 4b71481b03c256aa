/** A receiver in a separate process that records its messages: `POST` sends one, `GET` returns them. */

const received: { id: string; object: string; at: number }[] = [];

Deno.serve({ hostname: "127.0.0.1", port: 0 }, async (request) => {
  if (request.method === "GET") return Response.json(received);
  const { object_type, data } = await request.json();
  received.push({
    id: request.headers.get("webhook-id") ?? "",
    object: `${object_type} ${data.id}`,
    at: Date.now(),
  });
  return new Response(null, { status: 204 });
});
