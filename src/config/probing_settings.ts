/** Settings of endpoints and their probes, and of revocation checks. */

import { commaList, integerSetting, network, oneOf, setting } from "./parsers.ts";

export const REVOCATION = {
  revocation: setting("CERTMGR_REVOCATION", {
    description:
      "Which certificates are checked for revocation without a request: those `in_use`, or none (`off`).",
    default: "in_use",
    parse: oneOf(["in_use", "off"] as const),
  }),
  revocationAllowedNetworks: setting("CERTMGR_REVOCATION_ALLOWED_NETWORKS", {
    description:
      "Addresses and networks (`10.0.0.0/8`), separated by commas, of revocation lists, OCSP responders and ACME directories that are not public.",
    default: "",
    parse: commaList(network),
  }),
  renewalInfo: setting("CERTMGR_RENEWAL_INFO", {
    description:
      "Whether authorities are asked when certificates should be renewed (ACME Renewal Information): `on` or `off`.",
    default: "on",
    parse: oneOf(["on", "off"] as const),
  }),
};

export const PROBING = {
  probeAllowedNetworks: setting("CERTMGR_PROBE_ALLOWED_NETWORKS", {
    description:
      "Addresses and networks (`10.0.0.0/8`), separated by commas, that may be probed even if they are not public, and that may be scanned. Cloud metadata addresses are never probed.",
    default: "",
    parse: commaList(network),
  }),
  probeConcurrency: setting("CERTMGR_PROBE_CONCURRENCY", {
    description: "Endpoints that are probed at the same time.",
    default: "32",
    parse: integerSetting(1, 1_000),
  }),
  discover: setting("CERTMGR_DISCOVER", {
    description:
      "What happens to a served certificate that is not in the inventory: `create` adds it as active (pending if the server does not prove that it has the key, or the state is worse than `expiring`), `pending` adds it as pending, `off` does not add it.",
    default: "create",
    parse: oneOf(["create", "pending", "off"] as const),
  }),
  observationRetentionDays: setting("CERTMGR_OBSERVATION_RETENTION_DAYS", {
    description:
      "Days after which observations of endpoints are deleted; the newest of each address is kept. `0`: never.",
    default: "400",
    parse: integerSetting(0, 36_500),
  }),
};
