/** The identity of an endpoint, and its schedule: new ones, and those whose address changed, are probed as soon as possible. */

import type { Cell } from "../../db/mod.ts";
import type { Draft, WriteStep } from "../../resource/mod.ts";
import { severityOf } from "./states.ts";

/**
 * Fields that determine what is probed. After a change of one of them, the last result is no longer valid.
 */
const ADDRESS = ["host", "port", "server_name", "protocol"] as const;
/** Fields that determine what follows from a result: the rights of the user who changed them last limit it. */
const CONSEQUENCES = [...ADDRESS, "tenant", "assigned_object_type", "assigned_object_id"] as const;
/** Fields that determine how a result is evaluated. */
const EXPECTATION = ["expected_certificate", "enabled", "interval_minutes"] as const;

/** The columns of an endpoint that has not been probed. */
const NOT_PROBED: Readonly<Record<string, Cell>> = {
  state: "pending",
  severity: severityOf("pending"),
  state_message: "",
  state_reason: "",
  states: "[]",
  shown_states: "[]",
  addresses_differ: 0,
  certificate_id: null,
  possession: "unproven",
  last_probed: null,
  last_changed: null,
  watch_step: null,
};

/** Stores no server name if it is the host's own name, and sets the time of the next probe. No statement. */
export function prepareEndpoints({ ctx, drafts }: WriteStep): Promise<void> {
  const now = ctx.clock.now();
  for (const draft of drafts) {
    const { before, row } = draft;
    nameOnce(draft);
    if (before === undefined) row.source ??= "manual";
    if (CONSEQUENCES.some((name) => isChanged(draft, name))) row.edited_by = ctx.actor.userId;
    if (before === undefined || ADDRESS.some((name) => isChanged(draft, name))) {
      for (const [name, cell] of Object.entries(NOT_PROBED)) row[name] ??= cell;
    } else if (!EXPECTATION.some((name) => isChanged(draft, name))) continue;
    row.next_probe = isProbed(draft) ? now : null;
    row.lease_owner = null;
  }
  return Promise.resolve();
}

/** Removes a server name that equals the host, also if only the host changes. */
function nameOnce({ input, before }: Draft): void {
  const { host, server_name = null } = { ...before, ...input };
  if (server_name !== null && storedServerName({ host, server_name }) === null) input.server_name = null;
}

/** Returns whether the service itself probes the endpoint: it is enabled, and no agent probes it. */
function isProbed({ input, before, row }: Draft): boolean {
  const enabled = input.enabled ?? (before === undefined ? true : before.enabled === 1);
  return enabled === true && !String(row.source ?? before?.source).startsWith("agent:");
}

function isChanged({ input, before }: Draft, name: string): boolean {
  if (!(name in input)) return false;
  const isReference = name === "expected_certificate" || name === "tenant";
  const stored = before?.[isReference ? `${name}_id` : name] ?? null;
  const given = input[name];
  return (typeof given === "boolean" ? Number(given) : given) !== stored;
}

/** The properties of an endpoint that determine which server name a probe sends. */
interface Named {
  readonly host: unknown;
  readonly server_name: unknown;
}

/**
 * Returns the server name as it is stored: null for the host's own name, which is the default. Otherwise an
 * endpoint could be stored twice.
 */
export function storedServerName({ host, server_name }: Named): string | null {
  return server_name === host || typeof server_name !== "string" ? null : server_name;
}

/** Returns host, port, protocol and server name as a key that is the same for the same endpoint. */
export function addressKey(
  { host, port, protocol, ...named }: Named & { port: unknown; protocol: unknown },
): string {
  return JSON.stringify([host, port, protocol, storedServerName({ host, ...named })]);
}
