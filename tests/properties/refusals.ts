/**
 * Expected refusals (400) of bodies that the API document allows: they are about stored data, or about several fields.
 */

import { EXPORT_PARAMETERS } from "../../src/domain/certificates/export/export_certificates.ts";
import { resources } from "../../src/domain/registry.ts";
import type { Resource } from "../../src/resource/mod.ts";
import type { Operation } from "../../src/rest/mod.ts";

/** Reasons to refuse texts whose grammar no schema can describe. */
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
  "criteria",
  "filter",
  "query",
  "parameters",
  // Values that the stored definitions allow.
  "custom_fields",
  // A name of the IANA database.
  "time_zone",
  // Policy of the operator, and secrets.
  "payload_url",
];

/** Fields that must be consistent with other fields of the same body, or with the stored object. */
const AGREEING: Readonly<Record<string, readonly string[]>> = {
  "certmgr.certificate": ["valid_to", "status", "replaced_by", "replacement_reason", "expiry_notices"],
  "certmgr.certificatesigningrequest": [
    // Fields that the stored PEM determines.
    ...["common_name", "organization", "organizational_unit", "locality", "state", "country", "sans"],
    ...["subject_string", "algorithm", "key_size", "fingerprint_sha256", "status", "resulting_certificate"],
  ],
  // Together with its ports: the number of connections of a scan.
  "certmgr.scanjob": ["networks"],
  // The kind of channel, and its mode.
  "certmgr.notificationchannel": ["settings", "secret"],
  "certmgr.subscription": ["recipients", "escalate_after_days"],
  "certmgr.endpoint": ["assigned_object_type"],
  "ipam.service": ["parent_object_type"],
  // Values that a type allows, and the type itself, which cannot be changed.
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

/**
 * Members of the responses of single operations: refused tables, and values that the stored certificate does not have.
 */
const OF_OPERATION: Readonly<Record<string, readonly string[]>> = {
  bulkImportCertificates: [
    ...["detail", "total", "created_count", "skipped_count", "error_count", "results", "failed_certificates"],
    // Only with "update" in `on_duplicate`.
    "overwrite",
  ],
  bulkImportCertificateData: ["detail", "errors"],
  // Only with "update" in `on_duplicate`.
  importCertificate: ["overwrite"],
  validateChain: ["detail"],
  renewCertificate: ["certificate"],
  // By the ids of owners of the certificates.
  tellOwners: ["texts", "subjects"],
  // Only in the future.
  snoozeCertificate: ["until"],
};

/** Returns the resource that an operation writes. */
export function writtenBy({ path }: Operation): Resource | undefined {
  return resources.filter((resource) => path.startsWith(`/api/${resource.path}/`))
    .sort((a, b) => b.path.length - a.path.length)[0];
}

/**
 * Returns the refused fields of a body that the document allows and that no stored data explain; empty if there are
 * none.
 */
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
  // In addition to its own parameters it has filters, each with values of its type.
  if (operation.operationId === "exportCertificatesByBody") return !EXPORT_PARAMETERS.includes(name as never);
  if (resource === undefined) return false;
  if (AGREEING[resource.objectType]?.includes(name)) return true;
  const field = resource.fields[name];
  if (field?.refers?.target !== undefined || field?.refers?.targets !== undefined) return true;
  if (resource.unique.some((unique) => unique.field === name)) return true;
  // Values that a certificate in PEM has are not required.
  const absent = Array.isArray(messages) &&
    messages.every((message) => message === "This field is required.");
  return absent && field !== undefined && "pem_content" in resource.fields;
}
