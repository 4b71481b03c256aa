/** Imports of PEM text: one certificate with its chain, or each block as a certificate. */

import assert from "node:assert/strict";
import { granted, managerOf, readerOf, superuser, within } from "../../support/actors.ts";
import { PATHS } from "../../support/paths.ts";
import { CHAIN, pki } from "../../support/pki.ts";
import { type Scenario, scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const TYPE = "certmgr.certificate";
const IMPORT = `${PATHS.certificates}import/`;
const CREATED = { status: 201, changes: [`create ${TYPE}`] };
const { fresh, other, issuing, root, stored } = pki;

function imports(title: string, body: unknown, expected: Partial<Scenario>): void {
  scenario(`Import: ${title}`, { as: "superuser", post: IMPORT, body, status: 400, ...expected });
}

imports("a certificate is stored and returned completely", { pem_content: fresh.pem }, {
  ...CREATED,
  answers: { location: /\/api\/plugins\/certmgr\/certificates\/\d+\/$/, etag: /^W\/"\d+-[0-9a-f]{16}"$/ },
  json: (body) => {
    assert.equal(body.common_name, "fresh.acme.example");
    assert.deepEqual([body.pem_content, body.issuer_chain, body.pem_matches], [fresh.pem, "", true]);
    assert.equal(body.issuing_ca.name, "Acme Internal");
  },
});
imports("further certificates are stored as its chain, nearest first", {
  pem_content: fresh.pem + root.pem + issuing.pem,
}, {
  ...CREATED,
  json: (body) => assert.equal(body.issuer_chain, CHAIN),
});
imports("text around the blocks, CRLF and a missing last line end do not matter", {
  pem_content: `subject=CN = fresh\r\n${fresh.pem.replaceAll("\n", "\r\n")}\r\n\r\n  ${CHAIN.trim()}`,
}, {
  ...CREATED,
  json: (body) => assert.deepEqual([body.pem_content, body.issuer_chain], [fresh.pem, CHAIN]),
});
imports(
  "the same block twice is one certificate",
  { pem_content: fresh.pem + issuing.pem + fresh.pem },
  CREATED,
);
imports("location, tenant and tags are the caller's", {
  pem_content: fresh.pem,
  private_key_location: "vault:x",
  tenant: { slug: "globex" },
  tags: [{ slug: "pci" }],
}, {
  ...CREATED,
  json: (body) =>
    assert.deepEqual([body.private_key_location, body.tenant.slug, body.tags[0].slug], [
      "vault:x",
      "globex",
      "pci",
    ]),
});
imports("certificates that are not part of the first one's chain become records", {
  pem_content: fresh.pem + other.pem,
  private_key_location: "vault:x",
}, {
  status: 201,
  changes: [`create ${TYPE}`, `create ${TYPE}`],
  json: (body) => {
    assert.deepEqual([body.created_count, body.skipped_count], [2, 0]);
    const names = body.certificates.map(({ common_name }: { common_name: string }) => common_name);
    assert.deepEqual(names, ["fresh.acme.example", "other.acme.example"]);
  },
});
imports("an existing certificate that is not part of the first one's chain is skipped", {
  pem_content: fresh.pem + CHAIN + stored.acme.pem,
}, {
  status: 201,
  changes: [`create ${TYPE}`],
  json: (body) => assert.deepEqual([body.created_count, body.skipped_count], [1, 1]),
});
imports(
  "of a chain before its certificate, the certificates that are no issuers of the first one become records",
  {
    pem_content: CHAIN + fresh.pem,
  },
  {
    status: 201,
    changes: [`create ${TYPE}`, `create ${TYPE}`],
    json: (body) => assert.equal(body.created_count, 2),
  },
);

imports("split stores each block as a certificate with its chain from the text", {
  pem_content: CHAIN + fresh.pem + other.pem,
  split: true,
  tenant: 1,
}, {
  status: 201,
  changes: Array(4).fill(`create ${TYPE}`),
  json: (body) => {
    assert.deepEqual([body.created_count, body.skipped_count, body.skipped], [4, 0, []]);
    assert.deepEqual(body.certificates.map((one: { common_name: string }) => one.common_name), [
      "Acme Issuing CA",
      "Acme Root CA",
      "fresh.acme.example",
      "other.acme.example",
    ]);
    assert.deepEqual(Object.keys(body.certificates[0]), [
      "id",
      "url",
      "common_name",
      "serial_number",
      "status",
      "valid_to",
    ]);
  },
});
imports("split skips existing certificates", { pem_content: stored.acme.pem + fresh.pem, split: true }, {
  status: 201,
  changes: [`create ${TYPE}`],
  json: (body) => {
    assert.deepEqual([body.created_count, body.skipped_count], [1, 1]);
    assert.deepEqual(body.skipped, [{
      common_name: "www.acme.example",
      serial_number: "0A:1B:2C",
      reason: `Certificate already exists: www.acme.example (ID: ${seed.certificates.acmeWeb}).`,
    }]);
  },
});
imports("split of only existing certificates answers 200", { pem_content: stored.acme.pem, split: true }, {
  status: 200,
  json: (body) => assert.deepEqual([body.created_count, body.certificates, body.skipped_count], [0, [], 1]),
});
imports("split skips the second of two equal blocks", { pem_content: fresh.pem + fresh.pem, split: true }, {
  status: 201,
  changes: [`create ${TYPE}`],
  json: (body) => assert.equal(body.skipped[0].reason, "Duplicate of item 0 in this batch."),
});

imports("an existing certificate is named with its id", { pem_content: stored.acme.pem }, {
  equals: {
    pem_content: [`Certificate already exists: www.acme.example (ID: ${seed.certificates.acmeWeb}).`],
  },
});
imports("the error about a hidden duplicate says only that it exists", {
  pem_content: stored.globex.pem,
  tenant: { slug: "acme" },
}, { as: managerOf("acme"), equals: { pem_content: ["Certificate already exists."] } });
imports("split says no more about a hidden duplicate", {
  pem_content: stored.globex.pem,
  tenant: { slug: "acme" },
  split: true,
}, {
  as: managerOf("acme"),
  status: 200,
  json: (body) => assert.equal(body.skipped[0].reason, "Certificate already exists."),
});

imports("import_certificate is enough", { pem_content: fresh.pem }, {
  ...CREATED,
  as: granted([{ types: [TYPE], actions: ["import"] }]),
});
imports("the deprecated action add allows it, too, and is logged as deprecated", { pem_content: fresh.pem }, {
  ...CREATED,
  as: granted([{ types: [TYPE], actions: ["add"] }]),
  logs: ['"event":"deprecated"', 'Grant the action \\"import\\"'],
});
imports("view and change are not enough", { pem_content: fresh.pem }, {
  status: 403,
  as: granted([{ types: [TYPE], actions: ["view", "change", "delete"] }]),
});
imports("a caller with only view may not import", { pem_content: fresh.pem }, {
  as: readerOf("acme"),
  status: 403,
});
imports("a read-only token may not import", { pem_content: fresh.pem }, {
  as: superuser({ readOnlyToken: true }),
  status: 403,
});
imports("without credentials nothing is imported", { pem_content: fresh.pem }, { as: "nobody", status: 401 });
imports("a certificate outside the constraints of import is refused and not stored", {
  pem_content: fresh.pem,
}, {
  as: managerOf("acme"),
  status: 403,
});
imports("a certificate inside the constraints is stored", {
  pem_content: fresh.pem,
  tenant: { slug: "acme" },
}, {
  ...CREATED,
  as: managerOf("acme"),
});
imports("the constraints of import apply, not those of add", { pem_content: fresh.pem }, {
  as: granted([
    { types: [TYPE], actions: ["import"], constraints: { common_name: "other.acme.example" } },
    { types: [TYPE], actions: ["add"] },
  ]),
  status: 403,
});
imports("one certificate outside the constraints makes the whole import fail", {
  pem_content: fresh.pem + other.pem,
  split: true,
}, {
  as: within(TYPE, ["import"], { common_name: "fresh.acme.example" }),
  status: 403,
});

for (
  const [what, body, field, message] of [
    ["missing pem_content", {}, "pem_content", /^This field is required\.$/],
    [
      "pem_content that is not a text",
      { pem_content: [fresh.pem] },
      "pem_content",
      /^Expected text, not \[/,
    ],
    ["empty text", { pem_content: "" }, "pem_content", /^Invalid PEM format/],
    ["prose", { pem_content: "hello" }, "pem_content", /^Invalid PEM format/],
    ["a truncated block", { pem_content: fresh.pem.slice(0, 300) }, "pem_content", /^Invalid PEM format/],
    [
      "a block of noise",
      { pem_content: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----" },
      "pem_content",
      /^Invalid PEM format.*block 1, line 1/,
    ],
    [
      "one bad block of two",
      { pem_content: `${fresh.pem}-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----` },
      "pem_content",
      /block 2, line \d+/,
    ],
    [
      "text over the limit",
      { pem_content: fresh.pem + " ".repeat(1024 * 1024) },
      "pem_content",
      /no more than 1048576 characters/,
    ],
    [
      "an unknown tenant",
      { pem_content: fresh.pem, tenant: 999 },
      "tenant",
      /^Related object not found using the provided numeric ID: 999\.$/,
    ],
    [
      "an unknown tag",
      { pem_content: fresh.pem, tags: [{ slug: "x" }] },
      "tags",
      /^Related object not found/,
    ],
    [
      "a location that is too long",
      { pem_content: fresh.pem, private_key_location: "x".repeat(501) },
      "private_key_location",
      /500 characters/,
    ],
    ["an invalid split", { pem_content: fresh.pem, split: "perhaps" }, "split", /^Expected true or false/],
  ] as const
) {
  imports(`${what} is refused on its field`, body, {
    json: (given) => {
      assert.deepEqual(Object.keys(given), [field]);
      assert.match(given[field][0], message);
    },
  });
}
for (const body of [[], [{ pem_content: fresh.pem }], null, "text", 5, true]) {
  imports(`${JSON.stringify(body)?.slice(0, 20)} is not a valid body`, body === null ? "null" : body, {
    headers: { "content-type": "application/json" },
    contains: ["Expected an object, not "],
    ...(typeof body === "string" ? { body: JSON.stringify(body) } : {}),
  });
}
imports("an empty body is refused as empty", "", {
  headers: { "content-type": "application/json" },
  contains: ["The body is empty. Expected an object."],
});
imports("text after the certificate that is a private key is refused", {
  pem_content: fresh.pem + fresh.key.privateKeyPem,
}, {
  equals: { pem_content: ["Private key detected. Private keys are never stored."] },
});
for (const field of ["private_key_location", "tenant", "tags", "split", "anything"]) {
  const key = fresh.key.privateKeyPem;
  const value = field === "tenant" ? { name: key } : field === "tags" ? [{ slug: key }] : key;
  imports(`a private key in ${field} is refused`, { pem_content: fresh.pem, [field]: value }, {
    json: (body) => assert.deepEqual(body[field], ["Private key detected. Private keys are never stored."]),
  });
}
imports("malformed JSON is refused", '{"pem_content":', {
  headers: { "content-type": "application/json" },
  contains: ["JSON parse error - "],
});
imports("PEM as the body itself answers 415", fresh.pem, {
  headers: { "content-type": "application/x-pem-file" },
  status: 415,
});
imports("a body over the limit answers 413", { pem_content: fresh.pem }, {
  app: { maxBodyBytes: 500 },
  status: 413,
});
