import assert from "node:assert/strict";
import { derWriter, type GeneralNameInput, otherName, TestCa } from "../../support/test_ca/mod.ts";
import { codes, pure, validate } from "./support.ts";

interface Row {
  readonly permitted?: GeneralNameInput[];
  readonly excluded?: GeneralNameInput[];
  readonly passes?: GeneralNameInput[];
  readonly refused?: GeneralNameInput[];
}

const UPN = "1.3.6.1.4.1.311.20.2.3";
const SMTP_UTF8 = "1.3.6.1.5.5.7.8.9";
const OTHER_TYPE = "1.3.6.1.4.1.99999.7";

const TABLE: Readonly<Record<string, Row>> = {
  "A permitted DNS name covers itself and all names below": {
    permitted: ["Example.com"],
    passes: ["example.com", "EXAMPLE.COM", "a.example.com", "a.b.example.com", "*.example.com"],
    refused: ["example.org", "notexample.com", "com", "example.com.org", "*.com"],
  },
  "An excluded DNS name excludes itself and everything below": {
    excluded: ["bad.example.com"],
    passes: ["example.com", "good.example.com", "notbad.example.com", "*.good.example.com"],
    refused: ["bad.example.com", "a.bad.example.com", "BAD.example.com", "*.bad.example.com"],
  },
  "A wildcard that could match an excluded name is refused": {
    excluded: ["bad.example.com"],
    passes: ["*.a.example.com", "*.example.org"],
    refused: ["*.example.com", "b*.example.com"],
  },
  "A wildcard covers one label": {
    excluded: ["very.bad.example.com"],
    passes: ["*.example.com"],
    refused: ["*.bad.example.com"],
  },
  "A wildcard wider than the permitted name is refused": {
    permitted: ["foo.example.com"],
    passes: ["*.foo.example.com"],
    refused: ["*.example.com"],
  },
  "A DNS constraint with a leading period requires one more label": {
    permitted: [".example.com"],
    passes: ["a.example.com"],
    refused: ["example.com"],
  },
  "The empty DNS constraint covers every name": {
    excluded: ["DNS:"],
    refused: ["example.com", "*.example.com", "localhost"],
    passes: ["IP:10.0.0.1"],
  },
  "Invalid DNS names are refused where DNS names are constrained": {
    permitted: ["example.com"],
    refused: [".example.com", "a..example.com", "example.com.", "a b.example.com", "*.*.example.com", "DNS:"],
  },
  "Excluded takes precedence over permitted": {
    permitted: ["example.com"],
    excluded: ["example.com"],
    refused: ["example.com", "a.example.com"],
  },
  "Constraints of one form do not apply to another": {
    permitted: ["IP:10.0.0.0/8"],
    passes: ["example.com", "email:a@example.com", "URI:http://example.com/", "dirName:O=x"],
    refused: ["IP:11.0.0.1"],
  },
  "IP addresses lie within address and mask": {
    permitted: ["IP:10.1.0.0/16", "IP:2001:db8::/32"],
    passes: ["IP:10.1.255.255", "IP:2001:db8:ffff::1"],
    refused: ["IP:10.2.0.0", "IP:2001:db9::1"],
  },
  "An address of the family that is not permitted is refused": {
    permitted: ["IP:10.0.0.0/8"],
    refused: ["IP:2001:db8::1", "IP:a00::1"],
  },
  "Excluded addresses are refused": {
    excluded: ["IP:192.0.2.128/25"],
    passes: ["IP:192.0.2.127", "IP:2001:db8::1"],
    refused: ["IP:192.0.2.128", "IP:192.0.2.255"],
  },
  "A mailbox permits only itself, its local part to the letter": {
    permitted: ["email:User@Example.com"],
    passes: ["email:User@example.COM"],
    refused: ["email:user@example.com", "email:User@a.example.com"],
  },
  "A quoted local part is the mailbox without its quotes and escapes": {
    permitted: ["email:john@example.com"],
    passes: ['email:"john"@example.com', 'email:"jo\\hn"@example.com'],
    refused: ['email:"John"@example.com', 'email:"john "@example.com', 'email:"john@example.com'],
  },
  "A quoted constraint is the same mailbox": {
    excluded: ['email:"john"@example.com'],
    passes: ["email:jane@example.com"],
    refused: ["email:john@example.com"],
  },
  "SmtpUTF8Mailbox names are subject to rfc822 constraints (RFC 9598 §6)": {
    permitted: ["email:example.com"],
    passes: [otherName(SMTP_UTF8, "älice@example.com"), otherName(SMTP_UTF8, "bob@Example.com")],
    refused: [
      otherName(SMTP_UTF8, "älice@example.org"),
      otherName(SMTP_UTF8, "älice@a.example.com"),
      otherName(SMTP_UTF8, "alice@exämple.com"),
      otherName(SMTP_UTF8, "example.com"),
    ],
  },
  "An excluded mailbox excludes its SmtpUTF8Mailbox": {
    excluded: ["email:bob@example.com"],
    passes: [otherName(SMTP_UTF8, "älice@example.com")],
    refused: [otherName(SMTP_UTF8, "bob@example.com")],
  },
  "A host permits its mailboxes but not those below it": {
    permitted: ["email:example.com"],
    passes: ["email:a@example.com", 'email:"a b"@EXAMPLE.com'],
    refused: ["email:a@b.example.com", "email:a@example.org"],
  },
  "A domain with a leading period permits the mailboxes below it only": {
    permitted: ["email:.example.com"],
    passes: ["email:a@b.example.com", "email:a@b.c.example.com"],
    refused: ["email:a@example.com"],
  },
  "An asterisk in a mailbox is an ordinary character": {
    permitted: ["email:*@example.com"],
    passes: ["email:*@example.com"],
    refused: ["email:a@example.com"],
  },
  "Invalid mailboxes are refused where mailboxes are constrained": {
    permitted: ["email:example.com"],
    refused: ["email:a@b@example.com", "email:example.com", "email:@example.com", "email:a@"],
  },
  "A host constrains the host of a URI, whatever surrounds it": {
    permitted: ["URI:example.com"],
    passes: [
      "URI:http://example.com",
      "URI:HTTPS://u:p@Example.com:8443/x?y#z",
      "URI:ftp://example.com/@evil.org",
    ],
    refused: ["URI:http://a.example.com/", "URI:http://example.org/", "URI:http://example.com@evil.org/"],
  },
  "A URI that RFC 3986 does not allow is refused where URIs are constrained": {
    permitted: ["URI:example.com"],
    passes: ["URI:http://u%40p@example.com/", "URI:http://example.com:/", "URI:http://example.com?a@b"],
    refused: [
      "URI:http://example.com\\@evil.org/",
      "URI:http://evil.org\\@example.com/",
      "URI:http://evil.org\\.example.com/",
      "URI:http://a@b@example.com/",
      "URI:http://example.com:80x/",
      "URI:http://example.com:80:80/",
      "URI:http://u%4@example.com/",
      "URI:http://[x]@example.com/",
      "URI:http://example.com /",
      "URI:http://<example.com/",
      "URI:http://example.com/\\",
    ],
  },
  "A domain with a leading period constrains the hosts below it": {
    permitted: ["URI:.example.com"],
    passes: ["URI:http://a.example.com/"],
    refused: ["URI:http://example.com/"],
  },
  "A URI without a host name is refused where URIs are constrained": {
    excluded: ["URI:example.com"],
    passes: ["URI:http://example.org/"],
    refused: [
      "URI:urn:a:b",
      "URI:mailto:a@b.org",
      "URI:http://10.0.0.1/",
      "URI:http://[::1]/",
      "URI:http:///x",
      "URI:x",
    ],
  },
  "A directory name covers the names that begin with it": {
    permitted: ["dirName:C=US, O=Acme", "dirName:CN=a.example"],
    passes: ["dirName:C=US, O=ACME, CN=x", "dirName:C=US, O=Acme"],
    refused: ["dirName:O=Acme, C=US", "dirName:C=US", "dirName:C=US, O=Acme Ltd", "dirName:O=Acme"],
  },
  "Excluded directory names are refused": {
    excluded: ["dirName:C=US, O=Evil"],
    passes: ["dirName:C=US, O=Good"],
    refused: ["dirName:C=US, O=evil, CN=x"],
  },
  "A form that cannot be compared is refused where it is constrained": {
    excluded: [otherName(OTHER_TYPE, "x"), "RID:1.2.3"],
    passes: ["example.com", otherName(UPN, "a@b")],
    refused: [otherName(OTHER_TYPE, "y"), "RID:1.2.4"],
  },
};

/** Returns whether a leaf with these names passes a CA with the row's constraints. */
async function outcome({ permitted = [], excluded = [] }: Row, sans: GeneralNameInput[]): Promise<string> {
  const root = await TestCa.root({ nameConstraints: { permitted, excluded } });
  const leaf = await root.issue({ cn: "a.example", sans });
  const result = await validate({ leaf, pool: [root] });
  return result.isValid ? "passes" : codes(result.errors).join();
}

for (const [title, row] of Object.entries(TABLE)) {
  pure(title, async () => {
    for (const name of row.passes ?? []) assert.equal(await outcome(row, [name]), "passes", `${name}`);
    for (const name of row.refused ?? []) {
      assert.equal(await outcome(row, [name]), "name_constraints", `${name}`);
    }
  });
}

pure("Every name of a certificate must pass", async () => {
  assert.equal(
    await outcome({ permitted: ["example.com"] }, ["example.com", "example.org"]),
    "name_constraints",
  );
});

pure("The subject is a directory name, and its e-mail address counts when there is no other", async () => {
  for (
    const [subject, sans, constraint, result] of [
      ["O=Acme, CN=x", [], "dirName:O=Acme", "valid"],
      ["O=Other, CN=x", [], "dirName:O=Acme", "invalid_signature"],
      ["", ["a.example"], "dirName:O=Acme", "valid"],
      ["CN=x, emailAddress=a@example.com", [], "email:example.com", "valid"],
      ["CN=x, emailAddress=a@example.org", [], "email:example.com", "invalid_signature"],
      ["CN=x, emailAddress=Ab@example.com", [], "email:aB@example.com", "valid"],
      ["CN=x, emailAddress=Ab@example.com", [], "email:b@example.com", "invalid_signature"],
      [
        "CN=x, emailAddress=Ab@example.com",
        ["email:Ab@example.com"],
        "email:aB@example.com",
        "invalid_signature",
      ],
      ["CN=x, emailAddress=a@example.org", ["a.example"], "email:example.com", "invalid_signature"],
      ["CN=x, emailAddress=a@example.org", ["email:a@example.com"], "email:example.com", "valid"],
    ] as const
  ) {
    const root = await TestCa.root({ nameConstraints: { permitted: [constraint] } });
    const leaf = await root.issue({ subject, sans });
    const { status } = await validate({ leaf, pool: [root] });
    assert.equal(status, result, `${subject} ${sans} under ${constraint}`);
  }
});

pure("Malformed constraints refuse every certificate below", async () => {
  const badAddress = derWriter.implicit(7, Uint8Array.of(10, 0, 0, 0));
  const badMask = derWriter.implicit(7, Uint8Array.of(10, 0, 0, 0, 255, 0, 255, 0));
  for (
    const base of [
      "*.example.com",
      "a..b",
      ".",
      "example.com.",
      "email:example.com.",
      "URI:.",
      "email:a@b@c",
      "email:@example.com",
      "URI:http://example.com",
      badAddress,
      badMask,
    ]
  ) {
    const root = await TestCa.root({ nameConstraints: { permitted: [base] } });
    const leaf = await root.issue({ cn: "x", sans: [] });
    const result = await validate({ leaf, pool: [root] });
    assert.equal(result.status, "invalid_signature", `${base}`);
    assert.match(codes(result.errors).join(), /^(name_constraints|malformed_extension)$/, `${base}`);
  }
});

pure("Permitted names only get narrower on the way down", async () => {
  for (const [upper, lower] of [["a.example", "b.a.example"], ["b.a.example", "a.example"]] as const) {
    const root = await TestCa.root({ nameConstraints: { permitted: [upper] } });
    const ca = await root.intermediate({ nameConstraints: { permitted: [lower] } });
    const inside = await ca.issue({ cn: "x.b.a.example" });
    const outside = await ca.issue({ cn: "c.a.example" });
    assert.equal((await validate({ leaf: inside, pool: [ca, root] })).status, "valid");
    assert.equal((await validate({ leaf: outside, pool: [ca, root] })).status, "invalid_signature");
  }
});

pure(
  "The error names the certificate, the constraint's holder and the name, with controls made visible",
  async () => {
    const root = await TestCa.root({ nameConstraints: { permitted: ["example.com"] } });
    const leaf = await root.issue({ cn: "x", sans: ["evil\u001b[31m.org"] });
    const { errors } = await validate({ leaf, pool: [root] });
    assert.match(
      errors[0]!,
      /^name_constraints: Certificate 1 violates the constraints of certificate 2: "evil/,
    );
    // deno-lint-ignore no-control-regex -- the control character must not be there
    assert.doesNotMatch(errors[0]!, /\u001b/);
  },
);

pure("A name of an unknown kind leaves a certificate readable, but its path is invalid", async () => {
  const root = await TestCa.root();
  const leaf = await root.issue({
    sans: ["a.example", derWriter.implicit(9, Uint8Array.of(1, 2)), "b.example"],
  });
  assert.deepEqual(leaf.certificate.subjectAltNames.map(({ value }) => value), ["a.example", "b.example"]);
  const { status, errors } = await validate({ leaf, pool: [root] });
  assert.deepEqual([status, codes(errors)], ["invalid_signature", ["malformed_extension"]]);
});
