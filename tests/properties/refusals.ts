/** Which refusals (400) of a body that the API document allows are about what is stored, or about several fields. */

import { EXPORT_PARAMETERS } from "../../src/domain/certificates/export/mod.ts";
import { resources } from "../../src/domain/registry.ts";
import { REQUIRED, type Resource } from "../../src/resource/mod.ts";
import type { Operation } from "../../src/rest/mod.ts";

/** Fields whose texts have a grammar that no schema can describe; by the reason of the refusal. */
const MEANINGS: readonly string[] = [
  // Certificates and tables.
  "pem_content",
  "issuer_chain",
  "content",
  "data",
  "file",
  // Filters and rules.
  "constraints",
  "conditions",
  "filter",
  "query",
  "parameters",
  // Templates.
  "body_template",
  // What the stored definitions allow.
  "custom_fields",
  // A name of the IANA database.
  "time_zone",
  // Policy of the operator, and secrets.
  "payload_url",
];

/** Fields that have to agree with other fields of the same body, or with the stored object. */
const AGREEING: Readonly<Record<string, readonly string[]>> = {
  "certmgr.certificate": ["valid_to", "status", "replaced_by", "expiry_notices"],
  "certmgr.certificatesigningrequest": [
    // What the stored request says itself.
    ...["common_name", "organization", "organizational_unit", "locality", "state", "country", "sans"],
    ...["subject_string", "algorithm", "key_size", "fingerprint_sha256", "status", "resulting_certificate"],
  ],
  // With its ports: how many connections a scan would try.
  "certmgr.scanjob": ["networks"],
  // The kind of channel, and its mode.
  "certmgr.notificationchannel": ["settings", "secret"],
  "certmgr.subscription": ["recipients", "escalate_after_days"],
  "certmgr.endpoint": ["assigned_object_type"],
  "ipam.service": ["parent_object_type"],
  // What a type allows, and the type itself, which is fixed.
  "extras.customfield": [
    ...["name", "type", "related_object_type", "required", "default", "indexed", "unique", "filter_logic"],
    ...["validation_minimum", "validation_maximum", "validation_regex", "choice_set"],
  ],
  // Each value once.
  "extras.customfieldchoiceset": ["extra_choices"],
  "users.objectpermission": ["object_types", "actions", "users", "groups"],
  "users.token": ["user", "expires"],
  "users.user": ["is_superuser", "is_active"],
  "extras.webhook": ["additional_headers", "secret", "object_types", "events"],
};

/** Members of the answers of single operations: tables that are refused, and what the stored certificate lacks. */
const OF_OPERATION: Readonly<Record<string, readonly string[]>> = {
  bulkImportCertificates: [
    ...["detail", "total", "created_count", "skipped_count", "error_count", "results", "failed_certificates"],
    // Each at most once, and only with "update" in `on_duplicate`.
    ...["certificates", "overwrite"],
  ],
  bulkImportCertificateData: ["detail", "errors"],
  // Only with "update" in `on_duplicate`.
  importCertificate: ["overwrite"],
  validateChain: ["detail"],
  renewCertificate: ["certificate"],
  // Only in the future.
  snoozeCertificate: ["until"],
};

/** The resource that an operation writes. */
export function writtenBy({ path }: Operation): Resource | undefined {
  return resources.filter((resource) => path.startsWith(`/api/${resource.path}/`))
    .sort((a, b) => b.path.length - a.path.length)[0];
}

/** Refused fields of a body that the document allows and that nothing stored explains; empty when all is well. */
export function unexplained(operation: Operation, answer: unknown): string[] {
  const resource = writtenBy(operation);
  const all = (Array.isArray(answer) ? answer : [answer]) as Record<string, unknown>[];
  return all.flatMap((errors) =>
    Object.entries(errors).flatMap(([name, messages]) =>
      explained({ operation, resource, name, messages }) ? [] : [`${name}: ${JSON.stringify(messages)}`]
    )
  );
}

function explained(
  { operation, resource, name, messages }: {
    operation: Operation;
    resource: Resource | undefined;
    name: string;
    messages: unknown;
  },
): boolean {
  if (name === "id" || name === "ids" || name.endsWith("_ids") || name.endsWith("_id")) return true;
  if (MEANINGS.includes(name) || OF_OPERATION[operation.operationId]?.includes(name)) return true;
  // Besides its own parameters it takes filters, each with values of its kind.
  if (operation.operationId === "exportCertificatesByBody") return !EXPORT_PARAMETERS.includes(name as never);
  if (resource === undefined) return false;
  if (AGREEING[resource.objectType]?.includes(name)) return true;
  const field = resource.fields[name];
  if (field?.target !== undefined || field?.targets !== undefined) return true;
  if (resource.unique.some((unique) => unique.field === name)) return true;
  // What a certificate in PEM says need not be given.
  const absent = Array.isArray(messages) && messages.every((message) => message === REQUIRED);
  return absent && field !== undefined && "pem_content" in resource.fields;
}
