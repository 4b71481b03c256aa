/**
 * Every action of every object type × rows that the caller may view, hidden rows, rows of another tenant, and callers
 * without any permission to view the type. Hidden rows answer exactly as missing ones, and nothing changes; the
 * permissions of an action suffice for it.
 */

import assert from "node:assert/strict";
import { OBJECT_TYPES } from "../../src/auth/mod.ts";
import { resources } from "../../src/domain/registry.ts";
import { granted } from "../support/actors.ts";
import { type Client, type TestApp, testApp } from "../support/app.ts";
import {
  type Action,
  actions,
  enableMessages,
  MISSING,
  noProbe,
  type Permission,
  type Request,
  rowOfOtherTenant,
  storedState,
  viewing,
} from "../support/rights.ts";
import { pki } from "../support/pki.ts";
import { sampleOf } from "../support/samples.ts";
import { seed } from "../support/seed.ts";

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly whole: string;
}

async function answerTo(
  client: Client,
  { path, method, body }: Request,
): Promise<Answer> {
  const response = await client(path, {
    method,
    ...(body === undefined ? {} : { body }),
  });
  const text = (await response.text()).replaceAll(
    response.headers.get("x-request-id") ?? "none",
    "…",
  );
  const headers = [...response.headers].filter(([name]) => name !== "x-request-id");
  return {
    status: response.status,
    text,
    whole: JSON.stringify([response.status, headers, text]),
  };
}

/** Asserts that no request distinguishes a hidden row from a missing one, or changes anything. */
async function looksMissing(
  app: TestApp,
  client: Client,
  { id, own, faults, who }: {
    id: number;
    own: readonly Action[];
    faults: string[];
    who: string;
  },
): Promise<void> {
  const state = storedState(app.database);
  for (const action of own) {
    const before = await state();
    const hidden = await answerTo(client, action.about(id));
    if (await state() !== before) {
      faults.push(`${action.name}: changes ${who} (${hidden.status})`);
    }
    const missing = await answerTo(client, action.about(MISSING));
    if (
      hidden.whole !== missing.whole.replaceAll(String(MISSING), String(id))
    ) {
      faults.push(
        `${action.name}: ${who} answers ${hidden.status} ${
          hidden.text.slice(0, 150)
        }, missing ${missing.status} ${missing.text.slice(0, 150)}`,
      );
    }
    if (action.about(id).path.includes(`/${id}/`) && hidden.status !== 404) {
      faults.push(`${action.name}: ${who} answers ${hidden.status}`);
    }
  }
}

/** Types of which every user may view own rows. */
const OWN = [
  "users.user",
  "users.token",
  "certmgr.calendarfeed",
  "certmgr.subscription",
  "certmgr.savedview",
];

/** Members that an answer about an existing row has for every caller. */
const SHOWN = ["id", "url", "display"];

for (const resource of resources) {
  const { objectType } = resource;
  const sample = sampleOf(resource);
  const own = actions.filter((action) => action.resource === resource);

  Deno.test(`A ${resource.label} that is hidden or another tenant's looks missing to every action and stays as it is`, async () => {
    await using app = await testApp({ probe: noProbe });
    await enableMessages(app);
    const faults: string[] = [];
    const limited = await app.as(
      viewing(objectType, { id__n: sample.hidden }, "limited"),
    );
    await looksMissing(app, limited, {
      id: sample.hidden,
      own,
      faults,
      who: "hidden",
    });
    const other = await rowOfOtherTenant(app, resource);
    if (other !== undefined) {
      const acme = await app.as(
        viewing(objectType, { tenant_id: seed.tenants.acme }, "acme"),
      );
      await looksMissing(app, acme, {
        id: other,
        own,
        faults,
        who: "another tenant's",
      });
    }
    assert.deepEqual(faults, []);
  });

  Deno.test(`Exactly the permissions of each action on a ${resource.label} suffice for it`, async () => {
    const faults: string[] = [];
    for (const action of own) {
      const id = action.id ?? sample.seen;
      const request = action.about(id);
      const viewed = [
        ...action.needs,
        ...OBJECT_TYPES.map((type): Permission => [type, "view"]),
      ];
      const cases: [string, readonly Permission[]][] = [["with view", viewed]];
      // Every user may view own rows of these types, so nobody is without a permission.
      if (
        !OWN.includes(objectType) &&
        !action.needs.some(([, one]) => one === "view")
      ) {
        cases.push(["without view", action.needs]);
      }
      for (const [title, needs] of cases) {
        await using app = await testApp({ probe: noProbe });
        await enableMessages(app);
        const client = await app.as(
          granted(
            needs.map(([type, one]) => ({ types: [type], actions: [one] })),
          ),
        );
        const { status, text } = await answerTo(client, request);
        if (status >= 300) {
          faults.push(
            `${action.name} ${title} answers ${status} ${text.slice(0, 200)}`,
          );
        } else if (title === "without view" && text.startsWith("{")) {
          const sent = typeof request.body === "object" ? Object.keys(request.body ?? {}) : [];
          const allowed = [...SHOWN, ...sent, ...action.answers ?? []];
          const more = Object.keys(JSON.parse(text)).filter((name) => !allowed.includes(name));
          const shows = request.path.includes("{id}") ||
            request.path.includes(`/${id}/`);
          if (shows && more.length > 0) {
            faults.push(`${action.name} shows ${more.slice(0, 5)}`);
          }
        }
      }
    }
    assert.deepEqual(faults, []);
  });
}

Deno.test("a user without permissions cannot send messages through a channel by naming its id or name", async () => {
  await using app = await testApp();
  await enableMessages(app);
  const client = await app.as(granted([], { username: "nobody-else" }));
  const body = {
    name: "Mine",
    events: ["expiring"],
    recipients: ["alice@acme.example"],
  };
  const path = "/api/plugins/certmgr/subscriptions/";
  for (const channel of [seed.channels.mail, { name: "Mail" }]) {
    const { status, text } = await answerTo(client, {
      path,
      method: "POST",
      body: { ...body, channel },
    });
    assert.equal(status, 400);
    assert.match(
      text,
      /^\{"channel":\["Related object not found using the provided (?:numeric ID|attributes)/,
    );
  }
});

Deno.test("an import right within a tenant suffices to import for it", async () => {
  await using app = await testApp();
  const importer = await app.as(granted([
    {
      types: ["certmgr.certificate"],
      actions: ["import"],
      constraints: { tenant_id: seed.tenants.acme },
    },
  ], { username: "importer" }));
  const path = "/api/plugins/certmgr/certificates/import/";
  for (
    const [tenant, expected] of [[seed.tenants.globex, 403], [
      { slug: "acme" },
      201,
    ]] as const
  ) {
    const { status, text } = await answerTo(importer, {
      path,
      method: "POST",
      body: { pem_content: pki.fresh.pem, tenant },
    });
    assert.equal(status, expected, text);
  }
});
