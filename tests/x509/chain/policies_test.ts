import assert from "node:assert/strict";
import { assertResult, codes, pure, validate } from "./support.ts";
import { type PolicyAsk, policyChain, policyInputs, policyLetter, type PolicyPart } from "./policy_cases.ts";
import { cpuMillis } from "../../support/cpu_time.ts";

/** Parts from below the root to the leaf; expected: `authority | user` as letters, or the citation of the failure. */
type Row = readonly [title: string, parts: readonly PolicyPart[], ask: PolicyAsk, expected: string];

const EXPLICIT: PolicyAsk = { requireExplicit: true };
const A: PolicyPart = { policies: "A" };
const NONE: PolicyPart = {};

/** By the numbered steps of RFC 5280 §6.1.2 to §6.1.6 as changed by RFC 9618. */
const CASES: Readonly<Record<string, readonly Row[]>> = {
  "6.1.2": [
    [
      "(a) the graph begins with anyPolicy, so that the first certificate may assert any policy",
      [A],
      {},
      "A | A",
    ],
    ["(d) explicit_policy is 0 with initial-explicit-policy", [NONE], EXPLICIT, "6.1.3 (f)"],
    ["(d) explicit_policy is n+1 without it, so that no policy is needed", [NONE, NONE], {}, " | "],
    ["(e) inhibit_anyPolicy is 0 with initial-any-policy-inhibit", [A, { policies: "*" }], {
      ...EXPLICIT,
      inhibitAny: true,
    }, "6.1.3 (f)"],
    ["(e) inhibit_anyPolicy is n+1 without it", [A, { policies: "*" }], EXPLICIT, "A | A"],
    [
      "(f) policy_mapping is 0 with initial-policy-mapping-inhibit",
      [{ policies: "A", mappings: "A>B" }, { policies: "B" }],
      { ...EXPLICIT, inhibitMapping: true },
      "6.1.3 (f)",
    ],
    [
      "(f) policy_mapping is n+1 without it",
      [{ policies: "A", mappings: "A>B" }, { policies: "B" }],
      EXPLICIT,
      "A | A",
    ],
  ],
  "6.1.3": [
    ["(d)(1)(i) an expected policy continues", [{ policies: "A B" }, A], EXPLICIT, "A | A"],
    [
      "(d)(1)(i) a policy that is not expected does not continue",
      [A, { policies: "B" }],
      EXPLICIT,
      "6.1.3 (f)",
    ],
    [
      "(d)(1)(i) one policy may have several parents",
      [{ policies: "A B", mappings: "A>C B>C" }, { policies: "C" }],
      EXPLICIT,
      "A B | A B",
    ],
    ["(d)(1)(ii) anyPolicy above permits a new policy", [{ policies: "*" }, A], EXPLICIT, "A | A"],
    [
      "(d)(1)(ii) anyPolicy above does not permit a new policy when an expected one matches",
      [{ policies: "* A", mappings: "A>B" }, { policies: "B" }],
      EXPLICIT,
      "A | A",
    ],
    [
      "(d)(2)(a) anyPolicy continues every expected policy",
      [{ policies: "A B" }, { policies: "*" }],
      EXPLICIT,
      "A B | A B",
    ],
    [
      "(d)(2)(a) anyPolicy does not continue policies that the certificate names",
      [{ policies: "A B" }, { policies: "* A" }],
      EXPLICIT,
      "A B | A B",
    ],
    [
      "(d)(2)(a) anyPolicy all the way is anyPolicy",
      [{ policies: "*" }, { policies: "*" }],
      EXPLICIT,
      "* | *",
    ],
    [
      "(d)(2)(b) a self-issued intermediate may use an inhibited anyPolicy",
      [{ policies: "A", inhibitAny: 0 }, { policies: "*", selfIssued: true }, A],
      EXPLICIT,
      "A | A",
    ],
    [
      "(d)(2)(b) a self-issued leaf may not use an inhibited anyPolicy",
      [{ policies: "A", inhibitAny: 0 }, { policies: "*", selfIssued: true }],
      EXPLICIT,
      "6.1.3 (f)",
    ],
    [
      "(d)(3) a policy that is not continued to the leaf is not valid",
      [{ policies: "A B" }, { policies: "A B" }, A],
      {},
      "A | A",
    ],
    ["(d)(3) when all are dropped the graph is NULL", [A, { policies: "B" }, A], {}, " | "],
    ["(e) a certificate without policies sets the graph to NULL", [A, NONE, A], {}, " | "],
    ["(e) a NULL graph fails where a policy is required", [A, NONE, A], EXPLICIT, "6.1.3 (f)"],
    [
      "(f) the graph is NULL but no policy is required yet",
      [{ policies: "A", explicit: 2 }, NONE, NONE],
      {},
      "6.1.5 (g)",
    ],
  ],
  "6.1.4": [
    ["(a) a mapping from anyPolicy fails", [{ policies: "A *", mappings: "*>A" }, A], {}, "6.1.4 (a)"],
    ["(a) a mapping to anyPolicy fails", [{ policies: "A", mappings: "A>*" }, A], {}, "6.1.4 (a)"],
    ["(a) the leaf's mappings do not take part", [A, { policies: "A", mappings: "A>*" }], {}, "A | A"],
    [
      "(b)(1) a mapped policy expects the subject's policies",
      [{ policies: "A", mappings: "A>B A>C" }, { policies: "B C" }],
      EXPLICIT,
      "A | A",
    ],
    [
      "(b)(1) a mapped policy no longer expects itself",
      [{ policies: "A", mappings: "A>B" }, A],
      EXPLICIT,
      "6.1.3 (f)",
    ],
    [
      "(b)(1) anyPolicy stands in for a mapped policy that is not named",
      [{ policies: "*", mappings: "A>B" }, { policies: "B" }],
      EXPLICIT,
      "A | A",
    ],
    [
      "(b)(1) a mapping of a policy that is not valid changes nothing",
      [{ policies: "C", mappings: "A>B" }, { policies: "B" }],
      EXPLICIT,
      "6.1.3 (f)",
    ],
    [
      "(b)(1) mappings are followed through several certificates",
      [{ policies: "A", mappings: "A>B" }, { policies: "B", mappings: "B>C" }, { policies: "C" }],
      { ...EXPLICIT, initial: "A" },
      "A | A",
    ],
    [
      "(b)(2) inhibited mapping deletes the policy",
      [{ policies: "A C", mappings: "A>B", inhibitMapping: 5 }, { policies: "C", inhibitMapping: 0 }, {
        policies: "C",
        mappings: "C>D",
      }, { policies: "C D" }],
      EXPLICIT,
      "6.1.3 (f)",
    ],
    [
      "(b)(2) inhibited mapping keeps the other policies",
      [{ policies: "A B", inhibitMapping: 0 }, { policies: "A B", mappings: "A>C" }, { policies: "B C" }],
      EXPLICIT,
      "B | B",
    ],
    [
      "(h) explicit_policy is decremented until a policy is required",
      [{ policies: "A", explicit: 1 }, NONE, NONE],
      {},
      "6.1.3 (f)",
    ],
    [
      "(h) a self-issued certificate does not count",
      [{ policies: "A", explicit: 2 }, { selfIssued: true }, NONE, NONE],
      {},
      "6.1.5 (g)",
    ],
    [
      "(h) inhibit_anyPolicy is decremented",
      [{ policies: "A", inhibitAny: 1 }, A, { policies: "*" }],
      EXPLICIT,
      "6.1.3 (f)",
    ],
    [
      "(h) inhibit_anyPolicy permits as many certificates as its value",
      [{ policies: "A", inhibitAny: 1 }, { policies: "*" }, A],
      EXPLICIT,
      "A | A",
    ],
    [
      "(h) policy_mapping is decremented",
      [{ policies: "A", inhibitMapping: 1 }, A, { policies: "A", mappings: "A>B" }, { policies: "B" }],
      EXPLICIT,
      "6.1.3 (f)",
    ],
    [
      "(h) policy_mapping permits as many certificates as its value",
      [{ policies: "A", inhibitMapping: 1 }, { policies: "A", mappings: "A>B" }, { policies: "B" }],
      EXPLICIT,
      "A | A",
    ],
    ["(i)(1) requireExplicitPolicy lowers explicit_policy", [{ explicit: 0 }, NONE], {}, "6.1.3 (f)"],
    [
      "(i)(1) requireExplicitPolicy never raises explicit_policy",
      [{ policies: "A", explicit: 0 }, { policies: "A", explicit: 9 }, NONE],
      {},
      "6.1.3 (f)",
    ],
    [
      "(i)(2) inhibitPolicyMapping never raises policy_mapping",
      [{ policies: "A", inhibitMapping: 0 }, { policies: "A", inhibitMapping: 9 }, {
        policies: "A",
        mappings: "A>B",
      }, { policies: "B" }],
      EXPLICIT,
      "6.1.3 (f)",
    ],
    [
      "(j) inhibitAnyPolicy lowers inhibit_anyPolicy",
      [{ policies: "A", inhibitAny: 0 }, { policies: "*" }],
      EXPLICIT,
      "6.1.3 (f)",
    ],
    [
      "(j) inhibitAnyPolicy never raises inhibit_anyPolicy",
      [{ policies: "A", inhibitAny: 0 }, { policies: "A", inhibitAny: 9 }, { policies: "*" }],
      EXPLICIT,
      "6.1.3 (f)",
    ],
  ],
  "6.1.5": [
    ["(a) explicit_policy is decremented once more after the leaf", [{ explicit: 1 }, NONE], {}, "6.1.5 (g)"],
    ["(a) explicit_policy 2 does not reach 0 after the leaf", [{ explicit: 2 }, NONE], {}, " | "],
    ["(b) the leaf requires a policy by requireExplicitPolicy 0", [NONE, { explicit: 0 }], {}, "6.1.5 (g)"],
    ["(b) the leaf requires no policy by a larger number", [NONE, { explicit: 1 }], {}, " | "],
    ["(g) an acceptable policy is enough", [{ policies: "A B" }, { policies: "A B" }], {
      ...EXPLICIT,
      initial: "B C",
    }, "A B | B"],
    ["(g) without an acceptable policy the path fails where one is required", [A, A], {
      ...EXPLICIT,
      initial: "B",
    }, "6.1.5 (g)"],
    ["(g) without an acceptable policy the path is valid for none where none is required", [A, A], {
      initial: "B",
    }, "A | "],
    ["(g) anyPolicy at the leaf covers the acceptable policies", [{ policies: "*" }, { policies: "*" }], {
      ...EXPLICIT,
      initial: "A B",
    }, "* | A B"],
    [
      "(g) acceptable policies are those of the anchor's domain",
      [{ policies: "A", mappings: "A>B" }, { policies: "B" }],
      { ...EXPLICIT, initial: "B" },
      "6.1.5 (g)",
    ],
    [
      "(g) a policy below anyPolicy is in the anchor's domain",
      [{ policies: "*" }, { policies: "A", mappings: "A>B" }, { policies: "B" }],
      { ...EXPLICIT, initial: "A" },
      "A | A",
    ],
    ["(g) anyPolicy among the acceptable ones accepts all", [A, A], { ...EXPLICIT, initial: "B *" }, "A | A"],
  ],
  "6.1.6": [
    [
      "both sets are returned, sorted",
      [{ policies: "C A B" }, { policies: "B A" }],
      { initial: "B Z" },
      "A B | B",
    ],
    ["both sets are empty where policies are not used", [NONE, NONE], {}, " | "],
  ],
};

for (const [section, rows] of Object.entries(CASES)) {
  for (const [title, parts, ask, expected] of rows) {
    pure(`RFC 5280 §${section} ${title}`, async () => {
      const result = await validate({ ...await policyChain(parts), policy: policyInputs(ask) });
      const { policies: { authority, user }, errors } = result;
      const sets = `${authority.map(policyLetter).join(" ")} | ${user.map(policyLetter).join(" ")}`;
      const citation = /\(RFC 5280 §([^)]*\)?)/.exec(errors[0] ?? "")?.[1];
      assert.equal(citation ?? sets, expected, errors.join());
      if (citation === undefined) assertResult(result, "valid");
      else {
        assertResult(result, "invalid_signature", ["policy_violation"]);
        assert.deepEqual([authority, user], [[], []]);
      }
    });
  }
}

pure("The extensions of a trust anchor do not take part", async () => {
  const chain = await policyChain([A, A], { policies: "B", explicit: 0, inhibitAny: 0, mappings: "A>B" });
  assertResult(await validate(chain), "valid");
});

pure("A self-signed certificate is its own anchor and valid for any policy", async () => {
  const { pool: [root] } = await policyChain([A], { explicit: 0 });
  const result = await validate({ leaf: root!, policy: policyInputs({ ...EXPLICIT, initial: "A" }) });
  assertResult(result, "self_signed");
  assert.deepEqual(result.policies.user.map(policyLetter), ["A"]);
});

pure("A path whose root is missing is checked as far as it goes", async () => {
  const { leaf, pool } = await policyChain([{ policies: "A", explicit: 0 }, NONE]);
  assertResult(await validate({ leaf, pool: pool.slice(1) }), "invalid_signature", ["policy_violation"]);
  const sound = await policyChain([{ policies: "A", explicit: 0 }, A]);
  const result = await validate({ leaf: sound.leaf, pool: sound.pool.slice(1) });
  assertResult(result, "valid");
  assert.deepEqual(result.policies.user.map(policyLetter), ["A"]);
});

pure(
  "The graph grows linearly: certificates that map each policy to all others are validated within the budget",
  async () => {
    const letters = Array.from({ length: 12 }, (_, index) => String.fromCharCode(65 + index));
    const mappings = letters.flatMap((from) => letters.map((to) => `${from}>${to}`)).join(" ");
    const part = { policies: letters.join(" "), mappings };
    const chain = await policyChain([...Array<PolicyPart>(9).fill(part), { policies: "A" }]);
    const start = cpuMillis();
    const result = await validate({ ...chain, policy: policyInputs(EXPLICIT) });
    assertResult(result, "valid");
    assert.equal(result.policies.authority.length, 12);
    assert(cpuMillis() - start < 2_000);
  },
);

pure("Running out of policy steps is a result with limit, whichever path is searched", async () => {
  const chain = await policyChain([{ policies: "A B C" }, A]);
  const result = await validate({ ...chain, limits: { policySteps: 11 } });
  assert.equal(result.isValid, false);
  assert.ok(codes(result.errors).includes("limit"), result.errors.join());
  assertResult(await validate({ ...chain, limits: { policySteps: 12 } }), "valid");
});
