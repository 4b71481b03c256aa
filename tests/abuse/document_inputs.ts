/** Documents of rows that are slow to read: many empty values, nesting, and aliases, as JSON, JSON lines and YAML. */

import { type Input, inTurn, statusOf } from "./input.ts";

const IMPORT = "plugins/certmgr/certificates/bulk-data-import/";
const CERTIFICATES = "plugins/certmgr/certificates/";
/** Lengths of documents: below the limit of a body, and so short that they do not have too many values. */
const SIZES = [4_800_000, 700_000] as const;

/** Returns a document that repeats a part up to a length. */
function filled(part: string, { start = "", end = "" } = {}): (chars: number) => string {
  return (chars) => start + part.repeat(Math.floor((chars - start.length - end.length) / part.length)) + end;
}

/** Returns a document of opening and as many closing parts. */
function nested(open: string, close: string, inner = ""): (chars: number) => string {
  return (chars) => {
    const count = Math.floor(chars / (open.length + close.length));
    return open.repeat(count) + inner + close.repeat(count);
  };
}

function differentMembers(chars: number): string {
  return `[{${Array.from({ length: chars / 14 }, (_, index) => `"m${index}":0`).join(",")}}]`;
}

/** Anchors that each repeat the one before ten times. */
const LAUGHS = Array.from(
  { length: 9 },
  (_, index) => `a${index + 1}: &a${index + 1} [${`*a${index},`.repeat(10)}]`,
).join("\n");

/** A JSON Web Key and the beginning of a PEM text, which look like private keys until their last member. */
const PUBLIC_KEYS = '{"kty":"EC","crv":"P-256","x":"AAAA","y":"AAAA"}-----BEGIN PUBLIC KEY-----\nAAAA';

function encoded(text: string, times: number): string {
  return times === 0 ? text : encodeURIComponent(encoded(text, times - 1));
}

const DOCUMENTS: readonly (readonly [
  format: string,
  title: string,
  make: (chars: number) => string,
  layers?: number,
])[] = [
  ["json", "a list of {}", filled("{},", { start: "[", end: "{}]" })],
  ["json", "a list of []", filled("[],", { start: "[", end: "[]]" })],
  ["json", "a list of 0", filled("0,", { start: "[", end: "0]" })],
  ["json", "an object of lists", filled("[],", { start: '{"results":[', end: "[]]}" })],
  ["json", "different members", differentMembers],
  ["json", "texts of percent signs", filled("%25", { start: '["', end: '"]' })],
  ...[1, 2, 3].map((times) =>
    [
      "json",
      `texts of public keys, percent-encoded ${times} times`,
      filled(encoded(PUBLIC_KEYS, times), { start: '["', end: '"]' }),
      times,
    ] as const
  ),
  ["json", "nested lists", nested("[", "]")],
  ["json", "nested objects", nested('{"a":', "}", "0")],
  ["json", "lines of {}", filled("{}\n")],
  ["json", "lines of {} and a broken one", filled("{}\n", { end: "{" })],
  ["yaml", "a list of {}", filled("- {}\n")],
  ["yaml", "a list of []", filled("- []\n")],
  ["yaml", "nested lists", nested("[", "]")],
  ["yaml", "nested lists by indicators", filled("- ")],
  ["yaml", "aliases", filled("- *a\n", { start: "- &a {common_name: a}\n" })],
  ["yaml", "aliases of aliases", () => `a0: &a0 [x]\n${LAUGHS}\n`],
  ["yaml", "anchors", filled("- &a {}\n")],
  ["yaml", "documents", filled("---\n{}\n")],
];

function importing(...[format, title, make, layers = 0]: typeof DOCUMENTS[number]): Input {
  let documents: string[] = [];
  return {
    name: `POST bulk-data-import/: ${title} as ${format}`,
    // The body in chunks, joined, as its text and as that of the document; for each layer the text before and after it.
    designed: (4 + 2 * layers) * SIZES[0],
    prepare: () => Promise.resolve(documents = SIZES.map(make)),
    send: ({ target, signal }) =>
      inTurn(documents.length, {
        signal,
        work: (index) => statusOf(target.ask(IMPORT, { body: { data: documents[index], format }, signal })),
      }),
  };
}

/** A list in the body itself, not in a text. */
function creating(element: string): Input {
  const body = filled(`${element},`, { start: "[", end: `${element}]` })(SIZES[0]);
  return {
    name: `POST certificates/: a list of ${element}`,
    send: async ({ target, signal }) => [await statusOf(target.ask(CERTIFICATES, { body, signal }))],
  };
}

/** Returns the inputs. */
export function documentInputs(): readonly Input[] {
  return [
    ...DOCUMENTS.map((document) => importing(...document)),
    creating("{}"),
    creating("[]"),
  ];
}
