/** Scan jobs: networks that the service searches for unknown endpoints. */

import { encoded, finding, issue } from "../../base/findings.ts";
import { z } from "zod";
import { readNetwork } from "../../base/addresses.ts";
import { boundedList } from "../../base/bounded_list.ts";
import type { RowOf } from "../../db/mod.ts";
import { scan_jobs as table } from "../../db/schema/mod.ts";
import {
  boolean,
  datetime,
  defineResource,
  documented,
  effectiveJson,
  expectedError,
  type Field,
  integer,
  json,
  type Out,
  quote,
  refuse,
  text,
  unexpected,
  unrecorded,
  type Values,
  type WriteStep,
} from "../../resource/mod.ts";
import { portsField, tenantField } from "../inventory/mod.ts";
import { MAX_SCAN_ADDRESSES, MAX_SCAN_NETWORKS, MAX_SCAN_PORTS, MAX_SCAN_RATE } from "./states.ts";
import { countTargets, refusedNetworks } from "./scan_targets.ts";

export const scanJobs = defineResource({
  objectType: "certmgr.scanjob",
  path: "plugins/certmgr/scan-jobs",
  label: "scan job",
  table,
  fields: [
    text("name", { description: "Name; unique.", required: true, max: 100 }),
    networksField(),
    portsField({
      description: "Ports to try.",
      max: MAX_SCAN_PORTS,
      fallback: [443],
      empty: issue("expected_some", { thing: "port" }),
    }),
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
  ],
  brief: ["name", "enabled"],
  search: { fields: ["name"] },
  unique: ["name"],
  hooks: { prepare: prepareScanJobs },
});

export type ScanJob = Out<typeof scanJobs>;

function networksField(): Field<"networks", string[]> {
  const expected = "a network such as 10.0.0.0/24, or an address";
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
    error: ({ input }) => encoded(unexpected("a list of networks", input)),
    empty: issue("expected_some", { thing: "network" }),
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

type ScanInput = Values & { networks?: string[]; ports?: number[] };

/**
 * Refuses networks that may not be scanned, and more addresses than a run may try. Schedules the next run. A
 * job that was stored before the setting changed can still be renamed or disabled.
 */
function prepareScanJobs({ ctx, drafts }: WriteStep<RowOf<typeof table>, ScanInput>): Promise<void> {
  for (const draft of drafts) {
    const networks = effectiveJson(draft, "networks") ?? [];
    const ports = effectiveJson(draft, "ports") ?? [];
    const count = countTargets(networks, ports.length);
    if (count > MAX_SCAN_ADDRESSES) {
      refuse(draft, "networks", finding("scan_too_large", { count, max: MAX_SCAN_ADDRESSES }));
    }
    const { input, before, row } = draft;
    if ("networks" in input || input.enabled === true) {
      const { allowedNetworks } = ctx.settings.probing;
      for (const one of refusedNetworks(networks, allowedNetworks)) refuse(draft, "networks", one);
    }
    const enabled = input.enabled ?? (before === undefined ? true : before.enabled === 1);
    if (before === undefined || "enabled" in input || "networks" in input || "ports" in input) {
      row.next_run = enabled ? ctx.clock.now() : null;
      row.lease_owner = null;
    }
  }
  return Promise.resolve();
}
