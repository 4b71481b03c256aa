/** Lines about imports: PEM, files, requests, bulk imports, rows of metadata. */

import { chapter, type Line } from "./line.ts";

/** Lines of the chapters on imports. */
export const IMPORT_LINES: readonly Line[] = [
  ...chapter("POST /certificates/import/", "import", {
    lines: [[
      "pem",
      "PEM text becomes a certificate",
      "Import: a certificate is stored and returned completely",
    ]],
  }),
  ...chapter("POST /csrs/import/", "csr_import", {
    lines: [
      [
        "body",
        "pem_content, requested_by, target_ca, tenant by id",
        "Written values are returned: the four fields of an import of a signing request",
      ],
      [
        "record",
        "a record is created from the request",
        "POST csrs/import/ reads all fields of the request, including its names",
      ],
    ],
  }),
  ...chapter("POST /certificates/import-file/", "import_file", {
    lines: [
      [
        "upload",
        "a multipart upload of a file",
        "Import: the certificate of a file is stored (import-file/)",
        "import-file: a JSON body is refused with 415",
      ],
      [
        "der",
        "DER is one certificate, stored as PEM",
        "import-file: DER is read, whatever the name of the file",
        "import-file: DER by openssl is read, whatever the name of the file",
      ],
      [
        "pkcs7",
        "PKCS#7: each certificate becomes a record",
        "import-file: PKCS#7 in DER is read, whatever the name of the file",
        "import-file: members of a bundle are linked, and the stored PEM is the certificate",
      ],
    ],
  }),
  ...chapter("POST /certificates/bulk-import/ (PEM)", "bulk_import", {
    lines: [
      [
        "body",
        "a list of pem_content, private_key_location?, tenant?",
        "bulk-import: chain, tenant, location, authority and ACME provider are stored",
      ],
      ["required", "pem_content is required", "bulk-import: all errors of all items are reported together"],
      [
        "validated",
        "every item is validated first",
        "bulk-import: all errors of all items are reported together",
      ],
      [
        "atomic",
        "all or none",
        "bulk-import: one invalid item makes the whole import fail, and only this item is named",
      ],
      [
        "limit",
        "at most the batch limit of items",
        "bulk-import: more items than the batch limit are refused",
        "bulk-import: the batch limit is a setting",
      ],
      [
        "success",
        "201 with created_count and certificates",
        "bulk-import: each item is stored as a certificate",
      ],
      [
        "failure",
        "400 with detail and failed_certificates",
        "bulk-import: one invalid item makes the whole import fail, and only this item is named",
      ],
      [
        "metadata",
        "the other body: format, data, on_duplicate",
        "bulk-import: a list of objects: each row has its result",
        "bulk-import: CSV as text: each row has its result",
      ],
      [
        "metadata.rows",
        "each row is created, skipped or an error, with totals",
        "bulk-import: results of skipped rows are in the order of the rows",
        "bulk-import: one invalid row makes the whole import fail",
      ],
    ],
  }),
  ...chapter("POST /certificates/bulk-data-import/", "bulk_data", {
    lines: [
      [
        "content",
        "content is required text",
        "bulk-data-import: missing content is refused",
        "bulk-data-import: content that is not text is refused",
      ],
      [
        "format.csv",
        "format may be csv",
        "bulk-data-import: each cell is stored in its field",
        "Metadata rows: key_size in CSV, format csv",
      ],
      [
        "format.json",
        "format may be json",
        "Metadata rows: key_size in JSON, format json",
        "bulk-data-import: CSV that is said to be JSON is refused",
      ],
      [
        "format.auto",
        "format auto, the default, finds out",
        "Metadata rows: key_size in JSON, format auto",
        "Metadata rows: key_size in CSV, format not given",
        "Metadata rows: the algorithm rsa, and nothing that is optional",
      ],
      [
        "duplicate.error",
        "on_duplicate error, the default, refuses the row",
        "bulk-data-import: an existing serial number and issuer are refused, however the serial number is written",
      ],
      [
        "duplicate.skip",
        "on_duplicate skip skips it",
        "bulk-data-import: on_duplicate skip skips existing and repeated rows",
        "bulk-data-import: a document with only existing certificates answers 201",
      ],
      [
        "csv",
        "CSV has a header of field names and commas",
        "bulk-data-import: an unknown column is reported once",
        "bulk-data-import: CSV with a byte order mark, CRLF, quoted newlines and semicolons: a hundred rows are stored",
      ],
      ["csv.sans", "sans with semicolons", "Metadata rows: sans in CSV, format csv"],
      [
        "csv.tenant",
        "tenant by name or id",
        "Metadata rows: the tenant's name in CSV, format csv",
        "Metadata rows: the tenant's id in CSV, format csv",
      ],
      [
        "json",
        "JSON is a list of objects, sans a list, key_size a number",
        "Metadata rows: sans in JSON, format json",
        "Metadata rows: key_size in JSON, format json",
      ],
      [
        "required",
        "required fields are validated in each row",
        "bulk-data-import: required columns are required besides PEM",
      ],
      [
        "formats",
        "so are the forms of values, all of them at once",
        "bulk-data-import: CSV: all invalid cells are reported together, and nothing is stored",
        "bulk-data-import: JSON: all invalid cells are reported together, and nothing is stored",
      ],
      [
        "algorithms",
        "four algorithms are known",
        ...["ecdsa", "ed25519", "rsa", "unknown"].map((one) =>
          `Metadata rows: the algorithm ${one}, and nothing that is optional`
        ),
      ],
      [
        "status",
        "status is active by default",
        "Metadata rows: the algorithm rsa, and nothing that is optional",
      ],
      [
        "success",
        "201 with created_count, skipped_count, certificates",
        "bulk-data-import: JSON: a hundred rows are stored",
      ],
      ["failure", "400 with detail and errors of row, field, message", "Metadata rows: issuer is required"],
    ],
  }),
];
