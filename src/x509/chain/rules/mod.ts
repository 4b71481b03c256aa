/** The rules for a path, in the order in which their failures are reported. Each rule has its own file. */

import { algorithmMismatch } from "./algorithm_mismatch.ts";
import { criticalExtension } from "./critical_extension.ts";
import { duplicateExtension } from "./duplicate_extension.ts";
import { extensionVersion } from "./extension_version.ts";
import { expired } from "./expired.ts";
import { keyUsage } from "./key_usage.ts";
import { malformedExtension } from "./malformed_extension.ts";
import { malformedField } from "./malformed_field.ts";
import { namedCurve } from "./named_curve.ts";
import { nameConstraints } from "./name_constraints.ts";
import { notACa } from "./not_a_ca.ts";
import { notYetValid } from "./not_yet_valid.ts";
import { oldVersion } from "./old_version.ts";
import { pathLength } from "./path_length.ts";
import { policyQualifier } from "./policy_qualifier.ts";
import type { CertificateRule, IssuerRule } from "./types.ts";

export { MALFORMED_FIELDS } from "./malformed_field.ts";

/** Checked on every certificate of a path. */
export const CERTIFICATE_RULES: readonly CertificateRule[] = [
  expired,
  notYetValid,
  algorithmMismatch,
  duplicateExtension,
  malformedExtension,
  malformedField,
  extensionVersion,
  criticalExtension,
  policyQualifier,
  namedCurve,
];

/** Checked on every issuer of a path. */
export const ISSUER_RULES: readonly IssuerRule[] = [
  notACa,
  oldVersion,
  keyUsage,
  pathLength,
  nameConstraints,
];
