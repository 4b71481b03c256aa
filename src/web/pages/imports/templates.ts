/** Templates of tables for download: the columns and an example row. */

import { download } from "../../../base/download.ts";
import { type ExportRow, FORMATS, writeDocument } from "../../../formats/mod.ts";
import type { Call } from "../../call.ts";

/** The example row. */
const EXAMPLE: ExportRow = {
  common_name: "www.example.com",
  serial_number: "0A:1B:2C:3D",
  issuer: "C=US, O=Example CA, CN=Example Issuing CA",
  valid_from: "2026-01-01",
  valid_to: "2026-12-31",
  fingerprint_sha256: Array(32).fill("A1").join(":"),
  algorithm: "rsa",
  key_size: 2048,
  status: "active",
  sans: ["www.example.com", "example.com"],
  tenant: null,
  private_key_location: "vault: pki/www",
};

export function csvTemplate(call: Call): Promise<Response> {
  return template(call, "csv");
}

export function jsonTemplate(call: Call): Promise<Response> {
  return template(call, "json");
}

async function template({ ctx }: Call, name: "csv" | "json"): Promise<Response> {
  const { mediaType, extension, writer } = FORMATS[name];
  const text = writeDocument(writer(Object.keys(EXAMPLE)), pages());
  return await download(ctx, { mediaType, fileName: `certificates.${extension}`, text });
}

async function* pages(): AsyncGenerator<readonly ExportRow[]> {
  yield [EXAMPLE];
}
