/** Inputs from clients without credentials. */

import { MAX_BODY_BYTES } from "../../src/config/settings.ts";
import { MAX_CONCURRENT_HASHES } from "../../src/auth/passwords.ts";
import { head, sendBytes } from "./connection.ts";
import { atOnce, type Input, inTurn, repeated, type Sending, statusOf } from "./input.ts";

const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";
/** How long a connection that sends no more is kept open. */
const SILENCE_MS = 3_000;

/** Memory of one password hash (N = 2^15, r = 8: N · r · 128 bytes). */
const HASH_BYTES = 32 * 1024 * 1024;

const encoder = new TextEncoder();

/** Yields a body in chunks of one byte, some hundreds of them per packet, like a hostile client. */
function* oneByteChunks(count: number): Iterable<Uint8Array> {
  const packet = encoder.encode("1\r\n1\r\n".repeat(500));
  for (let sent = 0; sent < count; sent += 500) yield packet;
  yield encoder.encode("0\r\n\r\n");
}

function chunked(
  path: string,
  { count, type, token }: { count: number; type: string; token?: boolean },
): Input {
  return {
    name: `POST ${path}: ${count.toLocaleString("en")} chunks of one byte${token ? ", with a token" : ""}`,
    send: async (sending) => {
      const authorization = token ? { authorization: `Token ${sending.target.token}` } : {};
      const headers = {
        "content-type": type,
        "transfer-encoding": "chunked",
        ...authorization,
      };
      const pieces = (function* (): Iterable<Uint8Array> {
        yield head(`POST ${path}`, headers);
        yield* oneByteChunks(count);
      })();
      return [await sendBytes(sending, pieces, { waitMs: 10_000 })];
    },
  };
}

function post(
  { target, signal }: Sending,
  path: string,
  { body, type }: { body: BodyInit; type: string },
): Promise<number> {
  const headers = { "content-type": type, "x-forwarded-for": "198.51.100.7" };
  return statusOf(
    fetch(`${target.url}${path}`, {
      method: "POST",
      headers,
      body,
      signal,
      redirect: "manual",
    }),
  );
}

function manyFields(): Input {
  let body = new Uint8Array();
  return {
    name: "POST /sign-in/: 5,000,000 fields, 24 at once",
    prepare: () => Promise.resolve(body = repeated("a&", { bytes: 10_000_000 })),
    send: (sending) => atOnce(24, () => post(sending, "/sign-in/", { body, type: FORM })),
  };
}

function oneEscape(): Input {
  let body = new Uint8Array();
  return {
    name: "POST /api/users/tokens/provision/: 9.8 MB of JSON with half a surrogate pair",
    prepare: () => {
      const start = '{"username": "\\ud83d", "password": "';
      return Promise.resolve(
        body = repeated("x", { bytes: 9_800_000, start, end: '"}' }),
      );
    },
    send: (sending) =>
      atOnce(
        4,
        () =>
          post(sending, "/api/users/tokens/provision/", {
            body,
            type: JSON_TYPE,
          }),
      ),
  };
}

function unfinished(): Input {
  const part = new Uint8Array(64 * 1024).fill(0x20);
  return {
    name: "POST /api/users/tokens/provision/: 120 bodies that stop 10 bytes before their end",
    send: (sending) =>
      atOnce(120, () => {
        const pieces = (function* (): Iterable<Uint8Array> {
          const headers = {
            "content-type": JSON_TYPE,
            "content-length": String(MAX_BODY_BYTES),
          };
          yield head("POST /api/users/tokens/provision/", headers);
          for (let left = MAX_BODY_BYTES - 10; left > 0; left -= part.length) {
            yield part.subarray(0, Math.min(left, part.length));
          }
        })();
        return sendBytes(sending, pieces, { waitMs: SILENCE_MS });
      }),
  };
}

function schemaAsYaml(): Input {
  return {
    name: "GET /api/schema/?format=yaml, again and again",
    send: ({ target, signal, short }) =>
      inTurn(short ? 8 : 30, {
        signal,
        work: () => statusOf(fetch(`${target.url}/api/schema/?format=yaml`, { signal })),
      }),
  };
}

/** Requests that violate HTTP or are unusual; none may be answered with 5xx. */
const MALFORMED: readonly Uint8Array[] = [
  head("GET /api/status/", { host: "" }),
  head("GET /api/status/", { host: "a b" }),
  head("GET /api/status/", { host: "[::1" }),
  head("GET /api/status/", { host: "example.com:99999" }),
  head("GET /api/status/", { host: "user:password@example.com" }),
  head("GET /sign-in/", { host: "x".repeat(5_000) }),
  head("GET /sign-in/", { host: "\u00ff\u0080" }),
  encoder.encode("GET /api/status/ HTTP/1.1\r\n\r\n"),
  head("GET //"),
  head("GET /%"),
  head("GET /api/%ff/%00/"),
  head(`GET /${"a/".repeat(20_000)}`),
  head("BREW /api/status/"),
  head("TRACE /api/status/"),
  head("CONNECT example.com:443"),
  head("OPTIONS *"),
  head("get /api/status/"),
  head("POST /api/users/tokens/provision/", {
    "content-type": JSON_TYPE,
    "content-length": "-1",
  }),
  head("POST /api/users/tokens/provision/", {
    "content-type": JSON_TYPE,
    "content-length": "99999999999",
  }),
  head("POST /api/users/tokens/provision/", {
    "content-type": JSON_TYPE,
    "content-length": "100",
  }),
  head("POST /sign-in/", {
    "content-type": "multipart/form-data; boundary=x",
    "content-length": "50",
  }),
  head("POST /sign-in/", {
    "content-type": FORM,
    "transfer-encoding": "chunked",
  }),
  head("GET /api/status/", {
    "accept": "x,".repeat(10_000),
    "authorization": "Token \u0000",
  }),
  encoder.encode("\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001"),
];

function malformedRequests(): Input {
  return {
    name: "Invalid Host headers, odd methods, bodies that are cut off",
    send: (sending) =>
      atOnce(
        MALFORMED.length,
        (index) => sendBytes(sending, [MALFORMED[index] as Uint8Array], { waitMs: 500 }),
      ),
  };
}

function wrongPasswords(): Input {
  return {
    name: "Wrong passwords, 40 at once by form and by API",
    designed: MAX_CONCURRENT_HASHES * HASH_BYTES,
    send: (sending) =>
      atOnce(80, (index) => {
        const fields = {
          username: `nobody-${index}`,
          password: "not the password of anyone",
        };
        return index % 2 === 0
          ? post(sending, "/sign-in/", {
            body: new URLSearchParams(fields).toString(),
            type: FORM,
          })
          : post(sending, "/api/users/tokens/provision/", {
            body: JSON.stringify(fields),
            type: JSON_TYPE,
          });
      }),
  };
}

/** Returns the inputs. */
export function anonymousInputs(): readonly Input[] {
  return [
    chunked("/api/users/tokens/provision/", { count: 20_000, type: JSON_TYPE }),
    chunked("/sign-in/", { count: 20_000, type: FORM }),
    chunked("/api/extras/tags/", {
      count: 200_000,
      type: JSON_TYPE,
      token: true,
    }),
    manyFields(),
    oneEscape(),
    unfinished(),
    schemaAsYaml(),
    malformedRequests(),
    wrongPasswords(),
  ];
}
