/** Files of people's programs, whole, through the page that adds certificates: what is created, or the message. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { type TestApp, testApp } from "../../support/app.ts";
import { PATHS } from "../../support/paths.ts";
import { browserOf, textOf } from "./browser.ts";

const FOLDER = new URL("../../data/files/", import.meta.url);

/** The common names that are created (a number: how many), and what the page says. */
interface Outcome {
  readonly created: readonly string[] | number;
  readonly says?: readonly RegExp[];
}

const BOTH = ["Bugs Issuing CA 1", "www7.bugs.example"];
const CHAIN = { created: ["Bugs Issuing CA 1", "Bugs Root CA", "www1.bugs.example"] };
const ONE = { created: ["www12.bugs.example"] };
const KEY = { created: [], says: [/Private key detected\. Private keys are never stored\./] };
const STORE = { created: [], says: [/is a PKCS#12 file, which can have private keys/, /openssl pkcs12 -in/] };

const FILES: Readonly<Record<string, Outcome>> = {
  "certs.zip": { created: [], says: [/A ZIP archive\. Extract it, and choose its files\./] },
  "crt-le-ip-20.pem": { created: ["198.51.100.20"] },
  "crt-le-ip-21.pem": { created: ["198.51.100.21"] },
  "csv-ampm.csv": {
    created: ["hA008.bugs.example", "hA009.bugs.example"],
    says: [/Valid from: dates are read with the month first/, /2025-12-31T00:00:00Z 2027-12-31T23:59:59Z/],
  },
  "csv-delim-1-unquoted-comma.csv": { created: ["d1.bugs.example"], says: [/All 8 columns recognized/] },
  "csv-excel-missing-last-delimiters.csv": { created: 20 },
  "csv-many-dates.csv": {
    created: 26,
    says: [
      /Invalid date format: "46752"\. Expected YYYY-MM-DD\. Did you mean 2027-12-31 or 2032-01-01\?/,
      /"12\/31\/2027 23:59:59 EST"\. .* Did you mean 2028-01-01T04:59:59Z or 2027-12-31T13:59:59Z\?/,
    ],
  },
  "csv-san-spellings.csv": { created: 4 },
  "csv-sep-semicolon.csv": { created: ["hA001.bugs.example"], says: [/All 7 columns recognized/] },
  "csv-serial-spellings.csv": {
    created: 12,
    says: [/not "1\.23457E\+15"\. A spreadsheet has rounded this number/, /not "-0A1B08"/, /not "0a:1b:09:"/],
  },
  "csv-trailing-delimiter.csv": { created: ["sB05C.bugs.example"] },
  "csv-us-hyphen-dates.csv": {
    created: [],
    says: [
      /Valid from: dates are read with the month first \( ?12-31-2025 ?\)/,
      /"01-05-2027"\. .* Did you mean 2027-05-01 or 2027-01-05\?/,
    ],
  },
  // A list of endpoints, which the page of endpoints reads (see the next test).
  "endpoints-hostname-heading.csv": { created: [], says: [/The file has no columns for Serial number/] },
  "jks.jks": { created: [], says: [/A Java key store \(JKS\)\..* keytool -list -rfc/] },
  "key-dotnet.xml": KEY,
  "key-openssl-rsa-text.txt": KEY,
  "p7b-certificate-label-windows.pem": CHAIN,
  "pem-chain-label.pem": CHAIN,
  "pem-json-escaped-n.txt": { created: BOTH },
  "pem-json-object.json": { created: BOTH },
  "pem-quoted-mail.txt": ONE,
  "pem-word-dashes.txt": ONE,
  "pem-word-dashes5.txt": ONE,
  "pem-x.509-label.pem": ONE,
  "truststore-p12.p12": STORE,
  "umlaut-aes.p12": STORE,
};

/** Sends a file, imports what can be imported, and returns the texts of the pages. */
async function add(app: TestApp, name: string): Promise<string> {
  const browser = await browserOf(app);
  const file = new File([await Deno.readFile(new URL(name, FOLDER))], name);
  const { status, location, html } = await browser.postFiles("/certificates/add/", "file", [file]);
  if (status === 303) {
    const preview = textOf((await browser.get(location)).html);
    await browser.post(`${location}confirm/`, { good: "1" });
    return preview;
  }
  if (status === 200) {
    const form = new FormData();
    form.append("file", file);
    const client = await app.as({ username: "api", superuser: true, grants: [] });
    const response = await client(`${PATHS.certificates}import-file/`, { method: "POST", body: form });
    assert.equal(response.status, 201, await response.text());
  }
  return textOf(html);
}

for (const [name, { created, says = [] }] of Object.entries(FILES)) {
  Deno.test(`the file ${name} is read, or the message says what to do`, async () => {
    await using app = await testApp();
    const before =
      (await app.database.all<{ id: number }>(sql`SELECT max(id) AS id FROM certificates`))[0]!.id;
    const text = await add(app, name);
    for (const message of says) assert.match(text, message);
    const rows = await app.database.all<{ common_name: string }>(
      sql`SELECT common_name FROM certificates WHERE id > ${before} ORDER BY common_name`,
    );
    const names = rows.map(({ common_name }) => common_name);
    if (typeof created === "number") assert.equal(names.length, created, names.join());
    else assert.deepEqual(names, created);
  });
}

Deno.test("every file has a row in the table", async () => {
  const names = (await Array.fromAsync(Deno.readDir(FOLDER))).map((entry) => entry.name);
  assert.deepEqual(names.sort(), Object.keys(FILES).sort());
});

Deno.test("the list of endpoints keeps its ports, and its headings are no hosts", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const content = await Deno.readTextFile(new URL("endpoints-hostname-heading.csv", FOLDER));
  const response = await client(`${PATHS.endpoints}import/`, { method: "POST", body: { content } });
  assert.equal(response.status, 200, await response.clone().text());
  const { results } = await (await client(`${PATHS.endpoints}?host__iew=.example&ordering=host`)).json();
  const found = results.map(({ host, port }: { host: string; port: number }) => `${host}:${port}`);
  assert.deepEqual(found.filter((one: string) => /^www\.[ab]\.example/.test(one)), [
    "www.a.example:443",
    "www.b.example:8443",
  ]);
});
