/** The next step of a signing request follows from its status, its certificates and the rights of the caller. */

import assert from "node:assert/strict";
import { requestAdvice } from "../../../src/domain/advice/mod.ts";
import { testApp } from "../../support/app.ts";

type Request = Parameters<typeof requestAdvice>[1];
const brief = { id: 9, url: "https://certmgr.example/9/", display: "found" } as unknown as NonNullable<
  Request["suggested_certificate"]
>;

const TABLE: readonly (readonly [given: Partial<Request>, advice: string])[] = [
  [{ status: "pending" }, "decide warning change"],
  [{ status: "approved" }, "send info import"],
  [{ status: "pending", suggested_certificate: brief }, "confirm_certificate info change"],
  [{ status: "approved", suggested_certificate: brief }, "confirm_certificate info change"],
  [{ status: "issued" }, "choose_certificate warning change"],
  [{ status: "issued", resulting_certificate: brief }, "issued ok"],
  [{ status: "issued", resulting_certificate: brief, suggested_certificate: brief }, "issued ok"],
  [{ status: "rejected" }, "rejected info change"],
  [{ status: "expired" }, ""],
];

Deno.test("a signing request has one next step, which those may take who have the right", async () => {
  await using app = await testApp();
  for (const [given, expected] of TABLE) {
    const request = {
      id: 1,
      status: "pending" as const,
      suggested_certificate: null,
      resulting_certificate: null,
      ...given,
    };
    const found = requestAdvice(app.ctx, request, true);
    assert.equal(
      found === undefined
        ? ""
        : [found.code, found.severity, ...(found.action === null ? [] : [found.action.operation])].join(" "),
      expected,
    );
    assert.equal(
      requestAdvice(app.ctx, request, false)?.action?.permitted ?? false,
      given.status === "approved" && given.suggested_certificate === undefined,
    );
  }
});
