/** Annotations that are wrong, each with the reason. Every use is printed. */

/** Correct statuses, which replace the annotated ones. */
export const ERRATA: Readonly<Record<string, { readonly status: readonly string[]; readonly why: string }>> =
  {
    "rfc5280::intermediate-ca-missing-basic-constraints": {
      status: ["incomplete"],
      why: "the intermediate is not among the case's certificates, so that no issuer of the leaf is present",
    },
    "rfc5280::ica-ku-keycertsign": {
      status: ["incomplete"],
      why: "the intermediate is not among the case's certificates, so that no issuer of the leaf is present",
    },
  };
