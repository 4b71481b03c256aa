/** The fields of a webhook that are stored as JSON, and its secret. */

import { encoded, issue } from "../../base/findings.ts";
import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { MAX_CONSTRAINT_CHARS } from "../../base/limits.ts";
import { encodedKey, SECRET_PREFIX } from "../../base/webhook_secret.ts";
import { isDictionary } from "../../filters/mod.ts";
import {
  columnOf,
  documented,
  type Field,
  json,
  parseNested,
  quote,
  text,
  unexpected,
  type Values,
} from "../../resource/mod.ts";

/** Maximum number of additional headers of a webhook, and maximum lengths of their names and values. */
const MAX_WEBHOOK_HEADERS = 20;
const MAX_WEBHOOK_HEADER_NAME_CHARS = 100;
const MAX_WEBHOOK_HEADER_CHARS = 2_000;

/**
 * Minimum and maximum length of a webhook's secret: at least 96 bits in base64, and more than 64 bytes in
 * base64.
 */
const MIN_WEBHOOK_SECRET_CHARS = 16;
const MAX_WEBHOOK_SECRET_CHARS = 200;

/** A field name is a token (RFC 9110 §5.1, §5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/**
 * Visible characters, with spaces and tabs between them (RFC 9110 §5.5), so that a value cannot start a new
 * line.
 */
const VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/** Names that control the connection (RFC 9110 §7.6.1), the framing of the message, or its signature. */
const RESERVED: ReadonlySet<string> = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "forwarded",
  "host",
  "http2-settings",
  "keep-alive",
  "range",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
  "via",
  "x-hook-signature",
]);
const RESERVED_BEGINNINGS = ["proxy-", "sec-", "webhook-", "x-forwarded-"];

/** JSON schemas of a name and a value. */
const HEADER_NAME = {
  pattern: TOKEN.source,
  maxLength: MAX_WEBHOOK_HEADER_NAME_CHARS,
  not: {
    pattern: `^(?:${
      [...[...RESERVED].map((name) => `${name}$`), ...RESERVED_BEGINNINGS].map(anyCase).join("|")
    })`,
  },
};
const HEADER_VALUE = { pattern: VALUE.source, maxLength: MAX_WEBHOOK_HEADER_CHARS };

/** Returns a pattern for a word in any case, because patterns in JSON Schema have no flags. */
function anyCase(word: string): string {
  return word.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

/** Returns why a webhook may not set a header with this name; undefined if it may. */
function headerNameFault(name: string): string | undefined {
  if (!TOKEN.test(name)) return "Expected a header name";
  if (name.length > MAX_WEBHOOK_HEADER_NAME_CHARS) {
    return `Ensure this name has no more than ${MAX_WEBHOOK_HEADER_NAME_CHARS} characters`;
  }
  const lower = name.toLowerCase();
  return RESERVED.has(lower) || RESERVED_BEGINNINGS.some((beginning) => lower.startsWith(beginning))
    ? "This header is reserved for the service or the connection"
    : undefined;
}

/**
 * Returns why this cannot be the value of a header; undefined if it can. Never quotes it, because it may be a
 * secret.
 */
function headerValueFault(value: unknown): string | undefined {
  if (typeof value !== "string") return "Expected text";
  if (value.length > MAX_WEBHOOK_HEADER_CHARS) {
    return `Ensure this value has no more than ${MAX_WEBHOOK_HEADER_CHARS} characters`;
  }
  return VALUE.test(value)
    ? undefined
    : "Expected visible ASCII characters, without line breaks or spaces around them";
}

/** Minimum and maximum size of a key in bytes (Standard Webhooks, "Signature scheme"). */
const [MIN_KEY_BYTES, MAX_KEY_BYTES] = [24, 64];

/**
 * Defines the secret that signs messages: `whsec_` and a key in base64, or any other text, whose bytes are
 * the key. An empty text, which forms send, keeps the stored secret; null generates a new one.
 */
export function secretField(): Field<"secret", string> {
  // Messages never quote the value, because it may be a secret.
  const schema = z.string({ error: issue("unexpected", { expected: "text or null" }) })
    .refine((given) => given === "" || given.length >= MIN_WEBHOOK_SECRET_CHARS, {
      error: issue("too_short", { min: MIN_WEBHOOK_SECRET_CHARS }),
    })
    .max(MAX_WEBHOOK_SECRET_CHARS, {
      error: issue("too_long", { max: MAX_WEBHOOK_SECRET_CHARS }),
    })
    .refine((given) => /^[\x21-\x7e]*$/.test(given), {
      error: issue("unexpected", { expected: "ASCII letters, digits and punctuation, without spaces" }),
    })
    .refine((given) => !given.startsWith(SECRET_PREFIX) || hasKey(given), {
      error:
        `Expected ${MIN_KEY_BYTES} to ${MAX_KEY_BYTES} bytes in base64 after ${SECRET_PREFIX}, or a secret without that prefix.`,
    });
  return {
    ...text("secret", {
      description:
        `Secret that signs messages: \`${SECRET_PREFIX}\` and ${MIN_KEY_BYTES} to ${MAX_KEY_BYTES} bytes in base64, or any ` +
        `text of at least ${MIN_WEBHOOK_SECRET_CHARS} characters. Never read back. If none is given on creation, or null is ` +
        "written, the service generates one and returns it in the response.",
      writeOnly: true,
      filter: false,
    }),
    input: documented(schema, {
      anyOf: [
        { const: "" },
        {
          type: "string",
          pattern: `^[!-~]{${MIN_WEBHOOK_SECRET_CHARS},${MAX_WEBHOOK_SECRET_CHARS}}$`,
          not: { pattern: `^${SECRET_PREFIX}` },
        },
        { type: "string", pattern: `^${SECRET_PREFIX}(?:[A-Za-z0-9+/]{4}){8,21}$` },
      ],
    }).nullable(),
    fallback: null,
  };
}

function hasKey(secret: string): boolean {
  const { length } = encodedKey(secret) ?? [];
  return length >= MIN_KEY_BYTES && length <= MAX_KEY_BYTES;
}

/** Names and values of headers; null keeps the stored value. */
export type HeaderInput = Readonly<Record<string, string | null>>;

/**
 * Defines additional headers of the request, `{"X-Api-Key": "…"}`. Responses have null as each value, and
 * writing null keeps the stored value, so that a response can be written back, but not with another origin.
 */
export function headersField(): Field<"additional_headers", Record<string, null>> {
  const name = "additional_headers";
  const names = `${name}_names`;
  return {
    ...json(name, {
      description:
        'Additional headers of the request: `{"X-Api-Key": "…"}`. Values are never returned: each is null in responses, and ' +
        "writing null keeps the value that is stored under that name. When the payload URL changes to another origin, " +
        "all values must be given again.",
      schema: headers(),
      fallback: {},
    }),
    output: z.record(z.string(), z.null()),
    shown: { notation: "headers" },
    select: ({ alias }) => [[names, namesOf(columnOf(alias, name))]],
    read: (row) => parseNested(row[names]),
    record: {
      read: (row) => parseNested(row[names]),
      select: ({ alias }) => [[name, columnOf(alias, name)], [names, namesOf(columnOf(alias, name))]],
      conceals: true,
    },
  };
}

function namesOf(column: SQL): SQL {
  return sql`(SELECT json_group_object(key, NULL) FROM json_each(${column}))`;
}

function headers(): z.ZodType<HeaderInput> {
  // Not z.record, which silently drops the key "__proto__".
  const checked = z.custom<HeaderInput>(isDictionary, {
    error: ({ input }) => `Expected an object of header names and values, not ${kindOf(input)}.`,
  }).superRefine((given, context) => {
    for (const message of headerFaults(given)) context.addIssue({ code: "custom", message });
  });
  return documented(checked, {
    type: "object",
    maxProperties: MAX_WEBHOOK_HEADERS,
    propertyNames: HEADER_NAME,
    additionalProperties: { ...HEADER_VALUE, type: ["string", "null"] },
  });
}

function headerFaults(given: HeaderInput): string[] {
  const names = Object.keys(given);
  if (names.length > MAX_WEBHOOK_HEADERS) {
    return [`Ensure this field has no more than ${MAX_WEBHOOK_HEADERS} elements.`];
  }
  const seen = new Set<string>();
  return names.flatMap((name) => {
    const repeated = seen.has(name.toLowerCase());
    seen.add(name.toLowerCase());
    const value = given[name];
    const fault = headerNameFault(name) ?? (repeated ? "This name is given twice" : undefined) ??
      (value === null ? undefined : headerValueFault(value));
    return fault === undefined ? [] : [`${quote(name)}: ${fault}.`];
  });
}

/** Returns the type of a value, because messages never quote header values, which may be secrets. */
function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

/**
 * Defines the filters that an object must match, with the names of its list's parameters. null means every
 * object.
 */
export function conditionsField(): Field<"conditions", Values | null> {
  const checked = z.custom<Values>(isDictionary, {
    error: ({ input }) => encoded(unexpected("an object of filters or null", input)),
  }).refine((given) => JSON.stringify(given).length <= MAX_CONSTRAINT_CHARS, {
    error: issue("too_long", { max: MAX_CONSTRAINT_CHARS }),
  });
  return json("conditions", {
    description:
      'Filters that the object must match after the change (before it, if it is deleted): `{"status": "active", ' +
      '"tenant__slug": ["acme", "globex"], "NOT": {"tag": "lab"}}`. Names are those of the list\'s parameters, a list of ' +
      "values is OR; `AND`, `OR` and `NOT` combine further objects. null: every object.",
    schema: documented(checked, { type: "object" }).nullable(),
    fallback: null,
  });
}
