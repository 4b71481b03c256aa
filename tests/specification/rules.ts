/** Lines about permissions, errors and limits. */

import { chapter, type Line } from "./line.ts";

const FEW = "Bulk endpoints:";
const ONE = "Single-object endpoints:";

/** Returns the three tests of a line of a permission table. */
function guarded(
  table: string,
  endpoint: string,
  ...names: readonly string[]
): readonly [id: string, says: string, ...provenBy: string[]] {
  return [
    endpoint,
    `${endpoint} needs ${names.join(" and ")}`,
    `${table} ${endpoint} works with ${names.join(" + ")}`,
    ...names.map((name) => `${table} ${endpoint} answers 403 without ${name}`),
    `${table} ${endpoint} does not find another tenant's certificate`,
  ];
}

/** Returns the tests of a write's event: scenarios compare every change with its events. */
function events(name: string, path: string, update: string): readonly [string, string, ...string[]][] {
  return [
    [`${name}.created`, `${name}: created`, `POST ${path} creates an object and returns it with its URL`],
    [
      `${name}.updated`,
      `${name}: updated`,
      `${update} ${path}{id}/ ${
        update === "PUT" ? "replaces the object" : "changes the given fields and returns the object"
      }`,
    ],
    [`${name}.deleted`, `${name}: deleted`, `DELETE ${path}{id}/ deletes the object`],
  ];
}

/** Webhooks: recipients, contents and reliability. */
const WEBHOOKS: readonly (readonly [id: string, says: string, ...provenBy: string[]])[] = [
  [
    "emitted",
    "webhooks are emitted for lifecycle events",
    "an event becomes one message for each webhook that selects it, and is then done",
    "webhooks may select every type of object that callers create, and audit events",
    "a deletion is reported with the objects that it deletes or changes, and with the deleted values",
    "a request that renews, imports and links is one event for each object",
  ],
  [
    "webhook.fields",
    "a webhook has a name, types of objects, selected events, a target URL and the method POST",
    "POST /api/extras/webhooks/ needs name, object types, events and URL, and has defaults for the rest",
    "POST /api/extras/webhooks/ refuses object types without events",
    "POST /api/extras/webhooks/ refuses unknown events",
    "POST /api/extras/webhooks/ refuses methods other than POST",
    "POST /api/extras/webhooks/ refuses to send to http://169.254.169.254/latest/meta-data/",
  ],
  [
    "webhook.administrator",
    "an administrator creates it",
    "POST /api/extras/webhooks/ answers 403 to a caller with only other actions",
    "A caller without permission cannot configure webhooks",
  ],
  [
    "webhook.selection",
    "it hears of the types and events that it selects",
    "only webhooks that are enabled and select type and event are notified, each once",
  ],
  [
    "payload",
    "a certificate's event has event, timestamp, model, username and data of five fields",
    "a message about a certificate has exactly the specified data, with user, action and time",
    "no message has a PEM text, neither the old nor the new one",
  ],
  [
    "payload.others",
    "data of assignments and requests (not shown)",
    "messages about assignments and signing requests have their own data",
  ],
  [
    "retry",
    "retry (not shown)",
    "after…",
    "410 abandons the message and disables the webhook, with a reason and a change record",
    "a later event of an object waits for the earlier one; other objects and webhooks do not",
  ],
  [
    "signing",
    "signing (not shown)",
    "a receiver verifies both signatures with…",
    "no response, change record, message or log line has a webhook's secret",
  ],
  [
    "deliveries",
    "delivery guarantees (not shown)",
    "each message has a unique id, in its headers and in its body",
    "POST /api/extras/webhook-deliveries/{id}/redeliver/ sends an abandoned message again",
  ],
];

/** Lines of the chapters after the endpoints. */
export const RULE_LINES: readonly Line[] = [
  ...chapter("Authentication", "authentication", {
    lines: [
      [
        "required",
        "every request needs a token of a user",
        "GET /api/plugins/certmgr/certificates/ answers 401 without credentials",
        "POST /api/plugins/certmgr/certificates/export/ answers 401 without credentials",
        "POST tokens/ shows the key once, and stores only its hash",
      ],
      [
        "header",
        "it comes in Authorization: Token",
        "Credentials: an unknown key answers 401",
        "the schemes Token and Bearer are accepted in upper and lower case",
      ],
    ],
  }),
  ...chapter("Permissions", "permission", {
    lines: [
      ...["view", "add", "change", "delete"].map((action) =>
        [
          action,
          `${action} is needed on each model`,
          ...{
            view: [
              "GET /api/plugins/certmgr/certificates/ answers 403 to a caller with only other actions",
              "GET /api/plugins/certmgr/csrs/ answers 403 to a caller with only other actions",
            ],
            add: [
              "POST /api/plugins/certmgr/certificates/ answers 403 to a caller with only other actions",
              "POST /api/plugins/certmgr/assignments/ answers 403 to a caller with only other actions",
            ],
            change: [
              "PATCH /api/plugins/certmgr/certificates/2/ answers 403 to a caller with only other actions",
              "PUT /api/plugins/certmgr/assignments/1/ answers 403 to a caller with only other actions",
            ],
            delete: [
              "DELETE /api/plugins/certmgr/certificates/2/ answers 403 to a caller with only other actions",
              "DELETE /api/plugins/certmgr/csrs/1/ answers 403 to a caller with only other actions",
            ],
          }[action] as string[],
        ] as const
      ),
      [
        "import_certificate",
        "it opens imports of PEM, DER, PKCS#7 and in bulk",
        "Codenames: certmgr.import_certificate is granted to a user by its codename",
        "Import: import_certificate is enough",
        "import-file: import_certificate is enough",
        "bulk-import: needs import_certificate and bulk_operations",
      ],
      [
        "renew_certificate",
        "it opens renewal",
        "Codenames: certmgr.renew_certificate is granted to a user by its codename",
        "Renew: without renew it answers 403",
      ],
      [
        "bulk_operations",
        "every bulk endpoint needs it besides its own",
        "Codenames: certmgr.bulk_operations is granted to a user by its codename",
      ],
      [
        "manage_compliance",
        "it opens runs and the writing of policies",
        "Codenames: certmgr.manage_compliance is granted to a user by its codename",
        "manage_compliance alone creates policies",
        "manage_compliance alone replaces policies",
        "manage_compliance alone deletes policies, and their results are deleted without a change record",
      ],
      guarded(FEW, "bulk-import/", "bulk_operations", "import_certificate"),
      guarded(FEW, "bulk-data-import/", "bulk_operations", "import_certificate"),
      guarded(FEW, "bulk-validate-chain/", "bulk_operations", "change_certificate"),
      guarded(FEW, "bulk-compliance-check/", "bulk_operations", "manage_compliance"),
      guarded(FEW, "bulk-detect-acme/", "bulk_operations", "change_certificate"),
      guarded(FEW, "/api/plugins/certmgr/bulk-status-update/", "bulk_operations", "change_certificate"),
      guarded(FEW, "/api/plugins/certmgr/bulk-assign/", "bulk_operations", "add_certificateassignment"),
      guarded(ONE, "import/", "import_certificate"),
      guarded(ONE, "{id}/validate-chain/", "change_certificate"),
      guarded(ONE, "{id}/compliance-check/", "manage_compliance"),
      guarded(ONE, "{id}/detect-acme/", "change_certificate"),
      guarded(ONE, "export/", "view_certificate"),
      [
        "legacy",
        "imports are open to add_certificate as well",
        "Import: the deprecated action add allows it, too, and is logged as deprecated",
        "import-file: the deprecated action add allows it",
        "bulk-import: bulk_operations and the deprecated action add are enough",
      ],
      [
        "constraints",
        "constraints, such as on the tenant's name, restrict every query",
        "Constraints: a dictionary is AND",
        "objects outside the constraints do not exist in lists, counts and details, nor for writes",
        "A hidden certificate looks like a missing one in every response",
        "Import: a certificate outside the constraints of import is refused and not stored",
        "bulk-import: one certificate outside the constraints makes the whole import fail",
        "bulk-data-import: one row outside the constraints makes the whole import fail",
        "csv: an export has only rows that the caller may view, and reveals nothing about others",
      ],
      [
        "audit",
        "the audit role sees everything and does nothing",
        "The audit role sees all certificates",
        "The audit role sees all checks",
        "The audit role creates no certificates",
        "Bulk endpoints: bulk-import/ answers 403 to the audit role",
        "Single-object endpoints: {id}/compliance-check/ answers 403 to the audit role",
      ],
    ],
  }),
  ...chapter("Events", "event", {
    lines: [
      ...events("certificate", "/api/plugins/certmgr/certificates/", "PATCH"),
      ...events("assignment", "/api/plugins/certmgr/assignments/", "PUT"),
      ...events("request", "/api/plugins/certmgr/csrs/", "PATCH"),
      ...WEBHOOKS,
    ],
  }),
  ...chapter("Errors", "error", {
    lines: [
      [
        "bulk_pem",
        "400 with detail and failed_certificates of index and errors",
        "bulk-import: one invalid item makes the whole import fail, and only this item is named",
      ],
      [
        "pem.unparsable",
        "an item that cannot be read, on pem_content",
        "bulk-import: one invalid item makes the whole import fail, and only this item is named",
        "Import: prose is refused on its field",
      ],
      [
        "pem.exists",
        "an item that is there, with its name and id",
        "bulk-import: an existing certificate is named with its id",
      ],
      ["rows", "400 with detail and errors of row, field, message", "Metadata rows: issuer is required"],
      [
        "rows.algorithm",
        "the bad algorithm and the four good ones are named",
        'bulk-data-import: CSV: all invalid cells are reported together, and nothing is stored › Invalid algorithm "dsa"\\. Expected one of ecdsa, ed25519, rsa, unknown',
      ],
      ["rows.date", "an invalid date format", "bulk-data-import: 1/1/2026 is not a date"],
      [
        "rows.duplicate",
        "a duplicate is refused, or skipped on request",
        "bulk-data-import: an existing serial number and issuer are refused, however the serial number is written",
        "bulk-data-import: on_duplicate skip skips existing and repeated rows",
      ],
      [
        "batch",
        "a batch over the limit is called too large",
        "bulk-import: more items than the batch limit are refused",
        "bulk-data-import: more rows than the limit of tables are refused",
      ],
      ["chain", "problems of a chain stand in the answer", "Validate: an expired member makes it expired"],
      [
        "missing.compliance",
        "ids that are not found stand in missing_ids",
        "bulk-compliance-check/ answers as the specification shows; each id once, unknown ids as missing",
      ],
      [
        "missing.acme",
        "so do those of ACME detection",
        "Detect ACME for many: results have the order of the ids, and missing ids are listed",
      ],
    ],
  }),
  ...chapter("Limits", "limit", {
    lines: [
      [
        "batch",
        "100 certificates in a bulk import, configurable",
        "bulk-import: more items than the batch limit are refused",
        "bulk-import: the batch limit is a setting",
        "CERTMGR_BULK_IMPORT_MAX_BATCH_SIZE is read",
        "CERTMGR_BULK_IMPORT_MAX_BATCH_SIZE has its default when it is absent, and when it is empty",
      ],
      [
        "export",
        "1000 certificates in an export, configurable",
        "Export: an export above the limit is refused, never truncated",
        "Export: an export at the limit is accepted",
        "CERTMGR_MAX_EXPORT_SIZE is read",
        "CERTMGR_MAX_EXPORT_SIZE has its default when it is absent, and when it is empty",
      ],
    ],
  }),
  ...chapter("Versioning", "version", {
    lines: [
      [
        "path",
        "no version is in the path",
        "GET /api/plugins/certmgr/ maps names to URLs, without credentials",
      ],
      [
        "custom",
        "0.9 has the custom permissions and the import of files",
        "Codenames: certmgr.import_certificate is granted to a user by its codename",
        "import-file: PKCS#7 in DER is read, whatever the name of the file",
      ],
      [
        "legacy",
        "the legacy permission holds until 1.0",
        "Import: the deprecated action add allows it, too, and is logged as deprecated",
      ],
    ],
  }),
];
