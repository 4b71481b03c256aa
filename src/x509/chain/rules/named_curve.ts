import { KEY_OID } from "../../algorithm_names.ts";
import { TAG } from "../../der.ts";
import type { CertificateRule } from "./types.ts";

/**
 * An elliptic curve key must name its curve. Explicit (specifiedCurve) and implicit parameters are forbidden.
 */
export const namedCurve: CertificateRule = {
  code: "unsupported_algorithm",
  citation: "RFC 5480 §2.1.1",
  check: ({ publicKey: { oid, parameters } }) =>
    oid === KEY_OID.ec && parameters?.[0] !== TAG.oid
      ? ["has an elliptic curve key whose parameters do not name a curve"]
      : [],
};
