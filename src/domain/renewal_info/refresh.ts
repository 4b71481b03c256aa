/** Asks authorities when certificates should be renewed (RFC 9773), and stores their answers. */

import { sql } from "drizzle-orm";
import { type Context, SERVICE_ACTOR } from "../../auth/mod.ts";
import { DAY_MS, formatDatetime, type Millis } from "../../base/clock.ts";
import { pacer } from "../../base/pace.ts";
import { type Cell, perDatabase, updateRows } from "../../db/mod.ts";
import { certificates as table } from "../../db/schema/mod.ts";
import { EVERYTHING } from "../../filters/mod.ts";
import { OutboundError } from "../../http/mod.ts";
import { changeStored, readStored } from "../certificates/mod.ts";
import { eachByHost, type Fetched, fetchInTurn, type Leaving, SLOW_MS } from "../revocation/mod.ts";
import {
  certIdOf,
  directoryOf,
  pauseOf,
  readWindow,
  type RenewalWindow,
  resourceIn,
  retryPause,
} from "./window.ts";

/** Maximum size of a directory and of an answer, in bytes. */
const MAX_BYTES = 64 * 1024;
/** Time for which a directory is used. */
const DIRECTORY_MS = DAY_MS;
/** Time after which a window that nobody has confirmed is dropped. */
const STALE_MS = 7 * DAY_MS;

/** A certificate that is asked about. */
interface Question {
  readonly id: number;
  readonly certId: string;
  readonly directory: string;
  readonly start: Millis | null;
  readonly checkedAt: Millis | null;
}

/** What an authority answered: a window, none for a certificate that it does not know, or a failure. */
type Answer = { readonly window: RenewalWindow | undefined; readonly pause: Millis } | "failed";

const directoriesOf = perDatabase(() => new Map<string, { resource: string; until: Millis }>());

/**
 * Asks about certificates and stores the answers. Certificates without a directory are not due any more. Returns how many
 * are due later.
 */
export async function refreshWindows(given: Context, ids: readonly number[]): Promise<number> {
  const ctx: Context = { ...given, actor: SERVICE_ACTOR };
  const questions = await readQuestions(ctx, ids);
  const asked = questions.filter(({ certId, directory }) => certId !== "" && directory !== "");
  const answers = new Map<number, Answer>();
  const left = new Map<number, Leaving>();
  await eachByHost(ctx, asked, {
    urlOf: ({ directory }) => directory,
    work: async (question) => {
      const answer = await ask(ctx, question);
      answers.set(question.id, answer);
      return answer !== "failed";
    },
    leave: (others, why) => {
      for (const { id } of others) left.set(id, why);
      return Promise.resolve();
    },
  });
  // Those that there was no time to ask about stay due.
  const settled = questions.filter(({ id }) => left.get(id) !== "late");
  await store(ctx, settled, { answers, left });
  return settled.length;
}

async function readQuestions(ctx: Context, ids: readonly number[]): Promise<Question[]> {
  const columns = sql`authority.acme_directory_url AS directory, renewal_window_start AS start,
    renewal_info_checked_at AS "checkedAt"`;
  const questions: Question[] = [];
  const stored = readStored<Pick<Question, "start" | "checkedAt"> & { directory: string | null }>;
  for await (const { certificate, row } of stored(ctx, { ids, columns, pause: pacer() })) {
    const { id, start, checkedAt, directory } = row;
    questions.push({
      id,
      start,
      checkedAt,
      certId: certificate === undefined ? "" : certIdOf(certificate) ?? "",
      directory: directory || (certificate === undefined ? "" : directoryOf(certificate)),
    });
  }
  return questions;
}

/** Asks about one certificate. `failed`: the host did not answer with what can be used. */
async function ask(ctx: Context, { certId, directory }: Question): Promise<Answer> {
  try {
    const resource = await resourceOf(ctx, directory);
    if (resource === undefined) return "failed";
    const { status, bytes, retryAfter } = await get(ctx, `${resource.replace(/\/$/, "")}/${certId}`);
    const now = ctx.clock.now();
    if (status === 404) return { window: undefined, pause: DAY_MS };
    const window = status === 200 ? readWindow(new TextDecoder().decode(bytes)) : undefined;
    return window === undefined ? "failed" : { window, pause: pauseOf(retryAfter, now) };
  } catch (error) {
    if (error instanceof OutboundError) return "failed";
    throw error;
  }
}

/** Returns the URL of the resource that a directory names, which a process remembers for a day. */
async function resourceOf(ctx: Context, url: string): Promise<string | undefined> {
  const known = directoriesOf(ctx.database);
  const now = ctx.clock.now();
  const found = known.get(url);
  if (found !== undefined && found.until > now && found.until <= now + DIRECTORY_MS) return found.resource;
  known.delete(url);
  const { status, bytes } = await get(ctx, url);
  const resource = status === 200 ? resourceIn(new TextDecoder().decode(bytes)) : undefined;
  if (resource !== undefined) known.set(url, { resource, until: now + DIRECTORY_MS });
  return resource;
}

function get(ctx: Context, url: string): Promise<Fetched> {
  return fetchInTurn(ctx, { url, headers: { accept: "application/json" }, maxBytes: MAX_BYTES });
}

/** Stores what changed. A window that begins a day earlier than before, or more, is a change with a record. */
async function store(
  ctx: Context,
  questions: readonly Question[],
  { answers, left }: { answers: ReadonlyMap<number, Answer>; left: ReadonlyMap<number, Leaving> },
): Promise<void> {
  const now = ctx.clock.now();
  const moved = new Map<number, RenewalWindow>();
  const rows: ({ id: number } & Record<string, Cell>)[] = [];
  for (const question of questions) {
    const { id, start, checkedAt } = question;
    if (question.certId === "" || question.directory === "") {
      rows.push({ id, ...columnsOf(undefined), renewal_info_checked_at: null, renewal_info_due: null });
      continue;
    }
    if (left.get(id) === "slow") {
      rows.push({ id, renewal_info_due: now + SLOW_MS });
      continue;
    }
    // The others of a host that failed are not asked.
    const answer = answers.get(id) ?? "failed";
    if (answer === "failed") {
      const isStale = checkedAt !== null && now - checkedAt > STALE_MS;
      const due = now + retryPause(checkedAt, now);
      rows.push({ id, renewal_info_due: due, ...(isStale ? columnsOf(undefined) : {}) });
      continue;
    }
    const { window, pause } = answer;
    if (window !== undefined && start !== null && window.start <= start - DAY_MS) moved.set(id, window);
    const columns = moved.has(id) ? {} : columnsOf(window);
    rows.push({ id, ...columns, renewal_info_checked_at: now, renewal_info_due: now + pause });
  }
  if (moved.size > 0) {
    await changeStored(
      {
        ctx,
        allowed: EVERYTHING,
        ids: [...moved.keys()],
        messageOf: ({ id }) => messageOf(moved.get(id)!),
      },
      ({ id }) => columnsOf(moved.get(id)),
    );
  }
  const shapes = Map.groupBy(rows, (row) => Object.keys(row).join());
  for (const alike of shapes.values()) await ctx.database.write((tx) => tx.run(updateRows(table, alike)));
}

function columnsOf(window: RenewalWindow | undefined): Record<string, Cell> {
  return {
    renewal_window_start: window?.start ?? null,
    renewal_window_end: window?.end ?? null,
    renewal_explanation_url: window?.explanationUrl ?? "",
  };
}

function messageOf({ start, explanationUrl }: RenewalWindow): string {
  const reason = explanationUrl === "" ? "" : ` Its explanation: ${explanationUrl}`;
  return `The authority asks for an earlier renewal, from ${formatDatetime(start)}.${reason}`;
}
