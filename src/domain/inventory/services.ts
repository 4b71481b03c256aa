/** Services, which listen on ports of a device or virtual machine and present certificates. */

import { sql } from "drizzle-orm";
import { z } from "zod";
import { boundedList } from "../../base/bounded_list.ts";
import { services as table } from "../../db/schema/mod.ts";
import type { FilterField } from "../../filters/mod.ts";
import {
  customFieldsField,
  defineResource,
  documented,
  type Field,
  generic,
  id,
  json,
  labelledChoice,
  quote,
  targetFilter,
  text,
  timestamps,
} from "../../resource/mod.ts";
import { commentsField } from "./common_fields.ts";
import { devices } from "./devices.ts";
import { parentNames, requireParents } from "./service_parent.ts";
import { tagsField } from "./tags.ts";
import { tenantField } from "./tenants.ts";
import { virtualMachines } from "./virtual_machines.ts";

/** Maximum number of ports of a service. */
const MAX_PORTS = 1_000;

const OBJECT_TYPE = "ipam.service";
const [LOWEST_PORT, HIGHEST_PORT] = [1, 65_535];

const PARENT = generic("parent", {
  description: "The device or virtual machine that it runs on.",
  prefix: "parent_object",
  targets: [devices, virtualMachines],
  onDelete: "restrict",
});

/** `ipam.service`. */
export const services = defineResource({
  objectType: OBJECT_TYPE,
  path: "ipam/services",
  label: "service",
  table,
  fields: [
    id(),
    text("name", { description: "Name.", required: true, max: 200 }),
    labelledChoice("protocol", {
      description: "Transport protocol.",
      choices: { tcp: "TCP", udp: "UDP", sctp: "SCTP" },
      fallback: "tcp",
    }),
    portsField(),
    ...PARENT,
    ...parentNames(PARENT[2] as Field),
    tenantField(),
    text("description", { description: "What it is for.", max: 1_000 }),
    commentsField(),
    tagsField(OBJECT_TYPE),
    customFieldsField(OBJECT_TYPE),
    ...timestamps(),
  ],
  brief: ["name", "protocol", "ports", "description"],
  displayNeeds: ["name", "protocol", "ports"],
  display: (row) => {
    const ports = JSON.parse(row.ports).join(", ");
    return `${row.name} (${String(row.protocol).toUpperCase()}${ports === "" ? "" : `/${ports}`})`;
  },
  searchFields: ["name", "description"],
  filters: {
    device: targetFilter(table, "parent_object", devices),
    virtual_machine: targetFilter(table, "parent_object", virtualMachines),
    port: portFilter(),
  },
  order: [{ field: "name", descending: false }],
  prepare: ({ drafts }) => Promise.resolve(requireParents(drafts)),
});

function portsField(): Field<"ports", number[]> {
  const expected = `a whole number from ${LOWEST_PORT} to ${HIGHEST_PORT}`;
  const port = documented(
    z.custom<number>(
      (given) =>
        typeof given === "number" && Number.isInteger(given) && given >= LOWEST_PORT && given <= HIGHEST_PORT,
      { error: (issue) => `Expected ${expected}, not ${quote(issue.input)}.` },
    ),
    { type: "integer", minimum: LOWEST_PORT, maximum: HIGHEST_PORT },
  );
  const schema = boundedList(port, {
    max: MAX_PORTS,
    error: ({ input }) => `Expected a list of ports, not ${quote(input)}.`,
  })
    .transform((ports) => [...new Set(ports)].sort((a, b) => a - b));
  return {
    ...json("ports", { description: "Port numbers.", schema, fallback: [] }),
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
