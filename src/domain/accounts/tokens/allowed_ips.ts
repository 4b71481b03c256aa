/** The field `allowed_ips` of tokens. */

import { z } from "zod";
import { boundedList } from "../../../base/bounded_list.ts";
import { readNetwork } from "../../../auth/mod.ts";
import { documented, type Field, json, quote } from "../../../resource/mod.ts";

/** Maximum number of addresses and networks in a list. */
const MAX_NETWORKS = 100;

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

/** Defines the field. Values are stored in canonical form. An empty list or null allows all addresses. */
export function allowedIps(): Field<"allowed_ips", string[]> {
  const field = json("allowed_ips", {
    description: "Addresses and networks (IPv4 and IPv6) from which the token can be used; empty: any.",
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
