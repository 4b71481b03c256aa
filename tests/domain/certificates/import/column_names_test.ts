/** Headings of spreadsheets, and cells as people write them. */

import assert from "node:assert/strict";
import { columnMeant } from "../../../../src/domain/certificates/import/mod.ts";
import { KNOWN_COLUMNS } from "../../../../src/domain/certificates/import/columns.ts";
import { normalizeCells } from "../../../../src/domain/certificates/import/data_row.ts";

const HEADINGS: readonly (readonly [heading: string, column: string | null])[] = [
  ["common_name", "common_name"],
  ["Common Name", "common_name"],
  ["COMMON-NAME", "common_name"],
  ["CN", "common_name"],
  ["Serial No.", "serial_number"],
  ["Issued by", "issuer"],
  ["Not Before", "valid_from"],
  ["From", "valid_from"],
  ["Expiry date", "valid_to"],
  ["Expires", "valid_to"],
  ["Expiry", "valid_to"],
  ["Not After", "valid_to"],
  ["Until", "valid_to"],
  ["Alg", "algorithm"],
  ["Valid until", "valid_to"],
  ["SHA-256 Fingerprint", "fingerprint_sha256"],
  ["Key Size", "key_size"],
  ["Subject Alternative Names", "sans"],
  ["Days remaining", "days_remaining"],
  ["Server", "devices"],
  ["Owner", "contacts"],
  ["Verantwortlich", "contacts"],
  ["owner", "owner"],
  ["Installed on", "devices"],
  ["Ger\u00e4t", "devices"],
  ["Serveur", "devices"],
  ["Allgemeiner Name", "common_name"],
  ["Nom commun", "common_name"],
  ["Nombre com\u00fan", "common_name"],
  ["Seriennummer", "serial_number"],
  ["Num\u00e9ro de s\u00e9rie", "serial_number"],
  ["N\u00ba de serie", "serial_number"],
  ["Aussteller", "issuer"],
  ["\u00c9metteur", "issuer"],
  ["Emisor", "issuer"],
  ["G\u00fcltig ab", "valid_from"],
  ["V\u00e1lido desde", "valid_from"],
  ["G\u00fcltig bis", "valid_to"],
  ["Valable jusqu'au", "valid_to"],
  ["V\u00e1lido hasta", "valid_to"],
  ["Fecha de vencimiento", "valid_to"],
  ["Algorithmus", "algorithm"],
  ["Schl\u00fcssell\u00e4nge", "key_size"],
  ["Taille de cl\u00e9", "key_size"],
  ["Mandant", "tenant"],
  ["Läuft ab am", "valid_to"],
  ["Ausgestellt von", "issuer"],
  ["Fingerabdruck (SHA-256)", "fingerprint_sha256"],
  ["Schlüsselgröße", "key_size"],
  ["Bemerkungen", "comments"],
  ["N° de série", "serial_number"],
  ["Délivré par", "issuer"],
  ["Expire le", "valid_to"],
  ["Date d'échéance", "valid_to"],
  ["Échéance", "valid_to"],
  ["Empreinte SHA-256", "fingerprint_sha256"],
  ["Número de serie", "serial_number"],
  ["Emitido por", "issuer"],
  ["Fecha de caducidad", "valid_to"],
  ["Tamaño de clave", "key_size"],
  ["Observaciones", "comments"],
  ["cf_Rack Unit", "cf_Rack Unit"],
  ["", null],
  ["Errors", null],
  ["SANs (DNS, IP)", "sans"],
  ["Valid to (UTC)", "valid_to"],
  ["Colour", "Colour"],
  ["__proto__", "__proto__"],
  ["constructor", "constructor"],
];

for (const [heading, column] of HEADINGS) {
  Deno.test(`The heading ${JSON.stringify(heading)} means ${column ?? "nothing"}`, () => {
    assert.equal(columnMeant(heading), column);
  });
}

Deno.test("Every column means itself, so that an export is read unchanged", () => {
  for (const column of KNOWN_COLUMNS) assert.equal(columnMeant(column), column);
});

Deno.test("Choices are read in any case, and other cells stay as they are", () => {
  const given = {
    algorithm: " ECC ",
    status: "Active",
    common_name: " A.example, b",
    key_size: 2048,
    sans: ["A"],
  };
  assert.deepEqual(normalizeCells(given), { ...given, algorithm: "ecdsa", status: "active" });
});
