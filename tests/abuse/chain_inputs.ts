/** Chains that are slow to validate. */

import { craftedCertificates, type SlowCertificate, slowCertificates } from "./certificates.ts";
import { atOnce, EXTRA_WAIT_MS, type Input, inTurn, statusOf } from "./input.ts";
import type { Target } from "./target.ts";

const CERTIFICATES = "plugins/certmgr/certificates/";

function slowAlgorithms(): Input {
  let ids: readonly number[] = [];
  return {
    name: "POST bulk-validate-chain/: 98 certificates with keys of Ed448, DSA and P-224",
    extraWaitMs: EXTRA_WAIT_MS,
    prepare: async (target) => ids = await stored(target, await slowCertificates(98)),
    send: async ({ target, signal }) => [
      await statusOf(
        target.ask(`${CERTIFICATES}bulk-validate-chain/`, {
          body: { ids },
          signal,
        }),
      ),
    ],
  };
}

function crafted({ together }: { together: boolean }): Input {
  let ids: readonly number[] = [];
  return {
    name: `POST validate-chain/: crafted chains of 100 certificates, ${together ? "all at once" : "in turn"}`,
    ...(together ? {} : { extraWaitMs: EXTRA_WAIT_MS }),
    prepare: async (target) => ids = await stored(target, await craftedCertificates()),
    send: ({ target, signal }) => {
      const work = (index: number): Promise<number> =>
        statusOf(
          target.ask(`${CERTIFICATES}${ids[index]}/validate-chain/`, {
            body: {},
            signal,
          }),
        );
      return together ? atOnce(ids.length, work) : inTurn(ids.length, { signal, work });
    },
  };
}

/** Stores certificates, and returns their ids. */
async function stored(
  target: Target,
  certificates: readonly SlowCertificate[],
): Promise<number[]> {
  const ids: number[] = [];
  for (const { pem, chain } of certificates) {
    const body = { pem_content: pem, issuer_chain: chain };
    const { status, text } = await target.ask(CERTIFICATES, { body });
    if (status !== 201) {
      throw new Error(`A certificate is answered ${status}: ${text}`);
    }
    ids.push(JSON.parse(text).id);
  }
  return ids;
}

/** Returns the inputs. */
export function chainInputs(): readonly Input[] {
  return [
    slowAlgorithms(),
    crafted({ together: false }),
    crafted({ together: true }),
  ];
}
