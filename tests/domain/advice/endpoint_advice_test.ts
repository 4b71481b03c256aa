/** The advice about an endpoint follows from its state, the certificate that it serves, and the rights of the caller. */

import assert from "node:assert/strict";
import { EndpointAdvice, endpointAdvice, type EndpointFacts } from "../../../src/domain/advice/mod.ts";
import { ENDPOINT_STATES } from "../../../src/domain/endpoints/mod.ts";

type Given = Partial<Omit<EndpointFacts, "endpoint">> & {
  readonly reason?: string;
  readonly expected?: EndpointFacts["endpoint"]["expected_certificate"];
};

const brief = { id: 9, url: "https://certmgr.example/9/", display: "successor" };
const ALL = { change: true, renew: true, import: true, addAuthority: true };
const NONE = { change: false, renew: false, import: false, addAuthority: false };
const served = { id: 5, common_name: "www.example", status: "active", replaced_by: null } as const;
const replaced = { ...served, status: "replaced", replaced_by: brief } as unknown as EndpointFacts["served"];

/** State and facts; the code with its severity, operation and object, a minus before what others have to do. */
const TABLE: readonly (readonly [state: EndpointFacts["endpoint"]["state"], given: Given, advice: string])[] =
  [
    ["unreachable", {}, "unreachable critical change 1"],
    ["unreachable", { may: NONE }, "unreachable critical -change 1"],
    ["tls_error", {}, "tls_error critical change 1"],
    ["name_mismatch", {}, "name_mismatch critical change 1"],
    ["not_yet_valid", {}, "not_yet_valid warning"],
    ["untrusted", { reason: "self_signed", isAuthority: true }, "self_signed_authority critical add null"],
    ["untrusted", { reason: "self_signed" }, "untrusted critical renew 5"],
    ["untrusted", { reason: "unknown_root", may: NONE }, "unknown_root critical -renew 5"],
    ["untrusted", { served: replaced }, "untrusted critical view 9"],
    ["incomplete_chain", {}, "incomplete_chain warning serve 5"],
    ["incomplete_chain", { reason: "unknown_issuer" }, "unknown_issuer warning add null"],
    ["wrong_certificate", { served: undefined }, "unknown_certificate critical import null"],
    ["wrong_certificate", { served: undefined, may: NONE }, "unknown_certificate critical -import null"],
    ["wrong_certificate", {}, "unexpected_certificate critical change 1"],
    [
      "wrong_certificate",
      { expected: brief as Given["expected"] & object },
      "wrong_certificate critical serve 9",
    ],
    ["superseded", { served: replaced }, "superseded warning view 9"],
    ["superseded", { served: undefined }, "superseded warning"],
    ["revoked", {}, "revoked critical renew 5"],
    ["revoked", { served: replaced }, "revoked critical view 9"],
    ["expired", {}, "renewal_due critical renew 5"],
    ["expiring", {}, "renewal_due warning renew 5"],
    ["expiring", { served: undefined, may: NONE }, "renewal_due warning -renew null"],
    ["expiring", { served: replaced }, "successor_not_served warning view 9"],
    ["ok", {}, ""],
    ["pending", {}, ""],
  ];

for (const [state, { reason = "", expected = null, ...given }, advice] of TABLE) {
  Deno.test(`An endpoint that is ${state} (${JSON.stringify({ reason, ...given })}) is advised: ${advice}`, () => {
    const found = endpointAdvice({
      endpoint: { id: 1, state, state_reason: reason, expected_certificate: expected, host: "www.example" },
      served,
      isAuthority: false,
      may: ALL,
      ...given,
    });
    const words = found.map(({ code, severity, action }) =>
      [
        code,
        severity,
        ...(action === null ? [] : [`${action.permitted ? "" : "-"}${action.operation} ${action.id}`]),
      ].join(" ")
    );
    assert.equal(words.join(), advice);
    for (const one of found) assert.deepEqual(EndpointAdvice.parse(one), one);
  });
}

Deno.test("the table has every state", () => {
  assert.deepEqual(ENDPOINT_STATES.filter((state) => !TABLE.some(([one]) => one === state)), []);
});
