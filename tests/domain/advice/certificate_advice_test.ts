/** The advice about a certificate is a function of the facts: a table of facts and of the codes that follow, in their order. */

import assert from "node:assert/strict";
import { addDays, formatDatetime } from "../../../src/base/clock.ts";
import {
  CertificateAdvice,
  certificateAdvice,
  type CertificateFacts,
} from "../../../src/domain/advice/mod.ts";
import { TEST_NOW } from "../../support/test_ca/mod.ts";

type Row = CertificateFacts["certificate"];
type Served = NonNullable<CertificateFacts["served"]>;
type Chain = NonNullable<CertificateFacts["chain"]>;
type Given = Partial<Omit<CertificateFacts, "certificate" | "served" | "chain">> & {
  readonly row?: Partial<Row>;
  readonly served?: Partial<Served> | undefined;
  readonly chain?: Partial<Chain> | undefined;
};

const day = (days: number): string => formatDatetime(addDays(TEST_NOW, days));
const brief = { id: 9, url: "https://certmgr.example/9/", display: "successor" };
const ALL = { renew: true, change: true, assign: true, assignContact: true, addAuthority: true, check: true };
const NONE = {
  renew: false,
  change: false,
  assign: false,
  assignContact: false,
  addAuthority: false,
  check: false,
};

/** A certificate about which there is nothing to say but its expiry. */
function factsOf({ row = {}, served = {}, chain = {}, ...rest }: Given = {}): CertificateFacts {
  const certificate = {
    id: 1,
    common_name: "www.example",
    status: "active",
    kind: "server",
    valid_from: day(-65),
    valid_to: day(300),
    days_remaining: 300,
    is_expired: false,
    expiry_status: "ok",
    chain_status: "valid",
    replaced_by: null,
    owner: { contact: brief, role: null, via: "certificate" },
    automation: "unknown",
    issuer: "CN=CA",
    renewal_window_start: null,
    renewal_window_end: null,
    ...row,
  } as unknown as Row;
  const valid = {
    status: "valid",
    complete: true,
    anchor: "tracked_ca",
    certificates: [{ common_name: "www.example", valid_to: day(300) }, {
      common_name: "CA",
      valid_to: day(-18),
    }],
    failures: [],
    ...chain,
  } as unknown as Chain;
  return {
    certificate,
    assignments: [assignment("web-1")],
    checks: [check("pass")],
    unchecked: [],
    chain: valid,
    predecessors: [],
    served: { here: [], behind: [], lacking: [], ...served },
    request: undefined,
    renewable: undefined,
    revokedAt: undefined,
    incidents: [],
    revokedTogether: 0,
    may: ALL,
    now: TEST_NOW,
    ...rest,
  };
}

function assignment(display: string): NonNullable<CertificateFacts["assignments"]>[number] {
  return { id: 1, assigned_object: { ...brief, display } } as NonNullable<
    CertificateFacts["assignments"]
  >[number];
}

function check(result: "pass" | "fail", value = "1024"): NonNullable<CertificateFacts["checks"]>[number] {
  return { id: 1, result, checked_value: value } as NonNullable<CertificateFacts["checks"]>[number];
}

function at(state: string, id = 1): Served["here"][number] {
  return { ...brief, id, display: `host-${id}:443`, state, state_message: state } as Served["here"][number];
}

const failing = (code: string, position: number): Partial<Chain> => ({
  status: code === "bad_signature" ? "invalid_signature" : code as Chain["status"],
  failures: [{ code, position, sentence: `${code}.`, citation: "RFC 5280" }] as unknown as Chain["failures"],
});
const PENDING = { status: "pending", valid_from: day(4), chain_status: "not_yet_valid" } as const;
const EXPIRED = {
  status: "expired",
  is_expired: true,
  expiry_status: "expired",
  days_remaining: -3,
} as const;
const WINDOW = { renewal_window_start: day(-9), renewal_window_end: day(-1) } as const;
const SOON = { expiry_status: "warning", days_remaining: 20 } as const;
const NEAR = { expiry_status: "critical", days_remaining: 3 } as const;
const renewable = { id: 5, valid_to: TEST_NOW, permitted: true } as CertificateFacts["renewable"] & object;
const request = { id: 7, created: day(-2) };
const demand = {
  id: 3,
  name: "Recall",
  kind: "other" as const,
  deadline: TEST_NOW + 1,
  state: "open",
} as const;

/** Facts, and codes with severity and operation; a minus before an operation: others have to do it. */
const TABLE: readonly (readonly [facts: string, given: Given, advice: readonly string[]])[] = [
  ["nothing is wrong", {}, ["expires ok renew"]],
  ["it may not be renewed", { may: NONE }, ["expires ok -renew"]],
  ["it is renewed automatically", { row: { automation: "acme" } }, [
    "expires ok",
    "renews_automatically ok",
  ]],
  ["it expires soon", { row: SOON }, ["expires_soon warning renew"]],
  ["its renewal window is open", { row: { ...WINDOW, renewal_window_end: day(1) } }, ["expires ok renew"]],
  ["its renewal window has passed", { row: WINDOW }, [
    "renewal_window_passed warning renew",
    "expires ok renew",
  ]],
  ["its renewal window has passed and it has a successor", { row: { ...WINDOW, replaced_by: brief } }, [
    "expires ok",
  ]],
  ["its authority revoked two others", { revokedTogether: 2 }, ["expires ok renew"]],
  ["its authority revoked three others", { revokedTogether: 3 }, [
    "issuer_revokes warning add",
    "expires ok renew",
  ]],
  ["an incident demands its replacement", { incidents: [demand] }, [
    "in_incident warning renew",
    "expires ok renew",
  ]],
  ["the deadline of an incident has passed", {
    incidents: [{ ...demand, deadline: TEST_NOW - 1 }],
    may: NONE,
  }, [
    "in_incident critical -renew",
    "expires ok -renew",
  ]],
  ["it is excluded from an incident", { incidents: [{ ...demand, state: "excluded" }] }, [
    "expires ok renew",
  ]],
  ["it was revoked with others", { row: { status: "revoked" }, revokedTogether: 3, assignments: [] }, [
    "revoked info",
    "issuer_revokes warning add",
  ]],
  ["it expires soon and is renewed automatically", { row: { ...SOON, automation: "acme" } }, [
    "expires_soon warning",
    "renews_automatically ok",
  ]],
  ["its automatic renewal is late", { row: { ...NEAR, automation: "acme" } }, [
    "expires_soon critical renew",
  ]],
  ["a request is open", { row: NEAR, request }, ["renewal_requested info view", "expires_soon critical"]],
  ["it has expired", { row: EXPIRED }, ["expired critical renew"]],
  ["it has expired and has a successor", { row: { ...EXPIRED, replaced_by: brief } }, ["expired critical"]],
  ["it has a successor, and nothing else is asked", {
    row: { replaced_by: brief, owner: null },
    assignments: [],
  }, [
    "expires ok",
  ]],
  ["it is not valid yet", {
    row: PENDING,
    chain: failing("not_yet_valid", 1),
    checks: [check("fail", "not_yet_valid")],
  }, [
    "not_yet_valid info",
  ]],
  ["it is not valid yet and served", { row: PENDING, served: { here: [at("not_yet_valid")] } }, [
    "not_yet_valid warning",
    "endpoint_problems warning view",
  ]],
  ["it is not valid yet and renews another", { row: PENDING, renewable }, [
    "not_yet_valid info",
    "renews_another info renew",
  ]],
  ["it renews one that the caller may not renew", { renewable: { ...renewable, permitted: false } }, [
    "expires ok renew",
  ]],
  ["clients reject its chain", { chain: failing("expired", 2) }, [
    "chain_rejected critical renew",
    "expires ok renew",
  ]],
  ["its signature is wrong", { chain: failing("bad_signature", 1) }, [
    "chain_rejected critical renew",
    "expires ok renew",
  ]],
  ["its chain was never validated", { row: { chain_status: null }, chain: failing("expired", 2) }, [
    "chain_not_validated info validate_chain",
    "expires info renew",
  ]],
  ["issuers are missing", { row: { chain_status: "no_chain" }, chain: failing("no_chain", 1) }, [
    "chain_fault warning change",
    "expires ok renew",
  ]],
  ["issuers are missing, and it may not be changed", { may: NONE, chain: failing("incomplete", 1) }, [
    "chain_fault warning",
    "expires ok -renew",
  ]],
  ["the root is missing", { chain: { complete: false } }, ["chain_fault warning", "expires ok renew"]],
  ["it is self-signed", { chain: { status: "self_signed" } }, ["chain_fault warning", "expires ok renew"]],
  ["it is a root", { row: { kind: "ca" }, chain: { status: "self_signed", anchor: "bundle" } }, [
    "untracked_authority info add",
    "expires ok",
  ]],
  ["it has no PEM", { chain: undefined }, ["expires ok renew"]],
  ["policies fail", { checks: [check("fail"), check("pass")] }, [
    "checks_failed warning view",
    "expires ok renew",
  ]],
  ["policies were not run", {
    checks: [],
    unchecked: [{ policy: brief, reason: "", applies: true }],
  }, ["not_checked info check", "expires ok renew"]],
  ["it has neither owner nor object", { row: { owner: null }, assignments: [] }, [
    "no_owner info add",
    "not_assigned info add",
    "expires ok renew",
  ]],
  ["assignments are hidden", { assignments: undefined }, ["expires ok renew"]],
  ["it is not deployed for less than 14 days", {
    row: { valid_from: day(-13) },
    predecessors: [{ ...brief, common_name: "" }],
  }, [
    "not_deployed info serve",
    "expires ok renew",
  ]],
  ["it is not deployed for 14 days", {
    row: { valid_from: day(-14) },
    predecessors: [{ ...brief, common_name: "" }],
  }, [
    "expires ok renew",
  ]],
  ["an endpoint still serves its predecessor", {
    predecessors: [{ ...brief, common_name: "" }],
    served: { here: [at("ok")], behind: [at("superseded", 2)] },
  }, ["partly_deployed warning serve", "expires ok renew"]],
  ["an endpoint does not serve it", { served: { lacking: [at("unreachable")] } }, [
    "partly_deployed critical",
    "endpoint_problems critical view",
    "expires ok renew",
  ]],
  ["an endpoint is untrusted, another has the wrong name", {
    row: NEAR,
    served: { here: [at("untrusted"), at("name_mismatch", 2)] },
  }, ["untrusted critical renew", "endpoint_problems critical view", "expires_soon critical renew"]],
  ["endpoints only say that it expires", { row: SOON, served: { here: [at("expiring")] } }, [
    "expires_soon warning renew",
  ]],
  ["it is revoked", { row: { status: "revoked" }, assignments: [] }, ["revoked info"]],
  ["it is revoked and assigned", { row: { status: "revoked" } }, ["revoked_in_use critical renew"]],
  ["it is revoked and served, but others renew it", {
    row: { status: "revoked" },
    served: { here: [at("ok")] },
    may: NONE,
  }, ["revoked_in_use critical -renew"]],
  ["it is replaced", { row: { status: "replaced", replaced_by: brief } }, ["replaced info"]],
  ["it is replaced and served", {
    row: { status: "replaced", replaced_by: brief },
    served: { here: [at("superseded")] },
  }, [
    "replaced_in_use warning serve",
  ]],
  ["it is revoked, replaced and served", {
    row: { status: "revoked", replaced_by: brief },
    served: { here: [at("superseded"), at("superseded", 2)] },
  }, ["replaced_in_use critical serve"]],
];

for (const [facts, given, expected] of TABLE) {
  Deno.test(`Advice if ${facts}: ${expected.join(", ")}`, () => {
    const chain = "chain" in given && given.chain === undefined ? { chain: undefined } : {};
    const advice = certificateAdvice({ ...factsOf(given), ...chain });
    const found = advice.map(({ code, severity, action }) =>
      [code, severity, ...(action === null ? [] : [`${action.permitted ? "" : "-"}${action.operation}`])]
        .join(" ")
    );
    assert.deepEqual(found, expected);
    for (const one of advice) assert.deepEqual(CertificateAdvice.parse(one), one);
  });
}

Deno.test("The advice names the certificate of a chain that is at fault, and the only endpoint and object", () => {
  const [rejected] = certificateAdvice(factsOf({ chain: failing("expired", 2) }));
  assert.deepEqual(rejected?.params, { certificate: "CA", fault: "expired", message: "expired.", days: -18 });
  const [problem] = certificateAdvice(factsOf({ served: { here: [at("name_mismatch", 4)] } }));
  assert.deepEqual([problem?.params, problem?.action?.id], [{ endpoints: 1, endpoint: "host-4:443" }, 4]);
  const predecessors = [{ ...brief, common_name: "" }];
  const [waiting] = certificateAdvice(factsOf({ row: { valid_from: day(0) }, predecessors }));
  assert.deepEqual(waiting?.params, { objects: 1, object: "web-1" });
});
