/** Common properties of all resources, from their definitions and samples: responses and errors of each operation. */

import assert from "node:assert/strict";
import { resources } from "../../../src/domain/registry.ts";
import type { Method, Resource } from "../../../src/resource/mod.ts";
import { type Actor, granted, stranger, within } from "../../support/actors.ts";
import { type Sample, sampleOf } from "../../support/samples.ts";
import { scenario } from "../../support/scenario.ts";

const ACTIONS: Readonly<Record<Method, string>> = {
  GET: "view",
  POST: "add",
  PUT: "change",
  PATCH: "change",
  DELETE: "delete",
};
const DETAIL_404 = { detail: "Not found." };
const DETAIL_403 = { detail: "You do not have permission to perform this action." };

/** A resource under test. */
interface Subject {
  readonly resource: Resource;
  readonly sample: Sample;
  readonly path: string;
  readonly type: string;
}

for (const resource of resources) {
  const subject: Subject = {
    resource,
    sample: sampleOf(resource),
    path: `/api/${resource.path}/`,
    type: resource.objectType,
  };
  for (const method of resource.methods.collection) {
    refusals(subject, { method, path: subject.path });
    if (method !== "GET" && method !== "POST") bulk(subject, method);
  }
  for (const method of resource.methods.item) {
    refusals(subject, { method, path: `${subject.path}${subject.sample.seen}/` });
    notFound(subject, method);
  }
  reading(subject);
  if (subject.sample.create !== undefined) writing(subject, subject.sample.create);
}

/** Returns `{ post: path }`. */
function line(method: Method, path: string): Record<string, string> {
  return { [method.toLowerCase()]: path };
}

/** Returns a caller who may do everything with the rows of a type, except for hidden ones. */
function boundTo({ type, sample }: Subject): Actor {
  return within(type, Object.values(ACTIONS), { id__n: sample.hidden });
}

function refusals({ type, resource }: Subject, { method, path }: { method: Method; path: string }): void {
  const title = `${method} ${path}`;
  const request = line(method, path);
  // All users may view themselves, and have their own tokens, calendars, subscriptions and views.
  const own = ["users.token", "certmgr.calendarfeed", "certmgr.subscription", "certmgr.savedview"];
  if (!(method === "GET" ? ["users.user", ...own] : own).includes(type)) {
    scenario(`${title} answers 403 to a caller without permissions`, {
      as: stranger(),
      ...request,
      body: method === "GET" ? undefined : [],
      status: 403,
      equals: DETAIL_403,
    });
    scenario(`${title} answers 403 to a caller with only other actions`, {
      as: granted([{
        types: [type],
        actions: Object.values(ACTIONS).filter((one) => one !== ACTIONS[method]),
      }]),
      ...request,
      body: method === "GET" ? undefined : [],
      status: 403,
      equals: DETAIL_403,
    });
  }
  if (method === "GET") {
    scenario(`${title} answers 400 to an unknown parameter`, {
      as: "superuser",
      ...line(method, `${path}?nonsense=1`),
      status: 400,
      json: (body) => assert.match(body.nonsense[0], /^Unknown (?:filter|parameter)\./),
    });
    return;
  }
  if (method === "DELETE" && path !== `/api/${resource.path}/`) return;
  scenario(`${title} answers 400 to a body that is neither object nor list`, {
    as: "superuser",
    ...request,
    body: 42,
    status: 400,
    contains: ["Expected"],
  });
}

/** Registers scenarios of hidden and missing rows, which have the same response. */
function notFound(subject: Subject, method: Method): void {
  const { path, sample } = subject;
  for (const [what, id] of [["a hidden", sample.hidden], ["a missing", 999_999]] as const) {
    scenario(`${method} ${path}{id}/ answers 404 for ${what} row`, {
      as: boundTo(subject),
      ...line(method, `${path}${id}/`),
      body: method === "GET" || method === "DELETE" ? undefined : sample.create?.(1) ?? {},
      status: 404,
      equals: DETAIL_404,
    });
  }
}

function reading(subject: Subject): void {
  const { path, sample, resource } = subject;
  scenario(`GET ${path} lists objects that the caller may view, with count, next and previous`, {
    as: boundTo(subject),
    get: `${path}?limit=0`,
    status: 200,
    json: (body) => {
      assert.deepEqual(Object.keys(body), ["count", "next", "previous", "results"]);
      assert.equal(body.count, body.results.length);
      const ids = body.results.map((row: { id: number }) => row.id);
      assert(ids.includes(sample.seen) && !ids.includes(sample.hidden), `Ids ${ids}`);
    },
  });
  scenario(`GET ${path}{id}/ has every readable field, and no other`, {
    as: boundTo(subject),
    get: `${path}${sample.seen}/`,
    status: 200,
    json: (body) => {
      const readable = Object.values(resource.fields).filter((field) => !field.writeOnly);
      assert.deepEqual(
        Object.keys(body).sort(),
        [...readable.map((field) => field.name), "url", "display_url", "display"].sort(),
      );
      for (const field of readable) assert(field.output.safeParse(body[field.name]).success, field.name);
      assert.equal(body.url, `https://certmgr.example${path}${sample.seen}/`);
    },
  });
  scenario(`GET ${path}{id}/?brief=true has the brief form`, {
    as: boundTo(subject),
    get: `${path}${sample.seen}/?brief=true`,
    status: 200,
    json: (body) => assert.deepEqual(Object.keys(body), ["id", "url", "display", ...resource.brief]),
  });
  if (!("last_updated" in resource.fields)) return;
  scenario(`GET ${path}{id}/ answers 304 to a client that has the newest version`, {
    as: boundTo(subject),
    get: `${path}${sample.seen}/`,
    headers: { "if-none-match": "*" },
    status: 304,
    answers: { etag: /^W\/"\d+-[0-9a-f]{16}"$/ },
  });
}

function createsLists(
  { path, type, ...subject }: Subject,
  create: (number: number) => Record<string, unknown>,
): void {
  const as = boundTo({ path, type, ...subject });
  scenario(`POST ${path} creates the objects of a list in order`, {
    as,
    post: path,
    body: [create(1), create(2)],
    status: 201,
    changes: [`create ${type}`, `create ${type}`],
    json: (body) => assert.equal(body[1].id, body[0].id + 1),
  });
  scenario(`POST ${path} of a list with one invalid object creates none and reports which one`, {
    as,
    post: path,
    body: [create(1), 42],
    status: 400,
    json: ([good, bad]) => {
      assert.deepEqual(good, {});
      assert.deepEqual(bad.__all__, ["Expected an object, not 42."]);
    },
  });
}

function writing(subject: Subject, create: (number: number) => Record<string, unknown>): void {
  const { path, sample, resource, type } = subject;
  const { seen, change, idle } = sample;
  scenario(`POST ${path} creates an object and returns it with its URL`, {
    as: boundTo(subject),
    post: path,
    body: create(1),
    status: 201,
    answers: {
      location: new RegExp(`^https://certmgr\\.example${path}\\d+/$`),
      etag: /^W\/"\d+-[0-9a-f]{16}"$/,
    },
    changes: [`create ${type}`],
    json: (body) => assert.equal(typeof body.id, "number"),
  });
  if (resource.written?.oneByOne) {
    scenario(`POST ${path} of a list is refused`, {
      as: boundTo(subject),
      post: path,
      body: [create(1)],
      status: 400,
      equals: {
        detail: `Expected an object, not a list: ${resource.labelPlural} are created one at a time.`,
      },
    });
  } else createsLists(subject, create);
  if (resource.methods.item.includes("PATCH")) {
    scenario(`PATCH ${path}{id}/ changes the given fields and returns the object`, {
      as: boundTo(subject),
      patch: `${path}${seen}/`,
      body: change,
      status: 200,
      changes: [`update ${type}`],
      answers: { etag: /^W\/"\d+-[0-9a-f]{16}"$/ },
      json: (body) => assert.deepEqual({ ...body, ...change }, body),
    });
    scenario(`PATCH ${path}{id}/ without a change records nothing`, {
      as: boundTo(subject),
      patch: `${path}${seen}/`,
      body: { id: 5, ...(resource.written?.knownOnly ? {} : { nonsense: 1 }) },
      status: 200,
    });
  }
  scenario(`PUT ${path}{id}/ replaces the object`, {
    as: boundTo(subject),
    put: `${path}${seen}/`,
    body: { ...create(7), ...sample.fixed, ...(type === "users.token" ? {} : change) },
    status: 200,
    changes: [`update ${type}`],
  });
  scenario(`DELETE ${path}{id}/ deletes the object`, {
    as: boundTo({ ...subject, sample: { ...sample, hidden: seen } }),
    delete: `${path}${idle}/`,
    status: 204,
    changes: [`delete ${type}`],
  });
  for (const method of resource.methods.item.filter((one) => one !== "GET")) {
    scenario(`${method} ${path}{id}/ answers 412 when another version is stored`, {
      as: boundTo(subject),
      ...line(method, `${path}${seen}/`),
      headers: { "if-match": 'W/"1"' },
      body: method === "DELETE" ? undefined : create(1),
      status: 412,
      equals: { detail: "Precondition failed." },
    });
  }
}

/** Registers scenarios of PUT, PATCH and DELETE of a list on the collection. */
function bulk(subject: Subject, method: "PUT" | "PATCH" | "DELETE"): void {
  const { path, sample, type } = subject;
  const body = {
    PUT: { ...sample.create?.(1), ...sample.fixed, ...(sample.fixed && sample.change) },
    PATCH: sample.change,
    DELETE: {},
  }[method];
  const id = method === "DELETE" ? sample.idle : sample.seen;
  const actor = method === "DELETE"
    ? boundTo({ ...subject, sample: { ...sample, hidden: sample.seen } })
    : boundTo(subject);
  scenario(`${method} ${path} accepts a list of objects with their ids`, {
    as: actor,
    ...line(method, path),
    body: [{ ...body, id }],
    status: method === "DELETE" ? 204 : 200,
    changes: [`${method === "DELETE" ? "delete" : "update"} ${type}`],
  });
  for (const [what, missing] of [["a hidden", sample.hidden], ["a missing", 999_999]] as const) {
    scenario(`${method} ${path} of a list with ${what} row changes none and names its id`, {
      as: boundTo(subject),
      ...line(method, path),
      body: [{ ...body, id: sample.seen }, { ...body, id: missing }],
      status: 400,
      equals: [{}, { id: [`No object with the id ${missing} was found.`] }],
    });
  }
  scenario(`${method} ${path} of a list reports missing, malformed and repeated ids`, {
    as: boundTo(subject),
    ...line(method, path),
    body: [{ ...body, id: sample.seen }, body, { ...body, id: "7" }, { ...body, id: sample.seen }],
    status: 400,
    equals: [
      {},
      { id: ["This field is required."] },
      { id: ['Expected an id, not "7".'] },
      { id: [`The id ${sample.seen} is in the list twice.`] },
    ],
  });
  scenario(`${method} ${path} of an empty list is refused`, {
    as: boundTo(subject),
    ...line(method, path),
    body: [],
    status: 400,
    equals: { detail: "Expected a list with at least one object." },
  });
}
