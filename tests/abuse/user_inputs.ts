/** Inputs from a user with few permissions. */

import { MAX_CALENDAR_FILTER_CHARS, MAX_LONG_TEXT_BYTES, MAX_WRITTEN_CHARS } from "../../src/base/limits.ts";
import { MAX_FILTER_TERMS, MAX_REGEX_PATTERNS } from "../../src/filters/limits.ts";
import { markedCertificates, usualCertificates } from "./certificates.ts";
import { inventoryInputs } from "./inventory_inputs.ts";
import { atOnce, type Input, inTurn, repeated, type Sending, statusOf } from "./input.ts";

const CERTIFICATES = "plugins/certmgr/certificates/";
/** Bytes of the lists without valid elements. */
const LIST_BYTES = 7_500_000;
/** An element that is so long that such a list stays below the maximum number of values of a body. */
const LONG_ELEMENT = `"${"x".repeat(30)}"`;
/** Patterns that are slow to match: each keeps many states of the automaton alive. */
const PATTERN = "(a|h|o|s|t){1,9}.*e{1,9}";

function regexFilters(count: number): string {
  const filters = Array.from(
    { length: count },
    (_, index) => `common_name__regex=${index}${encodeURIComponent(PATTERN)}`,
  );
  return filters.join("&").slice(0, MAX_CALENDAR_FILTER_CHARS);
}

function calendarFeeds(patterns: number): Input {
  let next = 0;
  return {
    name: `Calendar feeds: 300 in one call, ${patterns} patterns each, then read`,
    send: async ({ target, signal, short }) => {
      const first = next;
      next += 300;
      const filter = regexFilters(patterns);
      const body = Array.from(
        { length: 300 },
        (_, index) => ({ name: `${patterns} ${first + index}`, filter }),
      );
      const { status, text } = await target.ask(
        "plugins/certmgr/calendar-feeds/",
        { body, signal },
      );
      if (status !== 201) return [status];
      const urls: string[] = JSON.parse(text).map((
        { feed_url }: { feed_url: string },
      ) => feed_url);
      const read = await inTurn(short ? 5 : 50, {
        signal,
        work: (index) => statusOf(fetch(urls[index] as string, { signal })),
      });
      return [status, ...read];
    },
  };
}

function graphqlPatterns(): Input {
  return {
    name: "GraphQL: 15 aliases with 40 patterns each",
    send: async ({ target, signal }) => {
      const patterns = Array.from(
        { length: 40 },
        (_, index) => JSON.stringify(`${index}${PATTERN}`),
      ).join(
        ",",
      );
      const aliases = Array.from(
        { length: 15 },
        (_, index) =>
          `a${index}: certificate_list(filters: { common_name__regex: [${patterns}] }, limit: 1) { id }`,
      );
      return [
        await statusOf(fetch(`${target.url}/graphql/`, {
          method: "POST",
          headers: {
            authorization: `Token ${target.token}`,
            "content-type": "application/json",
          },
          body: JSON.stringify({ query: `{ ${aliases.join(" ")} }` }),
          signal,
        })),
      ];
    },
  };
}

function restPatterns(patterns: number): Input {
  return {
    name: `GET certificates/: ${patterns} patterns, 8 at once`,
    send: ({ target, signal }) =>
      atOnce(
        8,
        (index) =>
          statusOf(
            target.ask(
              `${CERTIFICATES}?${regexFilters(patterns)}&limit=${index + 1}`,
              { signal },
            ),
          ),
      ),
  };
}

function webIds(): Input {
  const query = Array.from({ length: 7_000 }, (_, index) => `id=${index}`).join(
    "&",
  );
  return {
    name: "Web lists with 7,000 ids in the address",
    send: async ({ target, signal, short }) => {
      const pages = ["/certificates/", "/devices/", "/tags/"];
      return await inTurn(short ? pages.length : 4 * pages.length, {
        signal,
        work: (index) =>
          statusOf(
            fetch(`${target.url}${pages[index % pages.length]}?${query}`, {
              headers: { cookie: target.cookie },
              signal,
            }),
          ),
      });
    },
  };
}

function taggedDevices(): Input {
  return {
    name: "GET dcim/devices/?limit=1000: 13,000 tags",
    send: ({ target, signal }) =>
      inTurn(4, {
        signal,
        work: () => statusOf(target.ask("dcim/devices/?limit=1000", { signal })),
      }),
  };
}

function invalidList(path: string, { start, element, method = "POST" }: {
  start: string;
  element: string;
  method?: string;
}): Input {
  let body = new Uint8Array();
  return {
    name: `${method} ${path}: 7.5 MB of ${start.slice(start.lastIndexOf("{") + 1)}${element},`,
    // The body in chunks, joined, as its text, and as the values of the text.
    designed: 4 * LIST_BYTES,
    prepare: () =>
      Promise.resolve(
        body = repeated(`${element},`, {
          bytes: LIST_BYTES,
          start,
          end: `${element}]}`,
        }),
      ),
    send: async (
      { target, signal },
    ) => [await statusOf(target.ask(path, { method, body, signal }))],
  };
}

function blankLines(): Input {
  const data = `common_name,serial_number\n${"\n".repeat(99_000)}`;
  return {
    name: "POST bulk-data-import/: 99,000 blank lines of CSV",
    send: async ({ target, signal }) => [
      await statusOf(
        target.ask(`${CERTIFICATES}bulk-data-import/`, {
          body: { data, format: "csv" },
          signal,
        }),
      ),
    ],
  };
}

function marksInOneText(): Input {
  let pem = "";
  return {
    name: "POST import/: 12 certificates of 64 KiB with runs of combining marks in one text",
    prepare: async () => pem = (await markedCertificates(12)).join(""),
    send: async (
      sending,
    ) => [await importPem(sending, { pem_content: pem, split: true })],
  };
}

function marksInBulk(): Input {
  let items: { pem_content: string }[] = [];
  return {
    name: "POST bulk-import/: 25 certificates of 64 KiB with runs of combining marks",
    prepare: async () =>
      items = (await markedCertificates(25)).map((pem_content) => ({
        pem_content,
      })),
    send: async ({ target, signal }) => [
      await statusOf(
        target.ask(`${CERTIFICATES}bulk-import/`, { body: items, signal }),
      ),
    ],
  };
}

function importPem(
  { target, signal }: Sending,
  body: unknown,
): Promise<number> {
  return statusOf(target.ask(`${CERTIFICATES}import/`, { body, signal }));
}

function bulkImports(): Input {
  const batches: { pem_content: string }[][] = [];
  let next = 0;
  return {
    name: "POST bulk-import/: 100 certificates, again and again",
    prepare: async () => {
      for (let batch = 0; batch < 9; batch++) {
        const certificates = await usualCertificates(100, `bulk-${batch}`);
        batches.push(certificates.map((pem_content) => ({ pem_content })));
      }
    },
    send: ({ target, signal }) =>
      inTurn(3, {
        signal,
        work: () => {
          const body = batches[next++ % batches.length];
          return statusOf(
            target.ask(`${CERTIFICATES}bulk-import/`, { body, signal }),
          );
        },
      }),
  };
}

/** The cache of SQLite's writing connection, which these names fill (`cache_size`). */
const WRITE_CACHE_BYTES = 64 * 1024 * 1024;
/**
 * Copies of the names during a write: body, objects, rows, change records, stored rows that are read back, response.
 */
const COPIES = 16;
/** Number of characters of a large name: random ones, which take the most space in the search index. */
const NAME_CHARS = 60_000;

/** Returns certificates with large names, each with a different serial number and name. */
function largeNames(
  text: string,
  { count, first }: { count: number; first: number },
): unknown[] {
  return Array.from({ length: count }, (_, index) => {
    const number = (first + index).toString(16);
    const start = (first + index) % NAME_CHARS;
    return {
      common_name: `${text.slice(start)}${text.slice(0, start)}`,
      serial_number: number,
      issuer: "CN=Large names",
      valid_from: "2026-01-01",
      valid_to: "2027-01-01",
      fingerprint_sha256: number.padStart(64, "0"),
      algorithm: "rsa",
    };
  });
}

function storeNames(count: number, { times }: { times: number }): Input {
  let text = "";
  let next = 0xa0000 * count;
  return {
    name: `POST certificates/: ${count} names of 60 KB, ${times} times`,
    prepare: () => {
      while (text.length < NAME_CHARS) {
        text += Math.random().toString(36).slice(2);
      }
      text = text.slice(0, NAME_CHARS);
      return Promise.resolve();
    },
    designed: WRITE_CACHE_BYTES + COPIES * MAX_WRITTEN_CHARS,
    send: ({ target, signal, short }) =>
      inTurn(short ? 3 : times, {
        signal,
        work: () => {
          const body = largeNames(text, { count, first: next });
          next += count;
          return statusOf(target.ask(CERTIFICATES, { body, signal }));
        },
      }),
  };
}

function readNames(): Input {
  const queries = [
    "limit=1000",
    "limit=200",
    "q=abc",
    "common_name__ic=XYZ",
    "fields=id",
    "brief=true",
  ];
  return {
    name: "GET certificates/: pages and searches of names of 60 KB",
    // The page in SQLite, as its text, and as the response.
    designed: 3 * MAX_LONG_TEXT_BYTES,
    send: ({ target, signal }) =>
      inTurn(queries.length, {
        signal,
        work: (index) =>
          statusOf(
            target.ask(`${CERTIFICATES}?issuer=Large&${queries[index]}`, {
              signal,
            }),
          ),
      }),
  };
}

/** Returns the inputs. */
export function userInputs(): readonly Input[] {
  return [
    calendarFeeds(60),
    calendarFeeds(MAX_REGEX_PATTERNS),
    graphqlPatterns(),
    restPatterns(MAX_FILTER_TERMS),
    restPatterns(MAX_REGEX_PATTERNS),
    webIds(),
    taggedDevices(),
    ...inventoryInputs(),
    invalidList(`${CERTIFICATES}1/`, {
      method: "PATCH",
      start: '{"expiry_notices":[',
      element: "-1",
    }),
    invalidList("extras/webhooks/", {
      start: '{"events":[',
      element: LONG_ELEMENT,
    }),
    invalidList(`${CERTIFICATES}export/`, {
      start: '{"fields":[',
      element: LONG_ELEMENT,
    }),
    invalidList("users/tokens/", { start: '{"allowed_ips":[', element: '"x"' }),
    invalidList("users/tokens/provision/", {
      start: '{"username":"a","password":"b","allowed_ips":[',
      element: "0",
    }),
    invalidList("extras/tags/", { start: "[", element: "0" }),
    invalidList("extras/tags/", { start: "[", element: "{}" }),
    invalidList("dcim/devices/10000/", {
      method: "PATCH",
      start: '{"tags":[',
      element: "{}",
    }),
    blankLines(),
    marksInOneText(),
    marksInBulk(),
    bulkImports(),
    storeNames(17, { times: 59 }),
    readNames(),
  ];
}
