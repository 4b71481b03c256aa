/** Creation of certificates: given, derived and refused values. */

import assert from "node:assert/strict";
import { managerOf } from "../../support/actors.ts";
import { IDENTITY_TAKEN, WHOLE_CERTIFICATE, without } from "../../support/certificate_bodies.ts";
import { PATHS } from "../../support/paths.ts";
import { CHAIN, pki } from "../../support/pki.ts";
import { type Scenario, scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";
import { newKey } from "../../support/test_ca/mod.ts";

function create(title: string, body: unknown, expected: Partial<Scenario>): void {
  const changes = expected.status === undefined
    ? { status: 201, changes: ["create certmgr.certificate"] }
    : {};
  scenario(`Create: ${title}`, {
    as: "superuser",
    post: PATHS.certificates,
    body,
    status: 201,
    ...changes,
    ...expected,
  });
}

create("fields that are not given have their defaults", WHOLE_CERTIFICATE, {
  json: (body) => {
    const { key_size, status, sans, tenant, private_key_location, pem_content, issuer_chain, tags } = body;
    assert.deepEqual(
      { key_size, status, sans, tenant, private_key_location, pem_content, issuer_chain, tags },
      {
        key_size: null,
        status: "active",
        sans: [],
        tenant: null,
        private_key_location: "",
        pem_content: "",
        issuer_chain: "",
        tags: [],
      },
    );
    assert.deepEqual([body.pem_matches, body.chain_status, body.is_acme], [null, null, false]);
    assert.deepEqual([body.valid_from, body.valid_to], ["2026-01-01T00:00:00Z", "2026-12-31T00:00:00Z"]);
    assert.equal(body.serial_number, "0F:FF");
    assert.equal(body.created, "2026-06-15T12:00:00Z");
  },
});
for (const name of Object.keys(WHOLE_CERTIFICATE) as (keyof typeof WHOLE_CERTIFICATE)[]) {
  create(`${name} is required without a PEM`, without(name), {
    status: 400,
    equals: { [name]: ["This field is required."] },
  });
}
create("unknown and read-only fields are ignored", {
  ...WHOLE_CERTIFICATE,
  nonsense: 1,
  id: 77,
  created: "2001-01-01",
  is_acme: true,
  acme_provider: "zerossl",
  chain_status: "valid",
  pem_matches: true,
  days_remaining: 5_000,
}, {
  json: (body) => {
    assert.notEqual(body.id, 77);
    assert.deepEqual([body.is_acme, body.acme_provider, body.chain_status, body.pem_matches], [
      false,
      "",
      null,
      null,
    ]);
    assert.equal(body.days_remaining, 199);
  },
});
create("PEM alone fills every field", { pem_content: pki.fresh.pem }, {
  json: (body) => {
    assert.equal(body.common_name, "fresh.acme.example");
    assert.equal(body.serial_number, "00:F0:01");
    assert.equal(body.issuer, "C=US, O=Acme Corp, CN=Acme Issuing CA");
    assert.deepEqual([body.valid_from, body.valid_to], ["2026-05-01T00:00:00Z", "2026-10-31T23:59:59Z"]);
    assert.match(body.fingerprint_sha256, /^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    assert.deepEqual([body.algorithm, body.key_size], ["ecdsa", 256]);
    assert.deepEqual(body.sans, ["fresh.acme.example", "alt.fresh.acme.example"]);
    assert.deepEqual([body.pem_matches, body.pem_content], [true, pki.fresh.pem]);
    assert.equal(body.issuing_ca.name, "Acme Internal");
  },
});
create("given values take precedence over the PEM, and pem_matches shows the difference", {
  pem_content: pki.fresh.pem,
  common_name: "Shop front",
  serial_number: "ABC",
  sans: ["one.example"],
  key_size: 384,
}, {
  json: (body) => {
    assert.deepEqual([body.common_name, body.serial_number, body.sans], ["Shop front", "ABC", [
      "one.example",
    ]]);
    assert.deepEqual([body.key_size, body.pem_matches], [384, false]);
  },
});
create("a certificate without a common name gets its first DNS name", { pem_content: pki.anonymous.pem }, {
  json: (body) => {
    assert.equal(body.common_name, "dns-only.example");
    assert.deepEqual(body.sans, ["IP:192.0.2.7", "dns-only.example"]);
  },
});
create("text that is not PEM is refused on pem_content", {
  ...WHOLE_CERTIFICATE,
  pem_content: "not a certificate",
}, {
  status: 400,
  json: (body) => {
    assert.deepEqual(Object.keys(body), ["pem_content"]);
    assert.match(body.pem_content[0], /^Invalid PEM format or unable to parse certificate: /);
  },
});
create("an ACME provider is found by the issuer", { pem_content: pki.byAcme.pem }, {
  json: (body) => {
    assert.deepEqual([body.is_acme, body.acme_provider], [true, "letsencrypt"]);
    assert.equal(body.issuing_ca.name, "Let's Encrypt");
  },
});
create("a reference is an id or an object with unique fields", {
  ...WHOLE_CERTIFICATE,
  tenant: { name: "Globex Corp" },
  issuing_ca: String(seed.authorities.idle),
  tags: [{ slug: "pci" }, seed.tags.prod, { id: seed.tags.prod }],
}, {
  json: (body) => {
    assert.deepEqual([body.tenant.slug, body.issuing_ca.name], ["globex", "Unused CA"]);
    assert.deepEqual(body.tags.map((tag: { slug: string }) => tag.slug), ["pci", "prod"]);
  },
});
create(
  "a given issuing authority is stored unchanged",
  { pem_content: pki.fresh.pem, issuing_ca: 3 },
  {
    json: (body) => assert.equal(body.issuing_ca.name, "Unused CA"),
  },
);
for (
  const [field, value, message] of [
    ["tenant", 999, "Related object not found using the provided numeric ID: 999."],
    [
      "tenant",
      { slug: "nobody" },
      'Related object not found using the provided attributes: {"slug":"nobody"}.',
    ],
    ["tenant", { color: "red" }, "Expected an id or an object with id or slug or name."],
    ["tenant", { slug: "acme", name: "Globex Corp" }, /not found using the provided attributes/],
    ["tags", "prod", 'Expected a list, not "prod".'],
    ["tags", null, "This field may not be null."],
    ["serial_number", "", /^Expected 1 to 64 hexadecimal digits/],
    ["serial_number", "0".repeat(65), /^Expected 1 to 64 hexadecimal digits/],
    ["serial_number", ":", /^Expected 1 to 64/],
    ["serial_number", "12:", /^Expected 1 to 64/],
    ["serial_number", "0x12", /^Expected 1 to 64/],
    ["serial_number", 12, /^Expected 1 to 64/],
    ["fingerprint_sha256", "c".repeat(63), /^Expected 64 hexadecimal digits, colons optional, not "ccc/],
    ["fingerprint_sha256", "g".repeat(64), /^Expected 64 hexadecimal digits/],
    [
      "valid_from",
      "yesterday",
      /^Invalid date format: "yesterday"\. Expected YYYY-MM-DD or an ISO 8601 datetime/,
    ],
    ["valid_from", "2026-02-29", /^Invalid date format: "2026-02-29" is not a date of the calendar\./],
    [
      "valid_from",
      1_767_225_600,
      /^Invalid date format: 1767225600\..* Did you mean 2026-01-01T00:00:00Z\?$/,
    ],
    ["valid_from", null, "This field may not be null."],
    ["valid_to", "2025-12-31T23:59:59Z", "valid_to must not be before valid_from."],
    ["algorithm", "dsa", 'Expected one of rsa, ecdsa, ed25519, unknown, not "dsa".'],
    ["status", "fine", 'Expected one of active, expired, replaced, revoked, pending, not "fine".'],
    ["key_size", 0, "Expected a whole number from 1 to 1000000, not 0."],
    ["key_size", 2048.5, "Expected a whole number from 1 to 1000000, not 2048.5."],
    ["sans", "a.example", 'Expected a list of texts, not "a.example".'],
    ["sans", ["a.example", 5], "Entry 2: Expected text, not 5."],
    ["sans", ["a.example", ""], "Entry 2: This field may not be blank."],
    ["common_name", "", "This field may not be blank."],
    ["common_name", "  ", "This field may not be blank."],
    ["common_name", "a\0b", "Null characters are not allowed."],
    ["private_key_location", "x".repeat(501), "Ensure this field has no more than 500 characters."],
    ["acme_auto_renewal", "perhaps", 'Expected true or false, not "perhaps".'],
    ["replaced_by", 999, "Related object not found using the provided numeric ID: 999."],
    ["issuing_ca", 999, "Related object not found using the provided numeric ID: 999."],
  ] as const
) {
  create(`${field} may not be ${JSON.stringify(value).slice(0, 60)}`, {
    ...WHOLE_CERTIFICATE,
    [field]: value,
  }, {
    status: 400,
    json: (body) => {
      assert.deepEqual(Object.keys(body), [field]);
      if (typeof message === "string") assert.deepEqual(body[field], [message]);
      else assert.match(body[field][0], message);
    },
  });
}
create("all invalid fields are reported at once", {
  ...without("issuer"),
  status: "fine",
  key_size: "many",
  sans: 5,
}, {
  status: 400,
  json: (body) => assert.deepEqual(Object.keys(body).sort(), ["issuer", "key_size", "sans", "status"]),
});

for (const serial of ["01:00:02", "010002", "10002", "00000000010002", "1:00:02"]) {
  create(`the serial number ${serial} equals that of a stored certificate`, {
    ...WHOLE_CERTIFICATE,
    serial_number: serial,
    issuer: "C=US, O=Metadata CA, CN=Issuer 1",
  }, { status: 400, equals: IDENTITY_TAKEN });
}
for (const serial of ["0a1b2c", "A1:B2:C", "00:0A:1B:2C"]) {
  create(`the serial number ${serial} of a stored PEM is a duplicate`, {
    pem_content: pki.stored.acme.pem,
    serial_number: serial,
  }, {
    status: 400,
    equals: IDENTITY_TAKEN,
  });
}
create("a serial number may be used again by another issuer", {
  ...WHOLE_CERTIFICATE,
  serial_number: "010002",
}, {});
create("a duplicate of a hidden certificate is refused without details about it", {
  pem_content: pki.stored.globex.pem,
  tenant: { slug: "acme" },
}, { as: managerOf("acme"), status: 400, equals: IDENTITY_TAKEN, excludes: ["globex"] });
create("two equal certificates in one list: the second is refused", [WHOLE_CERTIFICATE, {
  ...WHOLE_CERTIFICATE,
  serial_number: "00fff",
}], {
  status: 400,
  equals: [{}, IDENTITY_TAKEN],
});
const leaked = (await newKey("p256")).privateKeyPem;
for (
  const field of ["common_name", "private_key_location", "pem_content", "issuer_chain", "sans", "nonsense"]
) {
  const value = field === "sans" ? [leaked] : field === "pem_content" ? pki.fresh.pem + leaked : leaked;
  create(
    `a private key in ${field} is refused and not repeated`,
    { ...WHOLE_CERTIFICATE, [field]: value },
    {
      status: 400,
      equals: { [field]: ["Private key detected. Private keys are never stored."] },
    },
  );
}
create("the chain is stored unchanged", { pem_content: pki.fresh.pem, issuer_chain: CHAIN }, {
  json: (body) => assert.equal(body.issuer_chain, CHAIN),
});
