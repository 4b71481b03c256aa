/** Responds to notices: acknowledges an expiring certificate, or postpones its reminders. */

import { issue, ofIssues } from "../../base/findings.ts";
import { and, eq, gt, isNull, or } from "drizzle-orm";
import { z } from "zod";
import { actorOf, authorize, type Context, useOnce } from "../../auth/mod.ts";
import { addDays, DAY_MS, formatDate, formatDatetime, type Millis, parseDatetime } from "../../base/clock.ts";
import { AppError, invalid, notFound } from "../../base/errors.ts";
import { MAX_NOTICE_DAYS } from "../../base/limits.ts";
import { recordChanges } from "../../changes/mod.ts";
import { deleteFrom, insertInto, type Reader, select, type Transaction } from "../../db/mod.ts";
import { certificates as certificateTable, notice_responses } from "../../db/schema/mod.ts";
import type { Condition } from "../../filters/mod.ts";
import { objectBody, operation } from "../../operation/mod.ts";
import { DATETIME, documented, loadForChange, snapshot, textSchema, unexpected } from "../../resource/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { coveredIds } from "./subjects.ts";
import { openLink } from "./links.ts";

/** Maximum length of a reason. */
const MAX_REASON_CHARS = 1_000;
const reason = textSchema({ max: MAX_REASON_CHARS, blank: true }).default("");
const EXPECTED_TIME = "a time in the future such as 2026-12-01 or 2026-12-01T08:00:00Z";

/** The current response to a notice. */
const NoticeResponse = z.object({
  certificate: z.int(),
  acknowledged: z.boolean(),
  snoozed_until: z.iso.datetime().nullable(),
  reason: z.string(),
  username: z.string(),
  created: z.iso.datetime(),
});
export type NoticeResponse = z.infer<typeof NoticeResponse>;

/** Returns the operation that stores one response. */
const responding = (response: { readonly until: null } | undefined) =>
  operation({
    needs: [["acknowledge", certificates]],
    input: objectBody({ reason }).optional(),
    output: NoticeResponse,
    run: async ({ ctx, id, input, ...run }) =>
      await ctx.database.write((tx) =>
        respond(tx, ctx, { id, allowed: run.allowed(certificates), response, reason: input?.reason ?? "" })
      ),
  });

/**
 * Acknowledges the expiry of a certificate: stops its reminders and escalations until its `valid_to` changes.
 * If it expires without a successor, this is still reported. Errors: forbidden, not_found.
 */
export const acknowledgeCertificate = responding({ until: null });

/** Ends an acknowledgement or snooze: reminders go on. Errors: forbidden, not_found. */
export const remindCertificate = responding(undefined);

/** Postpones reminders of a certificate's expiry. Errors: forbidden, not_found, invalid. */
export const snoozeCertificate = operation({
  needs: [["acknowledge", certificates]],
  input: objectBody({
    until: documented(z.string({ error: issue("unexpected", { expected: EXPECTED_TIME }) }).max(40), {
      anyOf: [DATETIME, { type: "string", format: "date" }],
    }),
    reason,
  }),
  output: NoticeResponse,
  run: async ({ ctx, id, input, ...run }) => {
    const until = snoozeEnd(ctx, input.until);
    return await ctx.database.write((tx) =>
      respond(tx, ctx, { id, allowed: run.allowed(certificates), response: { until }, reason: input.reason })
    );
  },
});

function snoozeEnd({ clock }: Context, text: string): Millis {
  const until = parseDatetime(text.trim());
  const now = clock.now();
  if (until === undefined || until <= now) {
    throw invalid([{ ...unexpected(EXPECTED_TIME, text), field: "until" }]);
  }
  if (until > now + MAX_NOTICE_DAYS * DAY_MS) {
    throw invalid([{ ...unexpected(`a time within ${MAX_NOTICE_DAYS} days`, text), field: "until" }]);
  }
  return until;
}

async function respond(
  tx: Transaction,
  ctx: Context,
  { id, allowed, response, reason, validTo }: {
    id: number;
    allowed: Condition;
    /** Until when nobody is reminded, null without end; undefined if people are to be reminded. */
    response: { readonly until: Millis | null } | undefined;
    reason: string;
    /** The expiry that the caller has seen; by default the current one. */
    validTo?: Millis;
  },
): Promise<NoticeResponse> {
  const row = (await loadForChange({ ctx, tx, resource: certificates, allowed }, [id])).get(id);
  if (row === undefined || validTo !== undefined && row.valid_to !== validTo) throw notFound();
  const now = ctx.clock.now();
  const { userId, username } = ctx.actor;
  const former = await storedResponse(tx, { id, now });
  if (response === undefined) {
    await tx.run(deleteFrom(notice_responses).where(eq(notice_responses.certificate_id, id)));
  } else {
    const stored = {
      valid_to: row.valid_to,
      snoozed_until: response.until,
      reason,
      user_id: userId,
      username,
      created: now,
    };
    await tx.run(
      insertInto(notice_responses).values({ certificate_id: id, ...stored })
        .onConflictDoUpdate({ target: notice_responses.certificate_id, set: stored }),
    );
  }
  if (response !== undefined || former !== undefined) {
    const shown = snapshot(certificates, row);
    await recordChanges(tx, ctx, [{
      action: "update",
      objectType: certificates.objectType,
      objectId: id,
      repr: certificates.display(row),
      prechange: { ...shown, reminders: reminders(former) },
      postchange: { ...shown, reminders: reminders(response) },
      message: reason,
    }]);
  }
  const until = response?.until ?? null;
  return {
    certificate: id,
    acknowledged: response?.until === null,
    snoozed_until: until === null ? null : formatDatetime(until),
    reason,
    username,
    created: formatDatetime(now),
  };
}

/** Returns whether people are reminded, in the words of change records. */
function reminders(response: { readonly until: Millis | null } | undefined): string {
  if (response === undefined) return "on";
  return response.until === null ? "acknowledged" : `snoozed until ${formatDatetime(response.until)}`;
}

interface StoredResponse {
  readonly until: Millis | null;
  readonly reason: string;
  readonly username: string;
  readonly created: Millis;
}

/** Returns the response to the certificate's current expiry that applies now. One statement. */
async function storedResponse(
  reader: Reader,
  { id, now }: { id: number; now: Millis },
): Promise<StoredResponse | undefined> {
  const [row] = await reader.all(
    select({
      until: notice_responses.snoozed_until,
      reason: notice_responses.reason,
      username: notice_responses.username,
      created: notice_responses.created,
    }).from(notice_responses)
      .innerJoin(
        certificateTable,
        and(
          eq(certificateTable.id, notice_responses.certificate_id),
          eq(certificateTable.valid_to, notice_responses.valid_to),
        ),
      )
      .where(and(
        eq(notice_responses.certificate_id, id),
        or(isNull(notice_responses.snoozed_until), gt(notice_responses.snoozed_until, now)),
      )),
  );
  return row;
}

/**
 * Returns the current response to a certificate's expiry, for callers who may view the certificate. One
 * statement.
 */
export async function readResponse(ctx: Context, id: number): Promise<NoticeResponse | undefined> {
  const row = await storedResponse(ctx.database, { id, now: ctx.clock.now() });
  if (row === undefined) return undefined;
  return {
    certificate: id,
    acknowledged: row.until === null,
    snoozed_until: row.until === null ? null : formatDatetime(row.until),
    reason: row.reason,
    username: row.username,
    created: formatDatetime(row.created),
  };
}

/** Days until a reminder, by default. */
const SNOOZE_DAYS = 7;

/**
 * Returns the day of the next reminder that is proposed: in a week, at the latest the day before the expiry. Undefined
 * if that is not after today.
 */
export function proposedReminder(
  { now, validTo }: Readonly<{ now: Millis; validTo: string }>,
): string | undefined {
  const day = formatDate(Math.min(addDays(now, SNOOZE_DAYS), addDays(Date.parse(validTo), -1)));
  return day > formatDate(now) ? day : undefined;
}

/** A valid link in a message. */
export interface UsableLink {
  readonly certificateId: number;
  readonly name: string;
  readonly validTo: string;
}

type Deps = Omit<Context, "actor">;

/** Returns what a link is about, for the page that asks for confirmation. Errors: not_found. */
export async function viewLink({ deps, link }: { deps: Deps; link: string }): Promise<UsableLink> {
  const { ctx, opened } = await openFor(deps, link);
  if (!(await coveredIds(ctx, { ids: [opened.certificateId], filter: null })).has(opened.certificateId)) {
    throw notFound();
  }
  const { id, common_name, valid_to } = certificateTable;
  const [row] = await ctx.database.all(
    select({ common_name, valid_to }).from(certificateTable).where(eq(id, opened.certificateId)),
  );
  if (row === undefined || row.valid_to !== opened.validTo) throw notFound();
  return {
    certificateId: opened.certificateId,
    name: row.common_name,
    validTo: formatDatetime(row.valid_to),
  };
}

/**
 * Responds with a link in a message, as its user and with that user's current permissions. Errors: not_found,
 * invalid.
 */
export async function respondByLink(
  { deps, link, until, reason: given }: { deps: Deps; link: string; until: string | null; reason: string },
): Promise<NoticeResponse> {
  const { ctx, opened } = await openFor(deps, link);
  const parsed = reason.safeParse(given);
  if (!parsed.success) throw invalid(ofIssues(parsed.error, "reason"));
  const end = until === null ? null : snoozeEnd(ctx, until);
  const allowed = authorize(ctx, "acknowledge", certificates.map);
  return await ctx.database.write(async (tx) => {
    const { certificateId: id, validTo, hash, expires } = opened;
    if (!await useOnce(tx, { hash, expires, now: ctx.clock.now() })) throw notFound();
    return await respond(tx, ctx, { id, allowed, response: { until: end }, reason: parsed.data, validTo });
  });
}

async function openFor(
  deps: Deps,
  link: string,
): Promise<{ ctx: Context; opened: NonNullable<Awaited<ReturnType<typeof openLink>>> }> {
  const opened = await openLink(deps.database, { link, now: deps.clock.now() });
  const actor = opened === undefined ? undefined : await actorOf(deps, opened.userId);
  if (opened === undefined || actor === undefined) {
    throw new AppError(
      "not_found",
      "This link has already been used or has expired. Open the certificate instead.",
    );
  }
  return { ctx: { ...deps, actor }, opened };
}
