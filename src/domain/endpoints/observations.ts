/**
 * Observations: what an address presented, and from when to when. Read-only; only probes and agents write
 * them.
 */

import { z } from "zod";
import { observations as table } from "../../db/schema/mod.ts";
import {
  boolean,
  choice,
  datetime,
  defineResource,
  integer,
  json,
  type Out,
  reference,
  type Resource,
  shownColumn,
  text,
} from "../../resource/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { endpoints } from "./resource.ts";
import { maskedState } from "./shown_states.ts";
import { FOUND_STATES, POSSESSIONS } from "./states.ts";

const PRESENTED_FIELDS = [
  text("address", { description: "IP address; empty if the name could not be resolved.", readOnly: true }),
  reference("certificate", {
    description: "The first certificate presented; null if the inventory does not have it.",
    target: (): Resource => certificates,
    keys: [],
    readOnly: true,
    onDelete: "detach",
  }),
  json("presented", {
    description:
      "SHA-256 fingerprints of the certificates in the order presented, 64 lower-case digits each.",
    schema: z.array(z.string()),
    readOnly: true,
  }),
  text("common_name", { description: "Name in the first certificate.", readOnly: true }),
  datetime("valid_to", { description: "Expiry of the first certificate.", readOnly: true, nullable: true }),
];

const CONNECTION_FIELDS = [
  text("tls_version", {
    description: "`TLS 1.3`, `TLS 1.2`, …; empty without a handshake.",
    readOnly: true,
  }),
  text("cipher", { description: "Cipher suite, by its IANA name.", readOnly: true }),
  text("alpn", { description: "Application protocol that was negotiated (ALPN).", readOnly: true }),
  boolean("ocsp_stapled", {
    description: "Whether the server stapled an OCSP response.",
    readOnly: true,
    fallback: false,
  }),
  integer("latency_ms", {
    description: "Milliseconds from the start of the connection to the certificate.",
    readOnly: true,
    nullable: true,
  }),
];

/**
 * `certmgr.observation`: one row for each change, not for each probe. Users who may view an endpoint may also
 * view its observations. Observations are not changes of objects, so they have no change records.
 */
export const observations = defineResource({
  objectType: "certmgr.observation",
  path: "plugins/certmgr/observations",
  label: "observation",
  table,
  fields: [
    {
      ...reference("endpoint", {
        description: "The endpoint.",
        target: (): Resource => endpoints,
        keys: [],
        nullable: false,
        readOnly: true,
        onDelete: "drop",
      }),
    },
    ...PRESENTED_FIELDS,
    ...CONNECTION_FIELDS,
    maskedState(choice("state", {
      description:
        "The worst state that applies, without what follows from certificates that the caller may not view.",
      choices: FOUND_STATES,
      readOnly: true,
    })),
    maskedState(text("state_message", { description: "The state in a sentence.", readOnly: true })),
    datetime("first_seen", { description: "Time of the first probe that found it.", readOnly: true }),
    datetime("last_seen", { description: "Time of the last probe that found it.", readOnly: true }),
    integer("probes", { description: "Number of probes that found it.", readOnly: true }),
    text("source", { description: "Who observed it: `probe` or `agent:<name>`.", readOnly: true }),
    choice("possession", {
      description:
        "`proven`: the signature of the handshake shows that the server has the key of the first certificate.",
      choices: POSSESSIONS,
      readOnly: true,
    }),
    maskedState(json("findings", {
      description:
        "Codes of what was found: `identity_conflict` if another certificate of the inventory has the same serial number and issuer.",
      schema: z.array(z.enum(["identity_conflict"])),
      readOnly: true,
    })),
  ],
  brief: ["address", "state", "first_seen", "last_seen"],
  displayNeeds: ["address", "state"],
  display: (row) => `${row.address === "" ? "no address" : row.address}: ${row[shownColumn("state")]}`,
  search: { fields: ["address", "common_name"] },
  methods: { collection: ["GET"], item: ["GET"] },
  order: [{ field: "id", descending: true }],
  within: "endpoint",
  untracked: true,
});

export type Observation = Out<typeof observations>;
