/** Inputs with many new objects, whose names have to be compared with those of all others. */

import { usualCertificates } from "./certificates.ts";
import { type Input, inTurn, statusOf } from "./input.ts";

/** Returns the inputs. */
export function inventoryInputs(): Input[] {
  return [newTags(), newDevices(), agentReports()];
}

function newTags(): Input {
  let next = 0;
  return {
    name: "POST extras/tags/: 1,000 new tags",
    send: async ({ target, signal }) => {
      const first = next;
      next += 1_000;
      const body = Array.from({ length: 1_000 }, (_, index) => ({
        name: `t new ${first + index}`,
        slug: `t-new-${first + index}`,
      }));
      return [await statusOf(target.ask("extras/tags/", { body, signal }))];
    },
  };
}

function newDevices(): Input {
  let next = 0;
  return {
    name: "POST dcim/devices/: 1,000 new devices without tenant, five times",
    send: ({ target, signal }) =>
      inTurn(5, {
        signal,
        work: () => {
          const first = next;
          next += 1_000;
          const body = Array.from(
            { length: 1_000 },
            (_, index) => ({ name: `new ${first + index}` }),
          );
          return statusOf(target.ask("dcim/devices/", { body, signal }));
        },
      }),
  };
}

function agentReports(): Input {
  const certificates: string[] = [];
  let next = 0;
  return {
    name: "POST observations/push/: 500 endpoints with 10 certificates each",
    prepare: async () => {
      certificates.push(...await usualCertificates(400, "pushed"));
    },
    send: async ({ target, signal }) => {
      const first = next;
      next += 500;
      const at = new Date().toISOString();
      const observations = Array.from({ length: 500 }, (_, index) => ({
        host: `pushed-${first + index}.example`,
        at,
        presented: Array.from(
          { length: 10 },
          (_, place) => certificates[(first + index + place * 7) % certificates.length],
        ),
      }));
      const body = { agent: "abuse", observations };
      return [
        await statusOf(
          target.ask("plugins/certmgr/observations/push/", { body, signal }),
        ),
      ];
    },
  };
}
