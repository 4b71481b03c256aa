/** Lines about resources other than certificates: their fields and states. */

import { chapter, type Line } from "./line.ts";

const CERTIFICATE = "Written values are returned: every field of a certificate";
const AUTHORITY = "Written values are returned: every field of a certificate authority";
const ASSIGNMENT = "Written values are returned: every field of an assignment";
const REQUEST = "Written values are returned: every field of a signing request";
const RUN = "compliance-check/ runs the enabled policies and answers as the specification shows";
const POLICY = "Written values are returned: every field of a compliance policy of the type";

/** Lines of the chapters before the endpoints. */
export const RESOURCE_LINES: readonly Line[] = [
  ...chapter("What the service does", "service", {
    lines: [
      ["inventory", "certificates are kept with their metadata", CERTIFICATE],
      [
        "ways_in",
        "they come directly, from PEM, DER or PKCS#7, in bulk from PEM or rows of CSV and JSON",
        "POST /api/plugins/certmgr/certificates/ creates an object and returns it with its URL",
        "Import: a certificate is stored and returned completely",
        "import-file: DER is read, whatever the name of the file",
        "import-file: PKCS#7 in DER is read, whatever the name of the file",
        "bulk-import: each item is stored as a certificate",
        "bulk-data-import: JSON: a hundred rows are stored",
        "bulk-data-import: CSV with bare CR: a hundred rows are stored",
      ],
      [
        "chain",
        "a chain is validated and the result stored",
        "the result is stored in five fields, and lists filter by it",
      ],
      [
        "export",
        "certificates leave as CSV, JSON, YAML or PEM",
        "csv: GET and POST return the same document, with a file name and a media type",
        "json: GET and POST return the same document, with a file name and a media type",
        "yaml: GET and POST return the same document, with a file name and a media type",
        "pem: GET and POST return the same document, with a file name and a media type",
      ],
      ["compliance", "policies are checked, with a result each and a score", RUN],
      ["acme", "the issuer tells the ACME provider, and that is stored", 'Detect ACME: "…'],
      [
        "assignments",
        "certificates are assigned to services, devices and virtual machines",
        "POST assignments assigns a certificate to a ipam.service and shows both",
        "POST assignments assigns a certificate to a dcim.device and shows both",
        "POST assignments assigns a certificate to a virtualization.virtualmachine and shows both",
      ],
      ["apart", "authorities and signing requests are separate resources", AUTHORITY, REQUEST],
      [
        "concatenated",
        "each block of a concatenated PEM text can become a record",
        "Import: split stores each block as a certificate with its chain from the text",
      ],
    ],
  }),
  ...chapter("Certificate authority", "authority", {
    lines: [
      ...[
        "id",
        "name",
        "type",
        "description",
        "issuer_pattern",
        "website_url",
        "portal_url",
        "contact_email",
        "is_approved",
      ]
        .map((name) => [name, `${name} is a field`, AUTHORITY] as const),
      [
        "certificate_count",
        "certificate_count is derived",
        AUTHORITY,
        "Counts of related objects include only those that the caller may view",
      ],
    ],
  }),
  ...chapter("Assignment", "assignment", {
    lines: [
      ...["id", "certificate", "assigned_object_type", "assigned_object_id", "is_primary", "notes"]
        .map((name) => [name, `${name} is a field`, ASSIGNMENT] as const),
      ["type.form", "assigned_object_type is app_label.model", "POST assignments refuses an unknown type"],
      [
        "type.service",
        "a target may be a service",
        "POST assignments assigns a certificate to a ipam.service and shows both",
      ],
      [
        "type.device",
        "a target may be a device",
        "POST assignments assigns a certificate to a dcim.device and shows both",
      ],
      [
        "type.machine",
        "a target may be a virtual machine",
        "POST assignments assigns a certificate to a virtualization.virtualmachine and shows both",
      ],
    ],
  }),
  ...chapter("Certificate signing request (CSR)", "request", {
    lines: [
      ...[
        "id",
        "common_name",
        "organization",
        "organizational_unit",
        "locality",
        "state",
        "country",
        "sans",
        "fingerprint_sha256",
        "algorithm",
        "key_size",
        "status",
        "requested_date",
        "requested_by",
        "target_ca",
        "notes",
        "subject_string",
        "tenant",
        "tags",
      ].map((name) => [name, `${name} is a field`, REQUEST] as const),
      [
        "resulting_certificate",
        "resulting_certificate refers to a certificate",
        "Written values are returned: a signing request has the certificate that was issued for it",
      ],
      [
        "pem_content",
        "pem_content is what an import gives",
        "Written values are returned: the four fields of an import of a signing request",
      ],
      [
        "pending",
        "a request may be pending",
        REQUEST,
        "POST csrs needs only a common name; by default the request is pending and dated now",
      ],
    ],
  }),
  ...chapter("Compliance policy", "policy", {
    lines: [
      ...["id", "name", "description", "policy_type", "severity", "parameters"]
        .map((name) => [name, `${name} is a field`, `${POLICY} min_key_size`] as const),
      [
        "enabled",
        "only enabled policies run when none are named",
        'compliance-check/ takes {"policy_ids":[]} for all enabled policies',
      ],
      [
        "severity.values",
        "severity may be critical or warning",
        `${POLICY} min_key_size`,
        `${POLICY} expiry_warning`,
      ],
      [
        "min_key_size",
        "min_key_size takes min_bits",
        `${POLICY} min_key_size`,
        "Written values are returned: min_bits alone is enough for min_key_size",
        "min_key_size passes and fails the cases of its table",
      ],
      [
        "expiry_warning",
        "expiry_warning takes warning_days",
        `${POLICY} expiry_warning`,
        "expiry_warning passes and fails the cases of its table",
      ],
      [
        "algorithm_forbidden",
        "algorithm_forbidden takes algorithms",
        `${POLICY} algorithm_forbidden`,
        "algorithm_forbidden passes and fails the cases of its table",
      ],
      [
        "wildcard_forbidden",
        "wildcard_forbidden takes nothing",
        `${POLICY} wildcard_forbidden`,
        "wildcard_forbidden passes and fails the cases of its table",
      ],
    ],
  }),
  ...chapter("Compliance check (result record)", "check", {
    lines: [
      ...["id", "policy", "result", "message", "checked_value", "expected_value"]
        .map((name) =>
          [
            name,
            `${name} is a field`,
            RUN,
            "the results of the response are those that the resource shows",
          ] as const
        ),
      ["filter.result", "results are filtered by result", "compliance-checks/?result=fail finds 1"],
      [
        "filter.severity",
        "results are filtered by severity",
        "compliance-checks/?severity=info finds 0",
        "compliance-checks/?severity=critical finds 2",
      ],
    ],
  }),
  ...chapter("States and transitions", "state", {
    lines: [
      [
        "chain",
        "validation stores the chain status",
        "the result is stored in five fields, and lists filter by it",
      ],
      [
        "chain.many",
        "validation of many stores it too",
        "Bulk endpoints: bulk-validate-chain/ works with bulk_operations + change_certificate",
      ],
      [
        "chain.is_valid",
        "self_signed is valid, no_chain is not",
        "Validate: a self-signed certificate needs no chain",
        "Validate: a certificate without a chain is no_chain",
      ],
      ["acme", "detection stores is_acme and acme_provider", 'Detect ACME: "…'],
      [
        "acme.many",
        "detection for many stores them too",
        "Detect ACME for many: results have the order of the ids, and missing ids are listed",
      ],
    ],
  }),
];
