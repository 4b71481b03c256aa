/** Endpoints: addresses that serve certificates, and what they served at the last probe. */

import { encoded, finding, issue } from "../../base/findings.ts";
import { z } from "zod";
import { type SQL, sql } from "drizzle-orm";
import { readHost, readHostName } from "../../base/host_name.ts";
import { endpoints as table } from "../../db/schema/mod.ts";
import { and, compare, type Condition, type FilterField } from "../../filters/mod.ts";
import { PROBE_PROTOCOLS } from "../../probe/mod.ts";
import {
  boolean,
  choice,
  columnOf,
  datetime,
  defineResource,
  documented,
  expectedError,
  type Field,
  generic,
  integer,
  json,
  type Out,
  reference,
  type Resource,
  targetFilter,
  text,
  unexpected,
  unrecorded,
  type Values,
} from "../../resource/mod.ts";
import { ASSIGNED_RESOURCES } from "../assignments/mod.ts";
import { certificates, tlsVersionFilter } from "../certificates/mod.ts";
import { devices, services, tagsField, tenantField, virtualMachines } from "../inventory/mod.ts";
import { prepareEndpoints } from "./prepare.ts";
import { maskedState, shownState } from "./shown_states.ts";
import {
  ENDPOINT_STATES,
  FOUND_STATES,
  MAX_INTERVAL_MINUTES,
  MIN_INTERVAL_MINUTES,
  POSSESSIONS,
} from "./states.ts";

/**
 * `unknown`: serves a certificate that the inventory does not have, or has only as pending. `wrong`: any
 * other state except `ok`, `expiring` and `pending`. `expiring`: the state of that name.
 */
export const PROBLEMS = ["unknown", "wrong", "expiring"] as const;

/** States of the group `wrong`. */
const WRONG_STATES = FOUND_STATES.filter((state) => !["expiring", "ok"].includes(state));

const problemFilter: FilterField = {
  kind: "predicate",
  type: "choice",
  choices: PROBLEMS,
  condition: (problem, { alias, shown }) => {
    const shownOf = (column: "state" | "states"): SQL =>
      shownState(column)(alias, shown) ?? columnOf(alias, column);
    const state = shownOf("state");
    if (problem === "expiring") return sql`${state} = 'expiring'`;
    const certificate = `${alias}_served`;
    const seen = shown("certmgr.certificate", certificate);
    // The condition of the index endpoints_wrong.
    const isWrong = sql`instr(${shownOf("states")}, '"wrong_certificate"') > 0`;
    const isKnown = sql`EXISTS (SELECT 1 FROM certificates AS ${sql.identifier(certificate)} WHERE ${
      columnOf(certificate, "id")
    } = ${columnOf(alias, "certificate_id")} AND ${columnOf(certificate, "status")} <> 'pending'${
      seen === undefined ? sql`` : sql` AND ${seen}`
    })`;
    return problem === "unknown"
      ? sql`(${isWrong} AND NOT ${isKnown})`
      : sql`(${state} IN (SELECT value FROM json_each(${
        JSON.stringify(WRONG_STATES)
      })) AND NOT (${isWrong} AND NOT ${isKnown}))`;
  },
};

const OBJECT_TYPE = "certmgr.endpoint";
const MAX_HOST_CHARS = 255;

const ADDRESS_FIELDS = [
  hostField("host", { description: "Host name or IP address.", read: readHost, required: true }),
  integer("port", { description: "TCP port.", min: 1, max: 65_535, fallback: 443 }),
  hostField("server_name", {
    description: "Host name that the probe sends (SNI) and expects in the certificate; null: the host.",
    read: readHostName,
    nullable: true,
  }),
  choice("protocol", {
    description: "`tls`, or the protocol whose STARTTLS is used.",
    choices: PROBE_PROTOCOLS,
    fallback: "tls",
  }),
  text("description", { description: "What it serves.", max: 1_000 }),
];

const SETTING_FIELDS = [
  tenantField(),
  ...generic("assigned_object", {
    description: "The device, virtual machine or service that listens there.",
    prefix: "assigned_object",
    targets: ASSIGNED_RESOURCES,
    onDelete: "restrict",
  }),
  reference("expected_certificate", {
    description:
      "The certificate that it should serve; null: any active one whose names cover the server name.",
    target: (): Resource => certificates,
    keys: [],
    onDelete: "clear",
  }),
  boolean("enabled", { description: "Whether the service probes it.", fallback: true }),
  integer("interval_minutes", {
    description: "Minutes between two probes.",
    min: MIN_INTERVAL_MINUTES,
    max: MAX_INTERVAL_MINUTES,
    fallback: 360,
  }),
];

/** The fields with the result of the last probe. */
const RESULT_FIELDS = [
  maskedState(choice("state", {
    description:
      "The worst state that applies, without what follows from certificates that the caller may not view; `pending`: not probed yet.",
    choices: ENDPOINT_STATES,
    readOnly: true,
    fallback: "pending",
  })),
  maskedState(unrecorded(integer("severity", {
    description: "Rank of `state` among all states, worst first; `pending` comes last.",
    readOnly: true,
  }))),
  maskedState(text("state_message", { description: "The state in a sentence.", readOnly: true, max: 1_000 })),
  maskedState(text("state_reason", {
    description:
      "What the state follows from: `self_signed`, `unknown_root`, `unknown_issuer`, `silent_agent`, or `not_allowed` if " +
      "`CERTMGR_PROBE_ALLOWED_NETWORKS` lacks the address; empty for others.",
    readOnly: true,
  })),
  maskedState(json("states", {
    description: "All states that apply, worst first.",
    schema: z.array(z.enum(ENDPOINT_STATES)),
    readOnly: true,
  })),
  choice("possession", {
    description:
      "`proven`: the signature of the handshake shows that the server has the key of its certificate.",
    choices: POSSESSIONS,
    readOnly: true,
    fallback: "unproven",
  }),
  boolean("addresses_differ", {
    description: "Whether the addresses of the host present different certificates.",
    readOnly: true,
    fallback: false,
  }),
  reference("certificate", {
    description:
      "The certificate that it served when it was last reached; null if the inventory has none, or the server did not prove that it has the key.",
    target: (): Resource => certificates,
    keys: [],
    readOnly: true,
    onDelete: "clear",
  }),
  unrecorded(datetime("last_probed", {
    description: "Time of the last probe or of the last report of an agent.",
    readOnly: true,
    nullable: true,
  })),
  datetime("last_changed", {
    description: "Time of the last change of state or certificate.",
    readOnly: true,
    nullable: true,
  }),
  text("source", {
    description: "Who found it: `manual`, `scan` or `agent:<name>`. Agents probe their endpoints themselves.",
    readOnly: true,
  }),
];

export const endpoints = defineResource({
  objectType: OBJECT_TYPE,
  path: "plugins/certmgr/endpoints",
  label: "endpoint",
  table,
  fields: [
    ...ADDRESS_FIELDS,
    ...SETTING_FIELDS,
    ...RESULT_FIELDS,
    tagsField(OBJECT_TYPE),
  ],
  brief: ["host", "port", "server_name", "protocol", "state"],
  displayNeeds: ["host", "port", "server_name", "protocol"],
  display: (row) => displayOf(row),
  search: { fields: ["host", "server_name", "description"], also: hostAndPort },
  filters: {
    device: targetFilter(table, "assigned_object", devices),
    virtual_machine: targetFilter(table, "assigned_object", virtualMachines),
    service: targetFilter(table, "assigned_object", services),
    problem: problemFilter,
    tls_version: tlsVersionFilter,
  },
  unique: [{
    columns: ["host", "port", "protocol", "server_name"],
    nullsEqual: true,
    field: "__all__",
    finding: finding("not_unique", { object: "Endpoint", fields: "Host, Port, Server name and Protocol" }),
  }],
  actions: ["probe", "push_observations"],
  hooks: { prepare: prepareEndpoints },
});

export type Endpoint = Out<typeof endpoints>;

/** Returns `www.example.com:443`, with the protocol and the server name unless they have their defaults. */
export function displayOf(row: Readonly<Values>): string {
  const host = String(row.host).includes(":") ? `[${row.host}]` : row.host;
  const protocol = row.protocol === "tls" ? "" : ` (${row.protocol})`;
  return `${host}:${row.port}${protocol}${row.server_name === null ? "" : ` as ${row.server_name}`}`;
}

/** Defines a host, which is stored in its canonical form. */
function hostField<const Name extends string>(
  name: Name,
  { description, read, required = false, nullable = false }: {
    description: string;
    read: (text: string) => string | undefined;
    required?: boolean;
    nullable?: boolean;
  },
): Field<Name, string | null> {
  const expected = read === readHost ? "a host name or an IP address without scheme and port" : "a host name";
  const checked = z.string(expectedError(expected)).max(MAX_HOST_CHARS, {
    error: issue("too_long", { max: MAX_HOST_CHARS }),
    abort: true,
  }).transform((given, context) => {
    const host = read(given);
    if (host !== undefined) return host;
    context.addIssue({ code: "custom", message: encoded(unexpected(expected, given)) });
    return z.NEVER;
  });
  const schema = documented(checked, {
    type: "string",
    minLength: 1,
    maxLength: MAX_HOST_CHARS,
    format: read === readHost ? "host" : "hostname",
  });
  const field = text(name, {
    description,
    required,
    nullable,
    max: MAX_HOST_CHARS,
    defaultOperator: "icontains",
  });
  return { ...field, input: nullable ? schema.nullable() : schema };
}

/** Returns the condition for endpoints by the name with which they are shown: "www.acme.example:443", or its end. */
function hostAndPort(text: string): readonly Condition[] {
  const [, host = "", port = ""] = /^(.*):(\d{1,5})$/.exec(text.trim()) ?? [];
  return port === ""
    ? []
    : [and(compare("host", "iendswith", [host]), compare("port", "exact", [Number(port)]))];
}
