/** A server of the Hrana 2 protocol (JSON over HTTP) on a SQLite file, whose answers a test can replace. */

import { DatabaseSync, type SQLInputValue } from "node:sqlite";

/** A statement as the client sends it. */
interface Sent {
  readonly sql?: string;
  readonly sql_id?: number;
  readonly args?: readonly { type: string; value?: string }[];
}

type Condition =
  | { readonly type: "ok" | "error"; readonly step: number }
  | { readonly type: "not"; readonly cond: Condition }
  | { readonly type: "and"; readonly conds: readonly Condition[] };

interface Request {
  readonly type: string;
  readonly stmt?: Sent;
  readonly sql?: string;
  readonly sql_id?: number;
  readonly batch?: {
    readonly steps: readonly {
      readonly stmt: Sent;
      readonly condition?: Condition | null;
    }[];
  };
}

// deno-lint-ignore no-explicit-any -- tests change single parts of it
export type Reply = any;

/** Replaces the answer to a request; `sql` is its statements, `reply` the answer, whose effects have happened. */
export type Alter = (
  sql: string,
  reply: Reply,
) => Reply | Response | Promise<Reply | Response>;

interface Stream {
  readonly file: DatabaseSync;
  readonly texts: Map<number, string>;
}

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  /** The statements of each request. */
  readonly requests: string[];
  /** Replaces answers from now on. */
  alter: Alter;
  /** Ends all streams: their transactions are rolled back. */
  endStreams(): void;
  /** Number of rows of `t`, read from the file. */
  rows(): number;
}

/** Starts a server with an empty table `t (id, x)`. */
export async function startScriptedServer(): Promise<ScriptedServer> {
  const path = await Deno.makeTempFile({
    prefix: "certmgr-scripted-",
    suffix: ".db",
  });
  const direct = new DatabaseSync(path);
  direct.exec(
    "PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT NOT NULL) STRICT",
  );
  const streams = new Map<string, Stream>();
  const server: Omit<ScriptedServer, "url" | "rows" | keyof AsyncDisposable> = {
    requests: [],
    alter: (_, reply) => reply,
    endStreams(): void {
      for (const { file } of streams.values()) file.close();
      streams.clear();
    },
  };
  const stop = new AbortController();
  const http = Deno.serve(
    { port: 0, hostname: "127.0.0.1", signal: stop.signal, onListen: () => {} },
    async (request) => {
      const { baton, requests } = await request.json() as {
        baton?: string;
        requests: Request[];
      };
      if (baton && !streams.has(baton)) {
        return new Response("The stream has ended", { status: 404 });
      }
      const id = baton || crypto.randomUUID();
      const stream = streams.get(id) ??
        { file: new DatabaseSync(path), texts: new Map() };
      streams.set(id, stream);
      const results = requests.map((one) => answer(stream, one));
      if (requests.some(({ type }) => type === "close")) {
        streams.delete(id) && stream.file.close();
      }
      const sql = requests.flatMap((one) => statementsOf(stream, one)).join(
        "; ",
      );
      server.requests.push(sql);
      const reply = await server.alter(sql, {
        baton: streams.has(id) ? id : null,
        base_url: null,
        results,
      });
      return reply instanceof Response ? reply : Response.json(reply);
    },
  );
  return Object.assign(server, {
    url: `http://127.0.0.1:${http.addr.port}`,
    rows: () => direct.prepare("SELECT count(*) AS n FROM t").get()!.n as number,
    async [Symbol.asyncDispose](): Promise<void> {
      stop.abort();
      await http.finished;
      server.endStreams();
      direct.close();
      await Deno.remove(path);
    },
  });
}

function statementsOf(
  { texts }: Stream,
  { type, stmt, batch }: Request,
): string[] {
  const sent = [
    ...(stmt === undefined ? [] : [stmt]),
    ...(batch?.steps ?? []).map((step) => step.stmt),
  ];
  return type === "close" ? [] : sent.map(({ sql, sql_id }) => sql ?? texts.get(sql_id!) ?? "");
}

function answer(stream: Stream, request: Request): unknown {
  const { type, stmt, batch } = request;
  const ok = (result?: unknown): unknown => ({
    type: "ok",
    response: { type, result },
  });
  if (type === "store_sql") stream.texts.set(request.sql_id!, request.sql!);
  if (stmt !== undefined) {
    const { result, error } = run(stream, stmt);
    return error === undefined ? ok(result) : { type: "error", error };
  }
  if (batch === undefined) return ok();
  const done: { result?: unknown; error?: unknown }[] = [];
  const holds = (condition: Condition | null | undefined): boolean => {
    if (!condition) return true;
    if (condition.type === "not") return !holds(condition.cond);
    if (condition.type === "and") return condition.conds.every(holds);
    return done[condition.step]![
      condition.type === "ok" ? "result" : "error"
    ] !== undefined;
  };
  for (const step of batch.steps) {
    done.push(holds(step.condition) ? run(stream, step.stmt) : {});
  }
  return ok({
    step_results: done.map(({ result }) => result ?? null),
    step_errors: done.map(({ error }) => error ?? null),
  });
}

function run(
  { file, texts }: Stream,
  { sql, sql_id, args }: Sent,
): { result?: unknown; error?: unknown } {
  try {
    const prepared = file.prepare(sql ?? texts.get(sql_id!)!);
    const values = (args ?? []).map(({ type, value }): SQLInputValue =>
      type === "null" ? null : type === "text" ? value! : Number(value)
    );
    const cols = prepared.columns().map(({ name }) => ({
      name,
      decltype: null,
    }));
    const rows = cols.length > 0 ? prepared.all(...values) : [];
    const changes = cols.length > 0 ? 0 : prepared.run(...values).changes;
    const valueOf = (value: unknown): unknown =>
      typeof value === "number" ? { type: "integer", value: String(value) } : { type: "text", value };
    return {
      result: {
        cols,
        rows: rows.map((row) => Object.values(row).map(valueOf)),
        affected_row_count: Number(changes),
        last_insert_rowid: null,
      },
    };
  } catch (error) {
    return {
      error: { message: (error as Error).message, code: "SQLITE_ERROR" },
    };
  }
}
