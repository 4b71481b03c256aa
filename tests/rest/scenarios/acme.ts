/** ACME detection: the provider, the permissions, and what is stored. */

import assert from "node:assert/strict";
import { granted, managerOf, readerOf, superuser, within } from "../../support/actors.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { pki } from "../../support/pki.ts";
import { type Scenario, scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";
import { metadata, NEXT_CERTIFICATE as NEXT, storing } from "../../support/stored.ts";
import { setFlags } from "../../support/acme_flags.ts";

const TYPE = "certmgr.certificate";
const UPDATED = [`update ${TYPE}`];
const DETAIL_403 = { detail: "You do not have permission to perform this action." };
const NOT_DETECTED = { detected: false, message: "The issuer matches no known ACME provider." };
const { certificates: ids } = seed;

function detect(title: string, id: number, expected: Partial<Scenario>): void {
  scenario(`Detect ACME: ${title}`, {
    as: "superuser",
    post: certificate(id, "detect-acme/"),
    status: 200,
    ...expected,
  });
}

/** Each pattern of each provider, and the order in which they are tested. */
const ISSUERS = [
  ["C=US, O=(STAGING) Let's Encrypt, CN=(STAGING) Artificial Apricot R3", "letsencrypt_staging"],
  ["CN=Fake LE Intermediate X1", "letsencrypt_staging"],
  ["C=US, O=Let's Encrypt, CN=R10", "letsencrypt"],
  ["C=US, O=let's encrypt, CN=E9", "letsencrypt"],
  ["C=AT, O=ZeroSSL, CN=ZeroSSL RSA Domain Secure Site CA", "zerossl"],
  ["C=NO, O=Buypass AS-983163327, CN=Buypass Class 2 CA 5", "buypass"],
  ["C=US, O=Google Trust Services LLC, CN=WR1", "google"],
  ["CN=GTS CA 1C3", "google"],
  ["C=GB, O=Sectigo Limited, CN=Sectigo RSA DV", "sectigo"],
  ["C=US, O=DigiCert Inc, CN=DigiCert TLS RSA SHA256 2020 CA1", "digicert"],
  ["O=Sectigo, CN=Cross of DigiCert", "sectigo"],
] as const;

for (const [issuer, provider] of ISSUERS) {
  detect(`"${issuer}" is ${provider}`, NEXT, {
    before: async (app) => {
      await storing(metadata(1, { issuer }))(app);
      await setFlags(app, NEXT);
    },
    changes: UPDATED,
    equals: {
      detected: true,
      is_acme: true,
      acme_provider: provider,
      certificate: {
        id: NEXT,
        common_name: "stored-1.example",
        issuer,
        is_acme: true,
        acme_provider: provider,
      },
    },
  });
  scenario(`Detect ACME: a certificate by "${issuer}" is created with its flags`, {
    as: "superuser",
    post: PATHS.certificates,
    body: metadata(1, { issuer }),
    status: 201,
    changes: [`create ${TYPE}`],
    json: (body) => assert.deepEqual([body.is_acme, body.acme_provider], [true, provider]),
  });
}
detect("the stored result again is no change", ids.acmeWarning, {
  json: (body) => assert.equal(body.acme_provider, "letsencrypt"),
});
detect("another issuer is reported, and nothing changes", ids.acmeWeb, { equals: NOT_DETECTED });
for (const issuer of ["CN=R3", "O=Acme, OU=DigiCert reseller, CN=Acme CA"]) {
  detect(`the issuer "${issuer}" is not an ACME issuer`, NEXT, {
    before: storing(metadata(1, { issuer })),
    equals: NOT_DETECTED,
  });
}
detect("a certificate that no longer matches loses its flags", ids.acmeWeb, {
  before: (app) => setFlags(app, ids.acmeWeb, "zerossl"),
  changes: UPDATED,
  equals: NOT_DETECTED,
});
scenario("Detect ACME: an import finds the provider", {
  as: "superuser",
  post: `${PATHS.certificates}import/`,
  body: { pem_content: pki.byAcme.pem },
  status: 201,
  changes: [`create ${TYPE}`],
  json: (body) => assert.deepEqual([body.is_acme, body.acme_provider], [true, "letsencrypt"]),
});
scenario("Detect ACME: another issuer removes the flags", {
  as: "superuser",
  patch: certificate(ids.acmeWarning),
  body: { issuer: "CN=Someone else" },
  status: 200,
  changes: UPDATED,
  json: (body) => assert.deepEqual([body.is_acme, body.acme_provider], [false, ""]),
});
detect("without credentials it answers 401", ids.acmeWarning, { as: "nobody", status: 401 });
detect("`view` is not enough", ids.acmeWarning, {
  as: readerOf("acme"),
  status: 403,
  equals: DETAIL_403,
});
detect("with a read-only token it answers 403", ids.acmeWarning, {
  as: superuser({ readOnlyToken: true }),
  status: 403,
});
detect("`change` is enough", ids.acmeWarning, { as: granted([{ types: [TYPE], actions: ["change"] }]) });
for (const [what, id] of [["hidden", ids.globexJustExpired], ["missing", 999]] as const) {
  detect(`a certificate that is ${what} answers 404`, id, {
    as: managerOf("acme"),
    status: 404,
    equals: { detail: "Not found." },
  });
}
detect("flags that move the certificate outside the constraints are not stored", ids.acmeWarning, {
  before: (app) => setFlags(app, ids.acmeWarning),
  as: within(TYPE, ["change"], { is_acme: false }),
  status: 403,
  equals: DETAIL_403,
});

const OPERATOR = ["bulk_operations", "change"];

function bulk(title: string, body: unknown, expected: Partial<Scenario>): void {
  scenario(`Detect ACME for many: ${title}`, {
    as: "superuser",
    post: `${PATHS.certificates}bulk-detect-acme/`,
    body,
    status: 200,
    ...expected,
  });
}

bulk("results have the order of the ids, and missing ids are listed", {
  ids: [ids.globexJustExpired, 999, ids.acmeWeb, ids.acmeWarning, ids.acmeWeb],
}, {
  before: (app) => setFlags(app, ids.globexJustExpired),
  changes: UPDATED,
  equals: {
    total: 4,
    processed: 3,
    detected_acme: 2,
    not_acme: 1,
    missing_ids: [999],
    detections: [
      {
        id: ids.globexJustExpired,
        common_name: "noon.globex.example",
        detected: true,
        acme_provider: "letsencrypt_staging",
      },
      { id: ids.acmeWeb, common_name: "www.acme.example", detected: false },
      { id: ids.acmeWarning, common_name: "shop.acme.example", detected: true, acme_provider: "letsencrypt" },
    ],
  },
});
bulk("a hidden certificate is listed as missing, too", { ids: [ids.globexJustExpired, ids.acmeWeb] }, {
  as: managerOf("acme"),
  excludes: ["globex"],
  json: (body) => assert.deepEqual([body.missing_ids, body.processed], [[ids.globexJustExpired], 1]),
});
for (const lacking of OPERATOR) {
  bulk(`without ${lacking} it answers 403`, { ids: [ids.acmeWeb] }, {
    as: granted([{ types: [TYPE], actions: OPERATOR.concat("view").filter((one) => one !== lacking) }]),
    status: 403,
    equals: DETAIL_403,
  });
}
bulk("one result outside the constraints changes none", { ids: [ids.acmeWarning, ids.twin] }, {
  before: async (app) => {
    await setFlags(app, ids.acmeWarning);
    await setFlags(app, ids.twin, "digicert");
  },
  as: within(TYPE, OPERATOR, [{ is_acme: false }, { id: ids.twin }]),
  status: 403,
});
bulk("without credentials it answers 401", { ids: [1] }, { as: "nobody", status: 401 });
bulk("with a read-only token it answers 403", { ids: [1] }, {
  as: superuser({ readOnlyToken: true }),
  status: 403,
});
bulk("more than 1000 are refused", { ids: Array.from({ length: 1_001 }, (_, index) => index) }, {
  status: 400,
  equals: { ids: ["Batch too large: expected at most 1000 ids, not 1001."] },
});
bulk("a body without a list is refused", {}, { status: 400, equals: { ids: ["This field is required."] } });
