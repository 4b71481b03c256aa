/** Where a certificate is served, compared with where it should be. */

import { type Context, isGranted } from "../../auth/mod.ts";
import { readRows } from "../../resource/mod.ts";
import { type Endpoint, endpoints, NOTICED_STATES, RIGHT_STATES } from "../endpoints/mod.ts";

/** Number of endpoints of each kind that are read. */
const READ = 500;
/** States that need no attention, or that the expiry or the successor of the certificate explains. */
const QUIET: ReadonlySet<unknown> = new Set(["ok", "pending", "expired", "expiring", "superseded"]);

const FIELDS = ["id", "url", "display", "state", "state_message", "assigned_object"] as const;
export type Serving = Pick<Endpoint, (typeof FIELDS)[number]>;

/** Endpoints that the caller may view. */
export interface ServingEndpoints {
  readonly here: readonly Serving[];
  /** Endpoints that serve a certificate that this one replaces. */
  readonly behind: readonly Serving[];
  /** Endpoints that have a problem and should serve it, but serve another one or none. */
  readonly lacking: readonly Serving[];
}

/** Reads the endpoints of a certificate; undefined if the caller may view none. Three statements. */
export async function loadServed(ctx: Context, id: number): Promise<ServingEndpoints | undefined> {
  if (!isGranted(ctx, "view", endpoints.objectType)) return undefined;
  // With `start`, a list is not counted.
  const read = async (name: string): Promise<readonly Serving[]> =>
    (await readRows(ctx, endpoints, { params: { [name]: id, start: 1, limit: READ }, fields: FIELDS })).rows;
  const [here, behind, expecting] = await Promise.all([
    read("certificate_id"),
    read("certificate__replaced_by_id"),
    read("expected_certificate_id"),
  ]);
  const listed = new Set([...here, ...behind].map((row) => row.id));
  return { here, behind, lacking: expecting.filter((row) => hasProblem(row) && !listed.has(row.id)) };
}

export function isNoticed({ state }: Pick<Endpoint, "state">): boolean {
  return NOTICED_STATES.some((one) => one === state);
}

export function hasProblem({ state }: Pick<Endpoint, "state">): boolean {
  return !QUIET.has(state);
}

/** Returns the endpoints with a problem that is not only the expiry of the certificate. */
export function troubled({ here, lacking }: ServingEndpoints): readonly Serving[] {
  return [...lacking, ...here.filter(hasProblem)];
}

interface Deployment {
  readonly serving: number;
  readonly expected: number;
  /** Endpoints that serve it although it is not for their names. */
  readonly others: readonly Serving[];
  /** Whether endpoints that should serve it do not. */
  readonly isPartial: boolean;
}

export function deploymentOf({ here, behind, lacking }: ServingEndpoints): Deployment {
  const others = here.filter(({ state }) => state === "name_mismatch");
  // An endpoint with another problem does not count as deployed.
  const serving = here.filter(({ state }) => RIGHT_STATES.has(state)).length;
  const missing = behind.length + lacking.length;
  return { serving, expected: here.length - others.length + missing, others, isPartial: missing > 0 };
}
