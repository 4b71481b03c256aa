/** The service that receives the inputs: a running process with an inventory and a user who has few permissions. */

import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { insertRows, migrate, MIGRATIONS, type Row } from "../../src/db/mod.ts";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { devices, tagged_items, tags } from "../../src/db/schema/mod.ts";
import { fillInventory, GENERATED_NOW } from "../bench/inventory.ts";
import { adminOf, type RunningService, startService, testFolder } from "../cli/process.ts";

/** Rows of the inventory. */
const CERTIFICATES = 2_000;
const DEVICES = 1_000;
const TAGS = 13_000;
/** Id of the first device and of the first tag; the generated inventory has lower ones. */
const FIRST_ID = 10_000;
/** Rows in one statement. */
const CHUNK = 1_000;

const USERNAME = "few-rights";
const PASSWORD = "few rights, one password";
/** Permissions of the user; every input of the table needs one of them. */
const GRANTS = [
  {
    object_types: ["certmgr.certificate"],
    actions: ["view", "add", "change", "import", "bulk_operations"],
  },
  {
    object_types: ["certmgr.calendarfeed", "users.token", "extras.webhook"],
    actions: ["view", "add"],
  },
  {
    object_types: ["extras.tag"],
    actions: ["view", "add"],
    constraints: { name__isw: "t" },
  },
  { object_types: ["dcim.device"], actions: ["view", "add", "change"] },
  { object_types: ["certmgr.endpoint"], actions: ["push_observations"] },
];

/** Calls the API and returns the status and the body of the response. */
export type Ask = (
  path: string,
  options?: {
    readonly method?: string;
    readonly body?: unknown;
    readonly signal?: AbortSignal;
  },
) => Promise<{ readonly status: number; readonly text: string }>;

/** The service to which inputs are sent. */
export interface Target extends AsyncDisposable {
  readonly service: RunningService;
  readonly url: string;
  readonly port: number;
  readonly adminToken: string;
  /** Token and session cookie of the user with few permissions. */
  readonly token: string;
  readonly cookie: string;
  readonly ask: Ask;
  readonly askAsAdmin: Ask;
}

/** Returns a function that sends API requests with a token; a text or bytes are sent unchanged. */
export function asker(url: string, token: string): Ask {
  return async (path, { method, body, signal } = {}) => {
    const raw = body === undefined || typeof body === "string" ||
      body instanceof Uint8Array;
    const response = await fetch(`${url}/api/${path}`, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: {
        authorization: `Token ${token}`,
        "content-type": "application/json",
        "x-forwarded-for": "198.51.100.7",
      },
      ...(body === undefined ? {} : { body: (raw ? body : JSON.stringify(body)) as BodyInit }),
      ...(signal === undefined ? {} : { signal }),
    });
    return { status: response.status, text: await response.text() };
  };
}

/** The data folder of a service with the inventory, and the data that callers need. */
export interface Inventory extends AsyncDisposable {
  readonly path: string;
  readonly adminToken: string;
  readonly token: string;
  readonly cookie: string;
}

function start(path: string, workers = 1): Promise<RunningService> {
  return startService({
    CERTMGR_WORKERS: String(workers),
    CERTMGR_DATA_DIR: path,
    CERTMGR_LOG_LEVEL: "error",
    CERTMGR_PROBE_ALLOWED_NETWORKS: "127.0.0.0/8",
    // The client whose waits are measured has another address than the clients that cause them.
    CERTMGR_TRUSTED_PROXIES: "127.0.0.1",
  });
}

/** Fills the database of a service in a temporary folder, and stops the service. */
export async function makeInventory(): Promise<Inventory> {
  const folder = await testFolder();
  try {
    await fill(`${folder.path}/certmgr.db`);
    await using service = await start(folder.path);
    const adminToken = adminOf(service.greeting).token;
    const admin = asker(service.url, adminToken);
    const token = await makeUser(admin, service.url);
    const cookie = await signIn(service.url);
    service.signal("SIGTERM");
    await service.ended();
    return {
      path: folder.path,
      adminToken,
      token,
      cookie,
      [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
    };
  } catch (error) {
    await folder[Symbol.asyncDispose]();
    throw error;
  }
}

/** Starts a service with this number of workers on a copy of the inventory. */
export async function startTarget(
  { path, ...known }: Inventory,
  workers: number,
): Promise<Target> {
  const folder = await testFolder();
  for await (const { name, isFile } of Deno.readDir(path)) {
    if (isFile) {
      await Deno.copyFile(`${path}/${name}`, `${folder.path}/${name}`);
    }
  }
  const service = await start(folder.path, workers);
  return {
    service,
    url: service.url,
    port: Number(new URL(service.url).port),
    adminToken: known.adminToken,
    token: known.token,
    cookie: known.cookie,
    ask: asker(service.url, known.token),
    askAsAdmin: asker(service.url, known.adminToken),
    async [Symbol.asyncDispose](): Promise<void> {
      await service[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function created(ask: Ask, path: string, body: unknown): Promise<string> {
  const { status, text } = await ask(path, { body });
  if (status !== 201) {
    throw new Error(`POST ${path} answers ${status}: ${text.slice(0, 500)}`);
  }
  return text;
}

/** Fills an empty data folder by SQL, because API requests would take minutes. */
async function fill(path: string): Promise<void> {
  const database = await openFileDatabase({ path });
  try {
    await migrate(database, { migrations: MIGRATIONS, now: GENERATED_NOW });
    await fillInventory(database, { count: CERTIFICATES });
    for (const [table, rows] of taggedDevices()) {
      for (let start = 0; start < rows.length; start += CHUNK) {
        await database.write((tx) => tx.run(insertRows(table, rows.slice(start, start + CHUNK))));
      }
    }
  } finally {
    database.close();
  }
}

/** Returns devices with many tags each; their ids follow those of the inventory. */
function taggedDevices(): readonly (readonly [SQLiteTable, Row[]])[] {
  const numbers = Array.from({ length: TAGS }, (_, index) => index);
  const stamps = { created: GENERATED_NOW, last_updated: GENERATED_NOW };
  return [
    [
      tags,
      numbers.map((index) => ({
        id: FIRST_ID + index,
        name: `target ${index}`,
        slug: `target-${index}`,
        ...stamps,
      })),
    ],
    [
      devices,
      numbers.slice(0, DEVICES).map((index) => ({
        id: FIRST_ID + index,
        name: `target ${index}`,
        ...stamps,
      })),
    ],
    [
      tagged_items,
      numbers.map((index) => ({
        object_type: "dcim.device",
        object_id: FIRST_ID + (index % DEVICES),
        tag_id: FIRST_ID + index,
      })),
    ],
  ];
}

/** Creates the user and returns their token. */
async function makeUser(admin: Ask, url: string): Promise<string> {
  await created(admin, "users/users/", {
    username: USERNAME,
    password: PASSWORD,
  });
  for (const [index, grant] of GRANTS.entries()) {
    await created(admin, "users/permissions/", {
      name: `grant ${index}`,
      ...grant,
      users: [{ username: USERNAME }],
    });
  }
  const nobody = asker(url, "");
  const body = JSON.stringify({ username: USERNAME, password: PASSWORD });
  return JSON.parse(await created(nobody, "users/tokens/provision/", body)).key;
}

async function signIn(url: string): Promise<string> {
  const response = await fetch(`${url}/sign-in/`, {
    method: "POST",
    body: new URLSearchParams({ username: USERNAME, password: PASSWORD }),
    redirect: "manual",
  });
  await response.text();
  const [cookie = ""] = response.headers.getSetCookie().map((one) => one.split(";")[0] as string);
  if (response.status !== 303 || cookie === "") {
    throw new Error(`Sign-in answers ${response.status}`);
  }
  return cookie;
}
