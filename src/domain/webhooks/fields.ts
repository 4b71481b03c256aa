/** The fields of a webhook that are stored as JSON, and its secret. */

import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { MAX_CONSTRAINT_CHARS } from "../../base/limits.ts";
import { MAX_WEBHOOK_HEADERS, MAX_WEBHOOK_SECRET_CHARS, MIN_WEBHOOK_SECRET_CHARS } from "./limits.ts";
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
  textSchema,
} from "../../resource/mod.ts";
import { MAX_BODY_TEMPLATE_CHARS, templateFault } from "./body_template.ts";
import { HEADER_NAME, HEADER_VALUE, headerNameFault, headerValueFault } from "./headers.ts";

/** Minimum and maximum size of a key in bytes (Standard Webhooks, "Signature scheme"). */
const [MIN_KEY_BYTES, MAX_KEY_BYTES] = [24, 64];

/**
 * Defines the secret that signs messages: `whsec_` and a key in base64, or any other text, whose bytes are
 * the key. An empty text, which forms send, keeps the stored secret; null generates a new one.
 */
export function secretField(): Field<"secret", string> {
  // Messages never quote the value, because it may be a secret.
  const schema = z.string({ error: "Expected text or null." })
    .refine((given) => given === "" || given.length >= MIN_WEBHOOK_SECRET_CHARS, {
      error: `Ensure this field has at least ${MIN_WEBHOOK_SECRET_CHARS} characters.`,
    })
    .max(MAX_WEBHOOK_SECRET_CHARS, {
      error: `Ensure this field has no more than ${MAX_WEBHOOK_SECRET_CHARS} characters.`,
    })
    .refine((given) => /^[\x21-\x7e]*$/.test(given), {
      error: "Expected ASCII letters, digits and punctuation, without spaces.",
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
    notation: "headers",
    conceals: true,
    select: ({ alias }) => [[names, namesOf(columnOf(alias, name))]],
    selectRecord: ({ alias }) => [[name, columnOf(alias, name)], [names, namesOf(columnOf(alias, name))]],
    read: (row) => parseNested(row[names]),
    record: (row) => parseNested(row[names]),
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
export function conditionsField(): Field<"conditions", Record<string, unknown> | null> {
  const checked = z.custom<Record<string, unknown>>(isDictionary, {
    error: ({ input }) => `Expected an object of filters or null, not ${quote(input)}.`,
  }).refine((given) => JSON.stringify(given).length <= MAX_CONSTRAINT_CHARS, {
    error: `Ensure this field has no more than ${MAX_CONSTRAINT_CHARS} characters.`,
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

/** A sample event, with which a template is rendered when it is saved. */
const SAMPLE_OBJECT = {
  id: 1,
  common_name: 'Sample "name"',
  status: "active",
  valid_to: "2026-12-01T00:00:00Z",
  days_remaining: 7,
};
const SAMPLE_MESSAGE = {
  id: "msg_sample",
  event: "updated",
  timestamp: "2026-11-24T00:00:00Z",
  model: "certificate",
  object_type: "certmgr.certificate",
  username: "sample",
  request_id: "sample",
  data: SAMPLE_OBJECT,
  snapshots: { prechange: SAMPLE_OBJECT, postchange: SAMPLE_OBJECT },
};

/** Defines the template of the body: Mustache that renders JSON. */
export function bodyTemplateField(): Field<"body_template", string> {
  const schema = textSchema({ max: MAX_BODY_TEMPLATE_CHARS, blank: true }).superRefine((given, context) => {
    const fault = given === "" ? undefined : templateFault(given, SAMPLE_MESSAGE);
    if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
  });
  return {
    ...text("body_template", {
      description:
        'Mustache that renders the JSON to send, from the members of the message: `{"text": "{{data.common_name}} ' +
        '{{event}}"}`. Empty: the message as it is.',
      max: MAX_BODY_TEMPLATE_CHARS,
    }),
    input: documented(schema, { type: "string", maxLength: MAX_BODY_TEMPLATE_CHARS }),
  };
}
