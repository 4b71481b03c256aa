/** Compares policy processing with OpenSSL's on random chains. Needs --allow-run=openssl --allow-read --allow-write. */

import assert from "node:assert/strict";
import { TEST_NOW } from "../../support/test_ca/mod.ts";
import { random } from "../fuzzing.ts";
import { type PolicyAsk, policyChain, policyInputs, policyOid, type PolicyPart } from "./policy_cases.ts";
import { validate } from "./support.ts";

const CASES = 300;
const SEED = 9618;
const LETTERS = ["A", "B", "C", "D"] as const;

interface Case {
  readonly parts: readonly PolicyPart[];
  readonly root: PolicyPart;
  readonly ask: PolicyAsk;
}

/** Returns a random case. Rare values are frequent enough that each step of the algorithm decides some cases. */
function randomCase(below: (limit: number) => number): Case {
  const chance = (percent: number): boolean => below(100) < percent;
  const some = <Item>(items: readonly Item[], percent: number): Item[] => items.filter(() => chance(percent));
  const letter = (): string => LETTERS[below(LETTERS.length)]!;
  const part = (): PolicyPart => {
    const policies = [...some(LETTERS, 40), ...some(["*"], 35)];
    return {
      ...(policies.length > 0 && chance(92) ? { policies: policies.join(" ") } : {}),
      ...(chance(30)
        ? { mappings: Array.from({ length: 1 + below(3) }, () => `${letter()}>${letter()}`).join(" ") }
        : {}),
      ...(chance(15) ? { explicit: below(4) } : {}),
      ...(chance(12) ? { inhibitMapping: below(3) } : {}),
      ...(chance(15) ? { inhibitAny: below(3) } : {}),
      ...(chance(15) ? { selfIssued: true } : {}),
    };
  };
  const initial = some(LETTERS, 40).join(" ");
  return {
    parts: Array.from({ length: 1 + below(5) }, part),
    root: chance(30) ? part() : {},
    ask: {
      ...(initial !== "" && chance(50) ? { initial } : {}),
      requireExplicit: chance(60),
      inhibitMapping: chance(15),
      inhibitAny: chance(15),
    },
  };
}

/** Returns OpenSSL's result for a chain. */
async function opensslVerify(folder: string, { chain, ask }: {
  chain: Awaited<ReturnType<typeof policyChain>>;
  ask: PolicyAsk;
}): Promise<{ isValid: boolean; reason: string }> {
  const [root, ...intermediates] = chain.pool;
  await Deno.writeTextFile(`${folder}/root.pem`, root!.pem);
  await Deno.writeTextFile(`${folder}/pool.pem`, intermediates.map(({ pem }) => pem).join(""));
  await Deno.writeTextFile(`${folder}/leaf.pem`, chain.leaf.pem);
  // Without -policy, OpenSSL accepts no policy; anyPolicy is the default of RFC 5280 §6.1.1 (c).
  const policies = (ask.initial ?? "*").split(" ").filter((each) => each !== "").flatMap((each) => [
    "-policy",
    policyOid(each),
  ]);
  const { success, stderr } = await new Deno.Command("openssl", {
    args: [
      "verify",
      "-policy_check",
      ...(ask.requireExplicit ? ["-explicit_policy"] : []),
      ...(ask.inhibitMapping ? ["-inhibit_map"] : []),
      ...(ask.inhibitAny ? ["-inhibit_any"] : []),
      ...policies,
      "-attime",
      String(TEST_NOW / 1000),
      ...["-no-CApath", "-no-CAstore", "-CAfile", `${folder}/root.pem`],
      ...(intermediates.length === 0 ? [] : ["-untrusted", `${folder}/pool.pem`]),
      `${folder}/leaf.pem`,
    ],
    stdout: "null",
    stderr: "piped",
  }).output();
  return { isValid: success, reason: new TextDecoder().decode(stderr).replaceAll("\n", " ") };
}

/** Returns the rule of RFC 5280 that OpenSSL does not follow and that may explain a different result for this case. */
function explanation({ parts }: Case): string | undefined {
  const leaf = parts.at(-1)!;
  if (leaf.mappings !== undefined) {
    return "§6.1.4 prepares for the next certificate, but OpenSSL applies the leaf's mappings too";
  }
  if (leaf.selfIssued) {
    return "§6.1.5 (a) decrements explicit_policy after every leaf, but OpenSSL not after a self-issued one";
  }
  const maps = parts.some(({ policies = "", mappings = "" }) =>
    policies.includes("*") && mappings.split(" ").some((pair) => !policies.includes(pair.charAt(0)))
  );
  return maps
    ? "§6.1.4 (b)(1) needs a node anyPolicy at that depth, but OpenSSL maps where anyPolicy is inhibited or not valid"
    : undefined;
}

Deno.test(`${CASES} random chains with policies are valid where OpenSSL says so, and only there`, async () => {
  const below = random(SEED);
  const folder = await Deno.makeTempDir({ prefix: "certmgr-policies-" });
  const answers = { valid: 0, invalid: 0 };
  const differences: string[] = [];
  const explained = new Map<string, number>();
  try {
    for (let count = 0; count < CASES; count++) {
      const { parts, root, ask } = randomCase(below);
      const chain = await policyChain(parts, root);
      const own = await validate({ ...chain, policy: policyInputs(ask) });
      const theirs = await opensslVerify(folder, { chain, ask });
      answers[theirs.isValid ? "valid" : "invalid"]++;
      if (own.isValid === theirs.isValid) continue;
      const reason = explanation({ parts, root, ask });
      if (reason !== undefined) explained.set(reason, (explained.get(reason) ?? 0) + 1);
      else {
        differences.push(
          `${JSON.stringify({ parts, root, ask })}\n  own: ${own.errors}\n  OpenSSL: ${theirs.reason}`,
        );
      }
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  assert.deepEqual(differences, [], `${differences.length} differences`);
  const total = [...explained.values()].reduce((sum, cases) => sum + cases, 0);
  assert(total < CASES / 10, JSON.stringify([...explained]));
  // Both results must occur often enough for a meaningful comparison.
  assert(Math.min(answers.valid, answers.invalid) > CASES / 5, JSON.stringify(answers));
});
