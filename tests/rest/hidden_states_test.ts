/**
 * The state of an endpoint looks as if certificates that the reader may not view did not exist. Two services get the same
 * requests: in one the certificate is hidden from the reader, in the other it was deleted before the probe.
 */

import assert from "node:assert/strict";
import { OBJECT_TYPES } from "../../src/auth/mod.ts";
import { shownState } from "../../src/domain/endpoints/shown_states.ts";
import { granted } from "../support/actors.ts";
import type { Client } from "../support/app.ts";
import { TestCa, type TestCertificate } from "../support/test_ca/mod.ts";
import { probed, type Site, startSite } from "../domain/endpoints/support.ts";
import { browserOf } from "../web/imports/browser.ts";

const HOST = "www.hidden.example";
const ROOT = "/api/plugins/certmgr";

/** The certificates of a case: the last one that is stored is hidden. */
interface Case {
  /** Stores certificates, and returns the hidden one's id and the fields of the endpoint. */
  readonly store: (
    site: Site,
    all: Issued,
  ) => Promise<{ hidden: number; fields?: Record<string, unknown> }>;
  readonly serves: (all: Issued) => readonly TestCertificate[];
  /** The states that an unrestricted reader and the reader see. */
  readonly states: readonly [known: string, shown: string];
}

interface Issued {
  readonly first: TestCertificate;
  readonly second: TestCertificate;
  readonly forged: TestCertificate;
  readonly ca: TestCa;
}

let issued: Promise<Issued> | undefined;

async function issue({ ca }: Site): Promise<Issued> {
  const forger = await TestCa.root({ cn: "Probe CA" });
  return {
    first: await ca.issue({ cn: HOST, serial: 4711 }),
    second: await ca.issue({ cn: HOST, serial: 4712 }),
    forged: await forger.issue({ cn: HOST, serial: 4711 }),
    ca,
  };
}

async function stored(
  { ask }: Site,
  { pem }: TestCertificate,
  fields: object = {},
): Promise<number> {
  return (await ask("certificates/", { pem_content: pem, ...fields }))
    .id as number;
}

const servesFirst: Case["serves"] = ({ first, ca }) => [first, ca];

function withStatus(status: string, known: string): Case {
  return {
    store: async (site, { first }) => ({
      hidden: await stored(site, first, { status }),
    }),
    serves: servesFirst,
    states: [known, "wrong_certificate"],
  };
}

const CASES: Readonly<Record<string, Case>> = {
  "serves a hidden active certificate": withStatus("active", "ok"),
  "serves a hidden revoked certificate": withStatus(
    "revoked",
    "revoked",
  ),
  "serves a hidden pending certificate": withStatus(
    "pending",
    "wrong_certificate",
  ),
  "serves a hidden replaced certificate": withStatus("replaced", "superseded"),
  "expects a hidden certificate, and serves another": {
    store: async (site, { first, second }) => {
      await stored(site, first);
      const hidden = await stored(site, second);
      return { hidden, fields: { expected_certificate: hidden } };
    },
    serves: servesFirst,
    states: ["wrong_certificate", "ok"],
  },
  "serves a certificate with a hidden successor": {
    store: async (site, { first, second }) => {
      const id = await stored(site, first);
      const hidden = await stored(site, second);
      await site.ask(`certificates/${id}/`, {
        replaced_by: hidden,
        status: "active",
      }, "PATCH");
      return { hidden };
    },
    serves: servesFirst,
    states: ["superseded", "superseded"],
  },
  "expects a certificate with a hidden successor": {
    store: async (site, { first, second }) => {
      const id = await stored(site, first);
      const hidden = await stored(site, second);
      await site.ask(`certificates/${id}/`, {
        replaced_by: hidden,
        status: "active",
      }, "PATCH");
      return { hidden, fields: { expected_certificate: id } };
    },
    serves: servesFirst,
    states: ["superseded", "ok"],
  },
  "presents a certificate with the serial number and issuer of a hidden one": {
    store: async (site, { first }) => ({ hidden: await stored(site, first) }),
    serves: ({ forged }) => [forged],
    states: ["incomplete_chain", "incomplete_chain"],
  },
};

const FILTERS = [
  ...["ok", "superseded", "wrong_certificate", "incomplete_chain"].flatMap((
    state,
  ) => [
    `state=${state}`,
    `state__n=${state}`,
  ]),
  ...["unknown", "wrong", "expiring"].map((problem) => `problem=${problem}`),
  ...["revoked", "pending", "replaced", "inventory", "identity"].flatMap((
    word,
  ) => [
    `state_message__icontains=${word}`,
    `q=${word}`,
  ]),
  "severity__gte=8",
  "ordering=severity",
  "ordering=-state,id",
  "brief=true",
  "fields=id,state",
];

/** Everything that the reader can ask about states. */
const QUESTIONS = [
  ...["endpoints", "observations"].flatMap((path) => FILTERS.map((filter) => `${ROOT}/${path}/?${filter}`)),
  ...FILTERS.filter((filter) => filter.startsWith("state")).map((filter) =>
    `${ROOT}/observations/?endpoint__${filter}`
  ),
  `${ROOT}/endpoints/export/?format=csv`,
  `${ROOT}/endpoints/export/?format=json`,
  "/api/plugins/certmgr/search/?q=hidden",
  "/metrics",
];
const GRAPHQL = `{
  endpoint_list { state severity state_message states certificate { id } }
  observation_list { display state state_message findings endpoint { display state } }
  wrong: endpoint_list(filters: {state: "wrong_certificate"}) { id }
  superseded: endpoint_list(filters: {state: "superseded"}) { id }
}`;

/** Returns everything that the reader sees of an endpoint. */
async function readings(
  site: Site,
  hidden: number,
  endpoint: number,
): Promise<Map<string, string>> {
  // The change log shows every state as it was stored.
  const others = OBJECT_TYPES.filter((type) => !["certmgr.certificate", "core.objectchange"].includes(type));
  const actor = granted([
    { types: others, actions: ["view", "change"] },
    {
      types: ["certmgr.certificate"],
      actions: ["view"],
      constraints: { id__n: hidden },
    },
  ]);
  const client: Client = await site.app.as(actor);
  const browser = await browserOf(site.app, actor);
  const seen = new Map<string, string>();
  for (const path of [...QUESTIONS, `${ROOT}/endpoints/${endpoint}/`]) {
    const response = await client(path);
    seen.set(path, `${response.status} ${await response.text()}`);
  }
  const graphql = await client("/graphql/", {
    method: "POST",
    body: { query: GRAPHQL },
  });
  seen.set("graphql", await graphql.text());
  const patched = await client(`${ROOT}/endpoints/${endpoint}/`, {
    method: "PATCH",
    body: { description: "x" },
  });
  seen.set("patch", await patched.text());
  const pages = [
    "/",
    "/endpoints/",
    "/endpoints/?problem=unknown",
    "/endpoints/?state=superseded",
    "/observations/",
  ];
  for (const path of [...pages, `/endpoints/${endpoint}/`]) {
    const { html } = await browser.get(path);
    seen.set(
      path,
      html.replaceAll(/[\w-]{40,}/g, "").split(/(?=<)/).join("\n"),
    );
  }
  return seen;
}

for (const [what, { store, serves, states }] of Object.entries(CASES)) {
  Deno.test(`An endpoint that ${what} looks as if that certificate did not exist`, async () => {
    const probing = {
      allowedNetworks: [],
      concurrency: 8,
      discover: "off" as const,
      retentionDays: 400,
    };
    const found: Map<string, string>[] = [];
    for (const isMissing of [false, true]) {
      await using site = await startSite({ settings: { probing } });
      const all = await (issued ??= issue(site));
      const { hidden, fields = {} } = await store(site, all);
      const { expected_certificate: expected } = fields;
      if (isMissing) await site.ask(`certificates/${hidden}/`, {}, "DELETE");
      site.servers.serve(HOST, serves(all));
      const body = isMissing && expected === hidden ? {} : fields;
      const { id, state } = await probed(site, HOST, body);
      if (!isMissing) assert.equal(state, states[0]);
      found.push(await readings(site, hidden, id as number));
    }
    const [asHidden, asMissing] = found as [
      Map<string, string>,
      Map<string, string>,
    ];
    for (const [path, text] of asHidden) {
      const [own, other] = [text, asMissing.get(path) ?? ""].map((each) => each.split("\n"));
      assert.deepEqual(own?.filter((line) => !other?.includes(line)), [], path);
      assert.equal(text, asMissing.get(path), path);
    }
    assert.match(
      asHidden.get(`${ROOT}/endpoints/?fields=id,state`) ?? "",
      new RegExp(`"state":"${states[1]}"`),
    );
  });
}

Deno.test("A hidden certificate at one of two addresses is unknown", async () => {
  await using site = await startSite();
  const { first, second, ca } = await (issued ??= issue(site));
  await stored(site, first);
  const hidden = await stored(site, second, { status: "replaced" });
  site.servers.serve(HOST, [first, ca], [second, ca]);
  const { id, state } = await probed(site, HOST);
  assert.equal(state, "superseded");
  const seen = JSON.parse(
    (await readings(site, hidden, id as number)).get("patch") ?? "",
  );
  assert.deepEqual(seen.states, ["wrong_certificate"]);
  assert.match(
    seen.state_message,
    /^The inventory does not have the certificate\. The addresses/,
  );
});

Deno.test("An unrestricted reader's statements read the column itself", () => {
  assert.equal(shownState("state")("endpoints", () => undefined), undefined);
});
