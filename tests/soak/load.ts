/** The clients of a soak test, and the responses that they got: only an answered write counts. */

import { PATHS } from "../support/paths.ts";
import { metadata } from "../support/stored.ts";
import { TOKEN } from "../domain/webhooks/sending/processes.ts";

/** Responses to all clients. */
export interface Reported {
  /** Value of `private_key_location` by id; null while a change is not answered. */
  readonly present: Map<number, string | null>;
  readonly gone: Set<number>;
  /** Responses by status; 0 for a broken connection. */
  readonly statuses: Map<number, number>;
  /** Responses that are always wrong. */
  readonly wrong: string[];
}

/** Statuses that a service may answer while other nodes, or its database, restart. */
const EXPECTED = [200, 201, 204, 503];

/**
 * Opens a connection for each request: on one that was used before and ends without a response, the runtime sends a
 * request again, also a POST that was stored.
 */
const CLIENT = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });

type Answer = { readonly status: number; readonly json: unknown };

/** Sends one request; a broken connection is status 0. */
async function send(
  reported: Reported,
  url: string,
  [method, path, body]: [string, string, unknown?],
): Promise<Answer> {
  const answer = await fetch(url + path, {
    client: CLIENT,
    method,
    headers: { authorization: `Token ${TOKEN}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).then(async (response) => ({ status: response.status, text: await response.text() })).catch(() => ({
    status: 0,
    text: "",
  }));
  const { status, text } = answer;
  reported.statuses.set(status, (reported.statuses.get(status) ?? 0) + 1);
  if (status === 0) await new Promise((done) => setTimeout(done, 50)); // until the node has restarted
  else if (!EXPECTED.includes(status)) {
    reported.wrong.push(`${method} ${path} → ${status} ${text.slice(0, 200)}`);
  }
  return { status, json: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : undefined };
}

/** Creates, changes, deletes, reads and sweeps, each time on the next node, until it is stopped. */
export async function client(
  nodes: () => readonly string[],
  { number, reported, stop }: { number: number; reported: Reported; stop: AbortSignal },
): Promise<void> {
  let turn = number;
  const ask = (...request: [string, string, unknown?]): Promise<Answer> => {
    const urls = nodes();
    return send(reported, urls[turn++ % urls.length] as string, request);
  };
  for (let round = 0; !stop.aborted; round++) {
    const serial = (number + 1) * 10_000_000 + round * 10;
    // The second one has expired: a sweep must find it once.
    const expired = metadata(serial + 1, {
      valid_from: "2020-01-01",
      valid_to: "2020-12-31",
      status: "active",
    });
    const made = await ask("POST", PATHS.certificates, [metadata(serial), expired]);
    if (made.status !== 201) continue;
    const [kept, dropped] = (made.json as { id: number }[]).map(({ id }) => id) as [number, number];
    reported.present.set(kept, "").set(dropped, "");
    reported.present.set(kept, null);
    const value = `round ${round}`;
    const changed = await ask("PATCH", `${PATHS.certificates}${kept}/`, { private_key_location: value });
    if (changed.status === 200) reported.present.set(kept, value);
    const seen = await ask("GET", `${PATHS.certificates}${kept}/`);
    const location = (seen.json as { private_key_location?: string } | undefined)?.private_key_location;
    if (changed.status === 200 && seen.status === 200 && location !== value) {
      reported.wrong.push(`Certificate ${kept} reads "${location}" after "${value}"`);
    }
    await ask("GET", `${PATHS.certificates}?limit=20&ordering=-id`);
    if (round % 3 === 0) await ask("POST", `${PATHS.certificates}expiry-sweep/`, {});
    if (round % 2 === 0) continue;
    reported.present.delete(dropped);
    if ((await ask("DELETE", `${PATHS.certificates}${dropped}/`)).status === 204) reported.gone.add(dropped);
  }
}
