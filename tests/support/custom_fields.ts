/** Custom fields of every type on certificates, and values. */

import assert from "node:assert/strict";
import type { TestApp } from "./app.ts";
import { certificate, PATHS } from "./paths.ts";
import { seed } from "./seed.ts";

type Body = Record<string, unknown>;
const { certificates: ids, devices } = seed;

const FIELDS: readonly Body[] = [
  { name: "note", type: "text", validation_regex: "^[A-Z]" },
  { name: "exact", type: "text", filter_logic: "exact", indexed: true },
  { name: "story", type: "longtext" },
  { name: "shelf", type: "integer", validation_minimum: 1, validation_maximum: 40, indexed: true },
  { name: "cost", type: "decimal" },
  { name: "audited", type: "boolean", default: false },
  { name: "ordered", type: "date" },
  { name: "seen_at", type: "datetime", indexed: true },
  { name: "page", type: "url" },
  { name: "extra", type: "json" },
  { name: "risk", type: "select", choice_set: { name: "Levels" } },
  { name: "places", type: "multiselect", choice_set: { name: "Places" } },
  { name: "host", type: "object", related_object_type: "dcim.device" },
];

/** Defines all fields on certificates. */
export async function defineCustomFields(app: TestApp): Promise<void> {
  const client = await app.as("superuser");
  const body = FIELDS.map((field) => ({ object_types: ["certmgr.certificate"], ...field }));
  const response = await client(PATHS.customFields, { method: "POST", body });
  assert.equal(response.status, 201, await response.clone().text());
}

/** Values of the first certificate. */
export const CUSTOM_VALUES = {
  note: "Bob's",
  exact: "B12",
  story: "Once\nupon a time",
  shelf: 4,
  cost: 12.5,
  audited: true,
  ordered: "2026-03-01",
  seen_at: "2026-03-01T10:00:00Z",
  page: "https://wiki.example/x",
  extra: { a: [1, null] },
  risk: "high",
  places: ["here", "there"],
  host: devices.edge,
};

/** Defines all fields, and stores values of the first certificate. */
export async function fillCustomFields(app: TestApp): Promise<void> {
  await defineCustomFields(app);
  const client = await app.as("superuser");
  const body = { custom_fields: CUSTOM_VALUES };
  const response = await client(certificate(ids.acmeWeb), { method: "PATCH", body });
  assert.equal(response.status, 200, await response.clone().text());
  const other = { custom_fields: { shelf: 9, cost: 3, risk: "low", ordered: "2026-05-01", note: "Zoe" } };
  assert.equal((await client(certificate(ids.twin), { method: "PATCH", body: other })).status, 200);
}
