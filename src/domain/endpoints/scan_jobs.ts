/** Scan jobs: networks that the service searches for unknown endpoints. */

import { z } from "zod";
import { readNetwork } from "../../base/addresses.ts";
import { boundedList } from "../../base/bounded_list.ts";
import { scan_jobs as table } from "../../db/schema/mod.ts";
import {
  boolean,
  datetime,
  defineResource,
  documented,
  type Draft,
  expectedError,
  type Field,
  id,
  integer,
  json,
  type Out,
  quote,
  refuse,
  text,
  timestamps,
  unrecorded,
  type WriteStep,
} from "../../resource/mod.ts";
import { tenantField } from "../inventory/mod.ts";
import { MAX_SCAN_ADDRESSES, MAX_SCAN_NETWORKS, MAX_SCAN_PORTS, MAX_SCAN_RATE } from "./limits.ts";
import { countTargets, refusedNetworks } from "./scan_targets.ts";

/** `certmgr.scanjob`. */
export const scanJobs = defineResource({
  objectType: "certmgr.scanjob",
  path: "plugins/certmgr/scan-jobs",
  label: "scan job",
  table,
  fields: [
    id(),
    text("name", { description: "Name; unique.", required: true, max: 100 }),
    networksField(),
    portsField(),
    integer("rate", {
      description: "Connections per second, at most.",
      min: 1,
      max: MAX_SCAN_RATE,
      fallback: 50,
    }),
    integer("interval_minutes", {
      description: "Minutes between two runs.",
      min: 60,
      max: 525_600,
      fallback: 1_440,
    }),
    boolean("enabled", { description: "Whether it runs.", fallback: true }),
    tenantField(),
    unrecorded(
      datetime("last_run", { description: "Start of the last run.", readOnly: true, nullable: true }),
    ),
    unrecorded(json("last_result", {
      description:
        "Result of the last run: `addresses` (connections: one for each address and port), `answered`, `created`, " +
        "`known`, `stopped`, `error`; null until one has ended.",
      schema: z.record(z.string(), z.unknown()).nullable(),
      readOnly: true,
    })),
    ...timestamps(),
  ],
  brief: ["name", "enabled"],
  searchFields: ["name"],
  unique: [{ columns: ["name"], field: "name", message: "scan job with this name already exists." }],
  order: [{ field: "name", descending: false }],
  prepare: prepareScanJobs,
});

export type ScanJob = Out<typeof scanJobs>;

function networksField(): Field<"networks", string[]> {
  const expected = "Expected a network such as 10.0.0.0/24, or an address";
  const network = documented(
    z.string(expectedError(expected)).transform((given, context) => {
      const read = readNetwork(given.trim());
      if ("network" in read) return read.network;
      context.addIssue({ code: "custom", message: `${read.error}, not ${quote(given)}.` });
      return z.NEVER;
    }),
    { type: "string", minLength: 1, maxLength: 100, format: "ip-network" },
  );
  const schema = boundedList(network, {
    max: MAX_SCAN_NETWORKS,
    error: ({ input }) => `Expected a list of networks, not ${quote(input)}.`,
    empty: "Expected at least one network.",
  });
  return {
    ...json("networks", {
      description: "Networks and addresses to scan; each must be in `CERTMGR_PROBE_ALLOWED_NETWORKS`.",
      schema: schema.transform((networks) => [...new Set(networks)]),
      required: true,
    }),
    output: z.array(z.string()),
  };
}

function portsField(): Field<"ports", number[]> {
  const expected = "a whole number from 1 to 65535";
  const port = documented(
    z.custom<number>(
      (given) => typeof given === "number" && Number.isInteger(given) && given >= 1 && given <= 65_535,
      { error: (issue) => `Expected ${expected}, not ${quote(issue.input)}.` },
    ),
    { type: "integer", minimum: 1, maximum: 65_535 },
  );
  const schema = boundedList(port, {
    max: MAX_SCAN_PORTS,
    error: ({ input }) => `Expected a list of ports, not ${quote(input)}.`,
    empty: "Expected at least one port.",
  }).transform((ports) => [...new Set(ports)].sort((a, b) => a - b));
  return {
    ...json("ports", { description: "Ports to try.", schema, fallback: [443] }),
    output: z.array(z.int()),
  };
}

/**
 * Refuses networks that may not be scanned, and more addresses than a run may try. Schedules the next run. A
 * job that was stored before the setting changed can still be renamed or disabled.
 */
function prepareScanJobs({ ctx, drafts }: WriteStep): Promise<void> {
  for (const draft of drafts) {
    const networks = listOf(draft, "networks") as string[];
    const ports = listOf(draft, "ports");
    const count = countTargets(networks, ports.length);
    if (count > MAX_SCAN_ADDRESSES) {
      refuse(
        draft,
        "networks",
        `These networks and ports are ${count} connections. At most ${MAX_SCAN_ADDRESSES} are allowed. Use smaller networks.`,
      );
    }
    const { input, before, row } = draft;
    if ("networks" in input || input.enabled === true) {
      const { allowedNetworks } = ctx.settings.probing;
      for (const message of refusedNetworks(networks, allowedNetworks)) refuse(draft, "networks", message);
    }
    const enabled = input.enabled ?? (before === undefined ? true : before.enabled === 1);
    if (before === undefined || "enabled" in input || "networks" in input || "ports" in input) {
      row.next_run = enabled ? ctx.clock.now() : null;
      row.lease_owner = null;
    }
  }
  return Promise.resolve();
}

function listOf({ input, before }: Draft, name: string): unknown[] {
  if (Array.isArray(input[name])) return input[name];
  return typeof before?.[name] === "string" ? JSON.parse(before[name]) : [];
}
