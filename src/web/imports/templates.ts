/** Templates of tables to download: every column, and a row that shows what stands in each. */

import { disposition } from "../../base/download.ts";
import { REQUIRED_COLUMNS } from "../../features/import/mod.ts";
import { writeDocument } from "../../formats/mod.ts";
import type { Call } from "../call.ts";

/** What a cell may hold: a certificate that nobody has. */
const EXAMPLE = {
  common_name: "www.example.com",
  serial_number: "0A:1B:2C:3D",
  issuer: "C=US, O=Example CA, CN=Example Issuing CA",
  valid_from: "2026-01-01",
  valid_to: "2026-12-31",
  fingerprint_sha256:
    "00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF:00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF",
  algorithm: "rsa",
  key_size: 2048,
  status: "active",
  sans: ["www.example.com", "example.com"],
  tenant: "",
  private_key_location: "vault: pki/www",
};

/** The template as CSV. */
export async function csvTemplate(call: Call): Promise<Response> {
  return await template(call, "csv");
}

/** The same as JSON. */
export async function jsonTemplate(call: Call): Promise<Response> {
  return await template(call, "json");
}
