/** The addresses that a token may be used from. */

import { z } from "zod";
import { boundedList } from "../../../base/bounded_list.ts";
import { readNetwork } from "../../../auth/mod.ts";
import { MAX_NETWORKS } from "../../../base/limits.ts";
import { documented, type Field, json, quote } from "../../../resource/mod.ts";

const network = z.string({ error: "Expected an IP address or a network." }).transform((given, context) => {
  const result = readNetwork(given.trim());
  if ("network" in result) return result.network;
  context.addIssue({ code: "custom", message: `${result.error}, not ${quote(given)}.` });
  return z.NEVER;
});

const networks = boundedList(network, {
  max: MAX_NETWORKS,
  error: "Expected a list of IP addresses and networks.",
});

/** A list in the usual spelling of each; none, or null: from anywhere. */
export function allowedIps(): Field {
  const field = json<string[]>("allowed_ips", {
    description: "Addresses and networks (IPv4 and IPv6) that it is taken from; empty: from anywhere.",
    schema: documented(z.preprocess((given) => given === null ? [] : given, networks), {
      type: ["array", "null"],
      items: {
        type: "string",
        format: "ip-network",
        description: "An address, or a network such as 192.0.2.0/24.",
      },
      maxItems: MAX_NETWORKS,
    }),
    fallback: [],
  });
  return { ...field, output: z.array(z.string()) };
}
