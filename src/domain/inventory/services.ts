/** Services, which listen on ports of a device or virtual machine and present certificates. */

import { concerns, encoded, finding } from "../../base/findings.ts";
import { sql } from "drizzle-orm";
import { z } from "zod";
import { boundedList } from "../../base/bounded_list.ts";
import { services as table } from "../../db/schema/mod.ts";
import type { FilterField } from "../../filters/mod.ts";
import {
  aliasOf,
  type Brief,
  customFieldsField,
  defineResource,
  documented,
  type Draft,
  type Field,
  generic,
  json,
  labelledChoice,
  refuse,
  type Resource,
  targetFilter,
  text,
  unexpected,
} from "../../resource/mod.ts";
import { commentsField, tagsField } from "./common_fields.ts";
import { devices, virtualMachines } from "./hosts.ts";
import { tenantField } from "./tenants.ts";

const KINDS: readonly (readonly [name: "device" | "virtual_machine", target: Resource])[] = [
  ["device", devices],
  ["virtual_machine", virtualMachines],
];
const [TYPE, ID] = ["parent_object_type", "parent_object_id"];

/**
 * Returns the fields `device` and `virtual_machine`: the parent if it has that type, otherwise null. They can
 * be written instead of type and id.
 */
function parentNames(
  parent: Field,
): Field<"device" | "virtual_machine", Brief | null>[] {
  return KINDS.map(([name, target]) =>
    aliasOf(name, {
      description: `The parent if it is a ${target.label}; may be sent instead of \`${TYPE}\` and \`${ID}\`.`,
      target,
      keys: ["name"],
      needs: [TYPE, "parent"],
      read: (read) => (row, ctx) => row[TYPE] === target.objectType ? read(row, ctx) : null,
      of: parent,
    })
  );
}

/** Sets the parent from `device` or `virtual_machine`, and refuses services without a parent. */
function requireParents(drafts: readonly Draft[]): void {
  for (const draft of drafts) {
    if ([TYPE, ID, ...KINDS.map(([name]) => name)].some((name) => concerns(draft.errors, name))) continue;
    if (!takeNamed(draft)) continue;
    // Services without a parent, from before this rule, can be changed otherwise.
    if (draft.before !== undefined && !(TYPE in draft.input) && !(ID in draft.input)) continue;
    for (const name of [TYPE, ID]) {
      const value = name in draft.input ? draft.input[name] : draft.before?.[name];
      if (value === undefined || value === null) refuse(draft, name, finding("required"));
    }
  }
}

/** Returns whether the fields about the parent agree. */
function takeNamed(draft: Draft): boolean {
  const { input } = draft;
  const given = KINDS.flatMap(([name, target]) => {
    const id = input[name];
    delete input[name];
    return id === undefined || id === null ? [] : [{ name, type: target.objectType, id }];
  });
  const [first, second] = given;
  if (first === undefined) return true;
  if (second !== undefined) {
    refuse(draft, "__all__", finding("one_host"));
    return false;
  }
  // An object that is sent back unchanged has both forms, which then agree.
  const agrees = (name: string, value: unknown): boolean =>
    input[name] === undefined || input[name] === null || input[name] === value;
  if (!agrees(TYPE, first.type) || !agrees(ID, first.id)) {
    refuse(draft, first.name, finding("conflicts_with", { field: TYPE, other: ID }));
    return false;
  }
  input[TYPE] = first.type;
  input[ID] = first.id;
  return true;
}

const MAX_PORTS = 1_000;

const OBJECT_TYPE = "ipam.service";
const [LOWEST_PORT, HIGHEST_PORT] = [1, 65_535];

const PARENT = generic("parent", {
  description: "The device or virtual machine that it runs on.",
  prefix: "parent_object",
  targets: [devices, virtualMachines],
  onDelete: "restrict",
});

export const services = defineResource({
  objectType: OBJECT_TYPE,
  path: "ipam/services",
  label: "service",
  table,
  fields: [
    text("name", { description: "Name.", required: true, max: 200 }),
    labelledChoice("protocol", {
      description: "Transport protocol.",
      choices: { tcp: "TCP", udp: "UDP", sctp: "SCTP" },
      fallback: "tcp",
    }),
    portsField({ description: "Port numbers.", max: MAX_PORTS, fallback: [] }),
    ...PARENT,
    ...parentNames(PARENT[2] as Field),
    tenantField(),
    text("description", { description: "What it is for.", max: 1_000 }),
    commentsField(),
    tagsField(OBJECT_TYPE),
    customFieldsField(OBJECT_TYPE),
  ],
  brief: ["name", "protocol", "ports", "description"],
  displayNeeds: ["name", "protocol", "ports"],
  display: (row) => {
    const ports = JSON.parse(row.ports).join(", ");
    return `${row.name} (${String(row.protocol).toUpperCase()}${ports === "" ? "" : `/${ports}`})`;
  },
  search: { fields: ["name", "description"] },
  filters: {
    device: targetFilter(table, "parent_object", devices),
    virtual_machine: targetFilter(table, "parent_object", virtualMachines),
    port: portFilter(),
  },
  hooks: { prepare: ({ drafts }) => Promise.resolve(requireParents(drafts)) },
});

/** Defines a list of ports, which is stored in order and without duplicates. `empty`: the error if there are none. */
export function portsField(
  { description, fallback, ...limits }: {
    description: string;
    fallback: number[];
    max: number;
    empty?: string;
  },
): Field<"ports", number[]> {
  const expected = `a whole number from ${LOWEST_PORT} to ${HIGHEST_PORT}`;
  const port = documented(
    z.custom<number>(
      (given) =>
        typeof given === "number" && Number.isInteger(given) && given >= LOWEST_PORT && given <= HIGHEST_PORT,
      { error: ({ input }) => encoded(unexpected(expected, input)) },
    ),
    { type: "integer", minimum: LOWEST_PORT, maximum: HIGHEST_PORT },
  );
  const schema = boundedList(port, {
    ...limits,
    error: ({ input }) => encoded(unexpected("a list of ports", input)),
  })
    .transform((ports) => [...new Set(ports)].sort((a, b) => a - b));
  return {
    ...json("ports", { description, schema, fallback }),
    output: z.array(z.int().min(LOWEST_PORT).max(HIGHEST_PORT)),
  };
}

/** Returns the filter `port`, which matches any of the ports. */
function portFilter(): FilterField {
  return {
    kind: "predicate",
    type: "integer",
    condition: (value, { alias }) =>
      sql`EXISTS (SELECT 1 FROM json_each(${sql.identifier(alias)}.ports) WHERE value = ${value})`,
  };
}
