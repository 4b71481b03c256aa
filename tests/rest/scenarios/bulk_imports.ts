/** Successful imports of files and of many certificates; tests/domain/certificates/import has the other cases. */

import { PATHS } from "../../support/paths.ts";
import { pki } from "../../support/pki.ts";
import { type Scenario, scenario } from "../../support/scenario.ts";

const CREATED = { as: "superuser", status: 201, changes: ["create certmgr.certificate"] } as const;
const ROW = {
  common_name: "row.example",
  serial_number: "90:00:01",
  issuer: "CN=Rows CA",
  valid_from: "2026-01-01",
  valid_to: "2026-12-31",
  fingerprint_sha256: "9".repeat(64),
  algorithm: "rsa",
};

function upload(der: Uint8Array): FormData {
  const form = new FormData();
  form.append("file", new File([der as BlobPart], "upload.der"));
  return form;
}

const CALLS: [title: string, path: string, expected: Omit<Scenario, "post">][] = [
  ["the certificate of a file is stored", "import-file/", { ...CREATED, body: upload(pki.fresh.der) }],
  ["a file with only existing certificates changes nothing", "import-file/", {
    as: "superuser",
    status: 200,
    body: upload(pki.stored.acme.der),
  }],
  ["PEM texts are stored", "bulk-import/", { ...CREATED, body: [{ pem_content: pki.fresh.pem }] }],
  ["metadata is stored", "bulk-import/", { ...CREATED, body: { format: "json", data: [ROW] } }],
  ["the rows of a table are stored", "bulk-data-import/", {
    ...CREATED,
    body: { content: JSON.stringify([ROW]) },
  }],
];
for (const [title, path, expected] of CALLS) {
  scenario(`Import: ${title} (${path})`, { ...expected, post: `${PATHS.certificates}${path}` });
}
