/** Renewal: what a successor inherits, and every reason to refuse a renewal. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { PRIVATE_KEY_MESSAGE } from "../../../src/x509/mod.ts";
import { granted, managerOf, readerOf, stranger, superuser, within } from "../../support/actors.ts";
import { certificate } from "../../support/paths.ts";
import { CHAIN, pki } from "../../support/pki.ts";
import { type Scenario, scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";
import { metadata, NEXT_CERTIFICATE as NEXT, storing } from "../../support/stored.ts";
import { newKey } from "../../support/test_ca/mod.ts";

const TYPE = "certmgr.certificate";
const ASSIGNMENT = "certmgr.certificateassignment";
const CONTACT = "tenancy.contactassignment";
const DETAIL_403 = { detail: "You do not have permission to perform this action." };
const NOT_FOUND = { detail: "Not found." };
const { certificates: ids } = seed;
const OLD = ids.acmeWeb;

const renewed = await pki.issuing.issue({
  cn: "www.acme.example",
  serial: 0x0b0001,
  sans: ["www.acme.example"],
  notAfter: "2027-10-31T23:59:59Z",
});
/** An existing successor: another common name, one common alternative name. */
const READY = metadata(1, {
  common_name: "*.acme.example",
  sans: ["WWW.Acme.example"],
  tenant: { slug: "acme" },
  valid_to: "2027-12-31",
});

function renew(title: string, body: unknown, expected: Partial<Scenario>): void {
  scenario(`Renew: ${title}`, {
    as: managerOf("acme"),
    post: certificate(OLD, "renew/"),
    body,
    status: 200,
    ...expected,
  });
}

function refused(title: string, body: unknown, errors: unknown, rest: Partial<Scenario> = {}): void {
  renew(title, body, { status: 400, equals: errors, ...rest });
}

renew("a PEM text becomes the successor, with tenant, tags and assignments of the old certificate", {
  pem_content: renewed.pem + CHAIN,
  private_key_location: "vault:new",
}, {
  changes: [`create ${TYPE}`, `update ${ASSIGNMENT}`, `create ${CONTACT}`, `update ${TYPE}`],
  json: (body) => {
    assert.deepEqual(Object.keys(body), ["old", "new", "assignments_moved", "requests_issued", "warnings"]);
    const { old, new: successor } = body;
    assert.equal(body.assignments_moved, 1);
    assert.deepEqual([old.id, old.status, old.replaced_by.id], [OLD, "replaced", NEXT]);
    assert.deepEqual([old.assignment_count, successor.assignment_count], [0, 1]);
    assert.deepEqual([successor.id, successor.status, successor.serial_number], [NEXT, "active", "0B:00:01"]);
    assert.equal(successor.tenant.slug, "acme");
    assert.deepEqual(successor.tags.map((tag: { slug: string }) => tag.slug).sort(), ["pci", "prod"]);
    assert.deepEqual([successor.issuer_chain, successor.private_key_location], [CHAIN, "vault:new"]);
  },
});
renew(
  "a successor from a PEM text gets the thresholds of the old certificate",
  { pem_content: renewed.pem },
  {
    before: async ({ database }) => {
      await database.write((tx) =>
        tx.run(sql`UPDATE certificates SET expiry_notices = ${'["10d"]'} WHERE id = ${OLD}`)
      );
    },
    changes: [`create ${TYPE}`, `update ${ASSIGNMENT}`, `create ${CONTACT}`, `update ${TYPE}`],
    json: (body) => assert.deepEqual(body.new.expiry_notices, ["10d"]),
  },
);
renew("an existing certificate becomes the successor, unchanged", { certificate: NEXT }, {
  before: storing(READY),
  changes: [`update ${ASSIGNMENT}`, `create ${CONTACT}`, `update ${TYPE}`],
  json: (body) => {
    assert.deepEqual([body.old.status, body.old.replaced_by.id, body.new.id], ["replaced", NEXT, NEXT]);
    assert.deepEqual([body.new.tags, body.new.status, body.assignments_moved], [[], "active", 1]);
  },
});
const described = async ({ database }: Parameters<NonNullable<Scenario["before"]>>[0]): Promise<void> => {
  await database.write((tx) =>
    tx.run(
      sql`UPDATE certificates SET description = 'Shop', private_key_location = 'vault:old' WHERE id = ${OLD}`,
    )
  );
};
renew("a new successor with another key gets the description, and not the location of the key", {
  pem_content: renewed.pem,
}, {
  before: described,
  changes: [`create ${TYPE}`, `update ${ASSIGNMENT}`, `create ${CONTACT}`, `update ${TYPE}`],
  json: ({ new: successor }) =>
    assert.deepEqual([successor.private_key_location, successor.description], ["", "Shop"]),
});
renew("a new successor gets the contacts and the renewal note", { pem_content: renewed.pem }, {
  as: "superuser",
  before: async ({ database }) => {
    await database.write((tx) =>
      tx.run(sql`UPDATE certificates SET renewal_note = 'Ask Kim' WHERE id = ${OLD}`)
    );
  },
  changes: [`create ${TYPE}`, `update ${ASSIGNMENT}`, `create ${CONTACT}`, `update ${TYPE}`],
  json: ({ old, new: successor }) => {
    assert.equal(successor.renewal_note, "Ask Kim");
    assert.equal(successor.owner.via, "certificate");
    assert.deepEqual(successor.owner, old.owner);
  },
});
renew("a contact in a role of the successor stays alone in this role", { certificate: NEXT }, {
  as: "superuser",
  before: async (app) => {
    await storing(READY)(app);
    await app.database.write((tx) =>
      tx.run(
        sql`INSERT INTO contact_assignments (object_type, object_id, contact_id, role_id, created, last_updated)
        SELECT object_type, ${NEXT}, 2, role_id, created, last_updated FROM contact_assignments
        WHERE object_type = ${TYPE} AND object_id = ${OLD}`,
      )
    );
  },
  changes: [`update ${ASSIGNMENT}`, `update ${TYPE}`],
  json: ({ new: successor }) => assert.equal(successor.owner.contact.id, 2),
});
renew("a dry run shows a successor that would be created, and stores nothing", {
  pem_content: renewed.pem,
  dry_run: true,
}, {
  json: (body) => {
    assert.deepEqual([body.dry_run, body.assignments_moved], [true, 1]);
    assert.deepEqual([body.new.id, body.new.url, body.new.common_name], [null, null, "www.acme.example"]);
    assert.deepEqual([body.old.id, body.old.status], [OLD, "replaced"]);
    const { id, url, common_name } = body.old.replaced_by;
    assert.deepEqual([id, url, common_name], [null, null, "www.acme.example"]);
  },
});
renew("a dry run with an existing successor stores nothing", { certificate: NEXT, dry_run: true }, {
  before: storing(READY),
  json: (body) => assert.deepEqual([body.dry_run, body.new.id, body.old.replaced_by.id], [true, NEXT, NEXT]),
});
renew("renew and change are enough to renew with a PEM text", { pem_content: renewed.pem }, {
  as: granted([{ types: [TYPE], actions: ["renew", "change"] }]),
  changes: [`create ${TYPE}`, `update ${ASSIGNMENT}`, `create ${CONTACT}`, `update ${TYPE}`],
  json: (body) => {
    // Hidden assignments are moved, too. A caller without any permission to view certificates is shown none.
    assert.equal(body.assignments_moved, 1);
    for (const one of [body.old, body.new]) assert.deepEqual(Object.keys(one), ["id", "url", "display"]);
  },
});

refused("neither successor nor PEM", {}, {
  __all__: ["Expected either certificate (the id of the successor) or pem_content."],
});
refused("both successor and PEM", { certificate: ids.acmeCritical, pem_content: renewed.pem }, {
  __all__: ["Expected either certificate (the id of the successor) or pem_content."],
});
refused("the successor is itself", { certificate: OLD }, {
  certificate: ["A certificate cannot replace itself."],
});
refused("the successor has no name in common", { certificate: NEXT }, {
  certificate: [
    'The successor has no name in common with the certificate. It is for "*.acme.example" and "other.acme.example", ' +
    'the certificate for "www.acme.example" and "alt.www.acme.example".',
  ],
}, { before: storing({ ...READY, sans: ["other.acme.example"] }) });
refused("the successor is expired", { certificate: NEXT }, {
  certificate: ["The successor expired on 2026-02-28. Choose one that is still valid."],
}, { before: storing({ ...READY, valid_to: "2026-02-28T23:59:59Z" }) });
for (
  const [title, valid_to, days] of [
    ["that expires earlier", "2026-10-01T23:59:59Z", 30],
    ["that expires hours earlier", "2026-10-31T20:00:00Z", 1],
    ["that expires at the same time", "2026-10-31T23:59:59Z", undefined],
    ["that expires later", "2027-10-31T23:59:59Z", undefined],
  ] as const
) {
  for (const dry_run of [false, true]) {
    renew(`a successor ${title} is allowed${dry_run ? ", and previewed" : ""}`, {
      certificate: NEXT,
      dry_run,
    }, {
      before: storing({ ...READY, valid_to }),
      ...(dry_run ? {} : { changes: [`update ${ASSIGNMENT}`, `create ${CONTACT}`, `update ${TYPE}`] }),
      json: ({ warnings }) => {
        const found = warnings.find(({ code }: { code: string }) => code === "earlier_expiry");
        assert.equal(found?.days, days);
      },
    });
  }
}
refused("the successor belongs to another tenant", { certificate: NEXT }, {
  certificate: ["The successor belongs to another tenant."],
}, { as: "superuser", before: storing({ ...READY, tenant: { slug: "globex" } }) });
refused("the successor belongs to no tenant", { certificate: NEXT }, {
  certificate: ["The successor belongs to another tenant."],
}, { as: "superuser", before: storing({ ...READY, tenant: null }) });
for (const [what, id] of [["hidden", ids.globexWeb], ["missing", 999]] as const) {
  refused(`the successor is ${what}`, { certificate: id }, {
    certificate: [`Related object not found using the provided numeric ID: ${id}.`],
  });
}
for (const dry_run of [false, true]) {
  refused(`the PEM text is another host's${dry_run ? ", found by a dry run, too" : ""}`, {
    pem_content: pki.fresh.pem,
    dry_run,
  }, {
    pem_content: [
      'The successor has no name in common with the certificate. It is for "fresh.acme.example" and ' +
      '"alt.fresh.acme.example", the certificate for "www.acme.example" and "alt.www.acme.example".',
    ],
  });
}
refused("the PEM text is stored already, and seen", { pem_content: pki.stored.acme.pem }, {
  pem_content: [`Certificate already exists: www.acme.example (ID: ${OLD}).`],
});
refused("the PEM text is stored already, and hidden", { pem_content: pki.stored.globex.pem }, {
  pem_content: ["Certificate already exists."],
});
refused("a private key next to the certificate", {
  pem_content: renewed.pem + (await newKey("p256")).privateKeyPem,
  private_key_location: (await newKey("p256")).privateKeyPem,
}, { pem_content: [PRIVATE_KEY_MESSAGE], private_key_location: [PRIVATE_KEY_MESSAGE] });
for (const pem_content of ["", "garbage", renewed.pem.slice(0, 200)]) {
  renew(`${JSON.stringify(pem_content.slice(0, 20))} is not a PEM text`, { pem_content }, {
    status: 400,
    json: (body) => assert.match(body.pem_content[0], /^Invalid PEM format or unable to parse certificate: /),
  });
}
renew("a certificate that is not part of the chain", { pem_content: renewed.pem + pki.stranger.pem }, {
  status: 400,
  json: (body) => assert.match(body.pem_content[0], /not belong to the first certificate's chain/),
});
refused("values of other types", {
  certificate: "7",
  private_key_location: 7,
  dry_run: "yes",
}, {
  certificate: ['Expected an id, not "7".'],
  private_key_location: ["Expected text, not 7."],
  dry_run: ['Expected true or false, not "yes".'],
});
refused("a location that is too long", { pem_content: renewed.pem, private_key_location: "x".repeat(501) }, {
  private_key_location: ["Ensure this field has no more than 500 characters."],
});
for (const body of [42, [], "text"]) {
  renew(`${JSON.stringify(body)} is not a body`, JSON.stringify(body), {
    headers: { "content-type": "application/json" },
    status: 400,
    contains: ["Expected an object, not "],
  });
}
refused("a missing body is refused", undefined, {
  detail: "The body is empty. Expected an object.",
});

renew("without credentials it answers 401", {}, { as: "nobody", status: 401 });
renew("with a read-only token it answers 403", {}, { as: superuser({ readOnlyToken: true }), status: 403 });
for (const lacking of ["renew", "change"]) {
  renew(`without ${lacking} it answers 403`, { pem_content: renewed.pem }, {
    as: granted([{
      types: [TYPE],
      actions: ["view", "add", "import", "renew", "change"].filter((one) => one !== lacking),
    }]),
    status: 403,
    equals: DETAIL_403,
  });
}
for (const [what, id] of [["hidden", ids.globexWeb], ["missing", 999]] as const) {
  renew(`a certificate that is ${what} answers 404`, { pem_content: renewed.pem }, {
    post: certificate(id, "renew/"),
    status: 404,
    equals: NOT_FOUND,
  });
}
renew("a certificate must lie within both permissions", { pem_content: renewed.pem }, {
  as: granted([
    { types: [TYPE], actions: ["renew"] },
    { types: [TYPE], actions: ["change"], constraints: { tenant__slug: "globex" } },
  ]),
  status: 404,
  equals: NOT_FOUND,
});
renew("an old certificate that would be outside the constraints is not renewed", { certificate: NEXT }, {
  before: storing(READY),
  as: within(TYPE, ["view", "renew", "change"], { status: "active" }),
  status: 403,
  equals: DETAIL_403,
});
renew(
  "a new certificate that would be outside the constraints is not created",
  { pem_content: renewed.pem },
  {
    as: within(TYPE, ["view", "renew", "change"], { id: OLD }),
    status: 403,
    equals: { detail: "Your permissions do not allow renewing with this certificate." },
  },
);
renew("a body of another type answers 415", "certificate=1", {
  headers: { "content-type": "application/x-www-form-urlencoded" },
  status: 415,
});
renew("a body over the limit answers 413", { pem_content: renewed.pem }, {
  app: { maxBodyBytes: 100 },
  status: 413,
});

const REPLACED = ids.acmeReplaced;
for (const dry_run of [false, true]) {
  renew(`a certificate with a successor is not renewed again${dry_run ? ", nor by a dry run" : ""}`, {
    pem_content: renewed.pem,
    dry_run,
  }, {
    post: certificate(REPLACED, "renew/"),
    status: 409,
    equals: {
      detail: `The certificate is already replaced by www.acme.example (ID: ${OLD}). Renew that one instead.`,
    },
  });
}
renew("a hidden successor is not named", { pem_content: renewed.pem }, {
  post: certificate(REPLACED, "renew/"),
  as: within(TYPE, ["view", "renew", "change"], { id: REPLACED }),
  status: 409,
  equals: { detail: "The certificate is already replaced." },
});
renew("a certificate with the status replaced but without a successor may be renewed", {
  pem_content: renewed.pem,
}, {
  before: async ({ database }) => {
    await database.write((tx) => tx.run(sql`UPDATE certificates SET status = 'replaced' WHERE id = ${OLD}`));
  },
  changes: [`create ${TYPE}`, `update ${ASSIGNMENT}`, `create ${CONTACT}`, `update ${TYPE}`],
});
refused(
  "the successor is replaced by the certificate, directly or through others",
  { certificate: NEXT + 1 },
  {
    certificate: ["A certificate cannot be replaced by one that it replaces, directly or through others."],
  },
  {
    before: storing({ ...READY, replaced_by: OLD }, { ...READY, serial_number: "0C", replaced_by: NEXT }),
  },
);

function candidates(title: string, expected: Partial<Scenario>): void {
  scenario(`Renewal candidates: ${title}`, {
    as: readerOf("acme"),
    get: certificate(OLD, "renewal-candidates/"),
    status: 200,
    ...expected,
  });
}

candidates("without candidates the list is empty", {
  equals: { count: 0, next: null, previous: null, results: [] },
});
candidates("candidates have the same tenant, a common name and a later expiry, the latest first", {
  before: storing(
    { ...READY, valid_to: "2027-01-01" },
    { ...READY, serial_number: "02" },
    { ...READY, serial_number: "03", status: "pending", common_name: "WWW.ACME.EXAMPLE", sans: [] },
    { ...READY, serial_number: "04", valid_to: "2026-10-31T23:59:59Z" },
    { ...READY, serial_number: "05", tenant: { slug: "globex" } },
    { ...READY, serial_number: "06", tenant: null },
    { ...READY, serial_number: "07", sans: ["other.example"] },
    { ...READY, serial_number: "08", status: "revoked" },
    { ...READY, serial_number: "09", status: "replaced" },
  ),
  json: (body) => {
    assert.equal(body.count, 3);
    assert.deepEqual(body.results.map((one: { id: number }) => one.id), [NEXT + 2, NEXT + 1, NEXT]);
    assert.deepEqual(Object.keys(body.results[0]), [
      "id",
      "url",
      "display",
      "common_name",
      "serial_number",
      "issuer",
      "valid_from",
      "valid_to",
      "status",
      "sans",
    ]);
  },
});
candidates("a certificate without a tenant has candidates of all tenants, whatever the case of its names", {
  as: "superuser",
  get: certificate(NEXT, "renewal-candidates/"),
  before: storing(
    metadata(1, { common_name: "ÄRZTE Berlin" }),
    metadata(2, { common_name: "ärzte berlin", valid_to: "2027-01-01" }),
    metadata(3, { common_name: "ÄRZTE BERLIN", valid_to: "2027-01-02" }),
  ),
  json: (body) => assert.deepEqual(body.results.map((one: { id: number }) => one.id), [NEXT + 2, NEXT + 1]),
});
candidates("hidden certificates are not candidates", {
  as: within(TYPE, ["view"], { id__in: [OLD, NEXT + 1] }),
  before: storing(READY, { ...READY, serial_number: "02" }),
  json: (body) => assert.deepEqual(body.results.map((one: { id: number }) => one.id), [NEXT + 1]),
});
candidates("an unknown parameter is refused", {
  get: certificate(OLD, "renewal-candidates/?nonsense=1"),
  status: 400,
  equals: { nonsense: ["Unknown parameter. Expected none."] },
});
candidates("without credentials it answers 401", { as: "nobody", status: 401 });
candidates("without permissions it answers 403", { as: stranger(), status: 403, equals: DETAIL_403 });
for (const [what, id] of [["hidden", ids.globexWeb], ["missing", 999]] as const) {
  candidates(`a certificate that is ${what} answers 404`, {
    get: certificate(id, "renewal-candidates/"),
    status: 404,
    equals: NOT_FOUND,
  });
}
