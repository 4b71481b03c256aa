/** Lines about further endpoints: validation, exports, compliance, ACME, bulk operations, renewal. */

import { chapter, type Line } from "./line.ts";

const ROOT = "/api/plugins/certmgr/";

/** Lines of the chapters on endpoints other than imports. */
export const ENDPOINT_LINES: readonly Line[] = [
  ...chapter("POST /certificates/{id}/validate-chain/", "validate", {
    lines: [
      ["body", "no body", "Single-object endpoints: {id}/validate-chain/ works with change_certificate"],
      [
        "response",
        "status, is_valid, message, chain_depth, certificates, errors, validated_at",
        "Validate: the response has the specified members",
      ],
      ["stored", "the result is stored", "the result is stored in five fields, and lists filter by it"],
    ],
  }),
  ...chapter("POST /certificates/bulk-validate-chain/", "bulk_validate", {
    lines: [[
      "response",
      "counts and a result for each",
      "Validate many: results have the order of the ids, and missing ids are listed",
    ]],
  }),
  ...chapter("GET or POST /certificates/export/", "export", {
    lines: [
      [
        "get",
        "parameters in the query",
        "Export: requested fields are in their order",
        "Export: filters select the same rows as in a list",
      ],
      ["post", "parameters in the body", "Export by POST: the body has the same effect as the query"],
      [
        "format",
        "format: csv, json (default), yaml, pem",
        "Export: JSON with the default fields, tenants by name, datetimes without a zone",
        "Export by POST in another format",
        "Export: 400 names the parameter: format=xml",
      ],
      ["ids", "ids restrict it", "Export: ids and filters are AND"],
      [
        "fields",
        "fields name what is included",
        "Export: requested fields are in their order",
        "fields are the default ones, or the requested ones in their order",
      ],
      [
        "include_pem",
        "include_pem adds the PEM, json and yaml only",
        "include_pem adds the PEM in json and yaml, and changes nothing in csv and pem",
      ],
      [
        "include_chain",
        "include_chain, on by default, pem only",
        "include_chain is on by default, and changes only pem",
      ],
      [
        "filters",
        "certificate filters narrow it",
        ...["csv", "json", "yaml", "pem"].map((one) =>
          `${one}: filters and ids select its rows, also together`
        ),
      ],
      ...["csv", "json", "yaml", "pem"].map((one) =>
        [
          `type.${one}`,
          `the content type of ${one}`,
          `${one}: GET and POST return the same document, with a file name and a media type`,
        ] as const
      ),
      [
        "default_fields",
        "thirteen default fields",
        "Export: JSON with the default fields, tenants by name, datetimes without a zone",
      ],
      ["extended_fields", "seven further fields", "Export: every extended field can be requested"],
      [
        "csv",
        "a header and a row each",
        "Export: CSV has a header, one row per certificate and names joined by semicolons",
      ],
      [
        "json",
        "a list of objects, tenant by name, datetimes without a zone",
        "Export: JSON with the default fields, tenants by name, datetimes without a zone",
      ],
      ["yaml", "YAML holds the same", "YAML and JSON exports have the same values"],
      ["pem", "comments of name, serial and expiry, the block", "PEM: a certificate follows comments"],
      ["pem.chain", "a comment and the chain's blocks", "PEM: the chain has a separate comment"],
    ],
  }),
  ...chapter("GET /certificates/{id}/export/", "export_one", {
    lines: [
      [
        "format",
        "the same formats",
        ...["csv", "json", "yaml", "pem"].map((one) =>
          `${one}: one certificate is a document named after it`
        ),
      ],
      [
        "file_name",
        "an attachment named for the common name",
        "Export of one certificate has a file named after it",
      ],
    ],
  }),
  ...chapter("POST /certificates/{id}/compliance-check/", "compliance", {
    lines: [
      [
        "body",
        "policy_ids, or nothing for all enabled ones",
        "compliance-check/ runs a disabled policy when it is named, and each policy once",
        "compliance-check/ without a body runs the enabled policies too",
      ],
      [
        "response",
        "the certificate, counts, score and records",
        "compliance-check/ runs the enabled policies and answers as the specification shows",
      ],
      [
        "score",
        "four of five is 80.0",
        "Written values are returned: a score of four checks passed out of five is 80",
        "compliance-check/ scores the share of checks passed, with one decimal",
      ],
    ],
  }),
  ...chapter("POST /certificates/bulk-compliance-check/", "bulk_compliance", {
    lines: [
      [
        "response",
        "totals, missing_ids, and a report each",
        "bulk-compliance-check/ answers as the specification shows; each id once, unknown ids as missing",
      ],
      [
        "body",
        "certificate_ids and policy_ids",
        "bulk-compliance-check/ runs named policies, disabled ones too",
      ],
    ],
  }),
  ...chapter("POST /certificates/{id}/detect-acme/", "acme", {
    lines: [
      ["detected", "detected: the provider and the certificate", 'Detect ACME: "CN=GTS CA 1C3" is google'],
      [
        "not_detected",
        "not detected: a message",
        "Detect ACME: another issuer is reported, and nothing changes",
      ],
      ...([
        ["letsencrypt_staging", "CN=Fake LE Intermediate X1"],
        ["letsencrypt", "C=US, O=Let's Encrypt, CN=R10"],
        ["zerossl", "C=AT, O=ZeroSSL, CN=ZeroSSL RSA Domain Secure Site CA"],
        ["buypass", "C=NO, O=Buypass AS-983163327, CN=Buypass Class 2 CA 5"],
        ["google", "C=US, O=Google Trust Services LLC, CN=WR1"],
        ["sectigo", "C=GB, O=Sectigo Limited, CN=Sectigo RSA DV"],
        ["digicert", "C=US, O=DigiCert Inc, CN=DigiCert TLS RSA SHA256 2020 CA1"],
      ] as const).map(([name, issuer]) =>
        [`provider.${name}`, `${name} is recognised`, `Detect ACME: "${issuer}" is ${name}`] as const
      ),
    ],
  }),
  ...chapter("POST /certificates/bulk-detect-acme/", "bulk_acme", {
    lines: [[
      "response",
      "counts, missing_ids, a detection each",
      "Detect ACME for many: results have the order of the ids, and missing ids are listed",
    ]],
  }),
  ...chapter("Other bulk operations", "bulk", {
    lines: [
      [
        "status",
        "bulk-status-update is there",
        `POST ${ROOT}bulk-status-update/: sets the status of all, reports each, and lists missing ids`,
      ],
      [
        "assign",
        "bulk-assign is there",
        `POST ${ROOT}bulk-assign/ assigns existing certificates, skips assigned ones, and lists missing ids`,
      ],
    ],
  }),
  ...chapter("Renewal workflow", "renewal", {
    lines: [[
      "guard",
      "renew_certificate guards it",
      "Renew: without renew it answers 403",
      "Renew: renew and change are enough to renew with a PEM text",
    ]],
  }),
];
