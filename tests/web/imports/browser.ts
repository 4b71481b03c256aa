/** A simple browser without scripts. */

import { sql } from "drizzle-orm";
import { sessionCookieName } from "../../../src/auth/mod.ts";
import { randomText, sha256Hex } from "../../../src/base/bytes.ts";
import { DAY_MS } from "../../../src/base/clock.ts";
import { insertRows } from "../../../src/db/mod.ts";
import { sessions } from "../../../src/db/schema/mod.ts";
import { maskToken } from "../../../src/web/form_token.ts";
import { type Actor, signIn } from "../../support/actors.ts";
import { ORIGIN, type TestApp } from "../../support/app.ts";

/** May do everything. */
export const CHIEF: Actor = { username: "chief", superuser: true, grants: [] };

/** The response of a page. */
export interface Answer {
  readonly status: number;
  readonly html: string;
  readonly location: string;
  readonly headers: Headers;
}

/** Gets pages and sends forms as a signed-in user. */
export interface Browser {
  /** The cookie of its session. */
  readonly cookie: string;
  /** Gets a page, with further cookies if any. */
  get(path: string, options?: { cookie?: string }): Promise<Answer>;
  post(path: string, fields?: Fields): Promise<Answer>;
  /** Sends a form with several files in one field. */
  postFiles(path: string, name: string, files: readonly File[]): Promise<Answer>;
}

/** The values of a form; a list if several are chosen. */
export type Fields = Readonly<Record<string, string | File | readonly string[]>>;

/** Signs a user in; creates the user if necessary. */
export async function browserOf({ app, database, clock }: TestApp, actor: Actor = CHIEF): Promise<Browser> {
  const find = async (): Promise<number | undefined> =>
    (await database.all<{ id: number }>(sql`SELECT id FROM users WHERE username = ${actor.username}`))[0]?.id;
  if (await find() === undefined) await signIn(database, actor, clock.now());
  const [secret, csrf, now] = [randomText(43), randomText(43), clock.now()];
  const row = {
    user_id: await find() as number,
    secret_hash: sha256Hex(secret),
    csrf,
    created: now,
    last_seen: now,
  };
  await database.write((tx) => tx.run(insertRows(sessions, [{ ...row, expires: now + DAY_MS }])));
  const cookie = `${sessionCookieName(ORIGIN)}=${secret}`;
  const send = async (
    path: string,
    { further, ...init }: RequestInit & { further?: string },
  ): Promise<Answer> => {
    const headers = { cookie: further === undefined ? cookie : `${cookie}; ${further}`, origin: ORIGIN };
    const response = await app.fetch(new Request(new URL(path, ORIGIN), { ...init, headers }));
    return {
      status: response.status,
      html: await response.text(),
      location: response.headers.get("location") ?? "",
      headers: response.headers,
    };
  };
  return {
    cookie,
    get: (path, options) => send(path, options?.cookie === undefined ? {} : { further: options.cookie }),
    post(path, fields = {}): Promise<Answer> {
      const body = new FormData();
      body.set("csrf", maskToken(csrf));
      for (const [name, value] of Object.entries(fields)) {
        if (typeof value === "string") body.set(name, value);
        else if (value instanceof File) body.set(name, value);
        else for (const one of value) body.append(name, one);
      }
      return send(path, { method: "POST", body });
    },
    postFiles(path, name, files): Promise<Answer> {
      const body = new FormData();
      body.set("csrf", maskToken(csrf));
      for (const file of files) body.append(name, file);
      return send(path, { method: "POST", body });
    },
  };
}

/** Returns the text of a page without tags, with decoded entities and collapsed white space. */
export function textOf(html: string): string {
  return html.replaceAll("<wbr>", "").replaceAll(/<(script|style|textarea)\b.*?<\/\1>/gs, "").replaceAll(
    /<[^>]*>/g,
    " ",
  )
    .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&").replaceAll(/\s+/g, " ");
}

/** Returns the HTML without the token of its forms, which differs in each response. */
export function withoutFormToken(html: string): string {
  return html.replace(/name="csrf" value="[^"]*"/g, "");
}

/** Returns the fields that a browser would send for the unchanged form of a page. */
export function formOf(
  html: string,
  pattern = /<form method="post" action="[^"]*(?:edit|new)\/".*?<\/form>/s,
): Record<string, string | string[]> {
  const form = pattern.exec(html)?.[0] ?? "";
  const fields: Record<string, string | string[]> = {};
  const text = (given = ""): string =>
    given.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&");
  const add = (name: string, value: string): void => {
    fields[name] = name in fields ? [fields[name] as string, value].flat() : value;
  };
  const attribute = (tag: string, name: string): string | undefined =>
    new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  const controls =
    /<(input)\b([^>]*)>|<(textarea)\b([^>]*)>(.*?)<\/textarea>|<(select)\b([^>]*)>(.*?)<\/select>/gs;
  for (const found of form.matchAll(controls)) {
    const [, input, , area, , content = "", , , options = ""] = found;
    const tag = ` ${found[2] ?? found[4] ?? found[7] ?? ""}`;
    const name = attribute(tag, "name");
    if (name === undefined) continue;
    if (input !== undefined) {
      if (!/type="checkbox"/.test(tag) || /\schecked/.test(tag)) add(name, text(attribute(tag, "value")));
    } else if (area !== undefined) add(name, text(content));
    else {
      const all = [...options.matchAll(/<option\b([^>]*)>/g)].map(([option]) => option);
      const chosen = all.filter((option) => /\sselected/.test(option));
      for (const option of chosen.length > 0 ? chosen : all.slice(0, 1)) {
        add(name, text(attribute(option, "value")));
      }
    }
  }
  return fields;
}
