/** Reports about endpoints, by the service's own probes or by agents. */

import type { Millis } from "../../../base/clock.ts";
import type { ProbeAnswer } from "../../../probe/mod.ts";
import type { Certificate } from "../../../x509/mod.ts";
import type { StateFinding } from "./evaluate.ts";

/** The result of a probe of an endpoint, or an agent's report about it. */
export interface ProbeReport {
  readonly endpointId: number;
  /** `probe` or `agent:<name>`. */
  readonly source: string;
  readonly at: Millis;
  /** Set if nothing was reported, so that the time of the last probe stays the same. */
  readonly silent?: true;
  readonly answers: readonly ProbeAnswer[];
}

/** The result of a probe, with its first certificate parsed and its chain checked. */
export interface ReadAnswer {
  readonly address: string;
  readonly answer: ProbeAnswer;
  /** Fingerprints in the order presented. */
  readonly presented: readonly string[];
  /** The first certificate; undefined if there is none, or it cannot be read. */
  readonly leaf: Certificate | undefined;
  /** The DER of the others, without those that cannot be read. What is read of them takes up to ten times as much. */
  readonly chain: readonly Uint8Array[];
  /** All findings that do not depend on the inventory. */
  readonly findings: readonly StateFinding[];
}

/** The stored columns of an endpoint that the evaluation needs. */
export interface StoredEndpoint {
  readonly id: number;
  readonly host: string;
  readonly port: number;
  readonly protocol: string;
  readonly server_name: string | null;
  readonly tenant_id: number | null;
  readonly expected_certificate_id: number | null;
  readonly assigned_object_type: string | null;
  readonly assigned_object_id: number | null;
  readonly interval_minutes: number;
  readonly enabled: number;
  readonly source: string;
  readonly certificate_id: number | null;
  readonly state: string;
  /** The id of the last editor; null for the service. */
  readonly edited_by: number | null;
  readonly last_probed: Millis | null;
  readonly watch_step: number | null;
}
