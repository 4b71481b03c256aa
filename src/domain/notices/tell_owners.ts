/** Tells the owners of certificates about them, by e-mail in the words of a user. */

import { and, gt, sql } from "drizzle-orm";
import { z } from "zod";
import { type Context, permittedIds } from "../../auth/mod.ts";
import { counted, expiryText } from "../../base/amounts.ts";
import { daysUntil, formatDatetime, HOUR_MS, parseDatetime } from "../../base/clock.ts";
import { AppError, invalid, invalidField } from "../../base/errors.ts";
import { encoded } from "../../base/findings.ts";
import { MAX_BULK_OBJECTS } from "../../base/limits.ts";
import { asciiMailAddress, isMailAddress } from "../../base/mail_address.ts";
import { announce, type Change, recordChanges } from "../../changes/mod.ts";
import { insertRows, nextIds, select, type Transaction } from "../../db/mod.ts";
import { notification_deliveries as table, users } from "../../db/schema/mod.ts";
import type { Condition } from "../../filters/mod.ts";
import { objectBody, operation } from "../../operation/mod.ts";
import {
  BRIEF,
  documented,
  expectedError,
  idList,
  loadForChange,
  snapshot,
  textSchema,
  unexpected,
} from "../../resource/mod.ts";
import { type Certificate, type CertificateCall, certificates } from "../certificates/mod.ts";
import { contacts } from "../contacts/mod.ts";
import { type OpenIncident, openIncidents } from "../incidents/mod.ts";
import { deliveryRow, MAX_LISTED_NOTICES, newNoticeId } from "./message.ts";
import { OWNER_TOLD } from "./event_names.ts";
import { dayText, shortened } from "./sentences.ts";
import { readNoticeObjects } from "./read_details.ts";

/** Maximum number of owners in a request, because each gets a message. */
const MAX_OWNERS = 100;
/** Maximum number of messages of a user in an hour, so that an account cannot flood the recipients. */
const MAX_MESSAGES_PER_HOUR = 200;
const MAX_SUBJECT_CHARS = 200;
/** The longest list of certificates, with long names and addresses. */
const MAX_TEXT_CHARS = 100_000;
/** Without line breaks, which would begin another header, and characters that cannot be seen. */
const LINE = "^[^\\p{Cc}\\p{Cf}\\u2028\\u2029]+$";
const subject = documented(
  textSchema({ max: MAX_SUBJECT_CHARS, blank: false }).refine((text) => new RegExp(LINE, "u").test(text), {
    error: ({ input }) => encoded(unexpected("a subject in one line", input)),
  }),
  { type: "string", minLength: 1, maxLength: MAX_SUBJECT_CHARS, pattern: LINE },
);

/** Returns the schema of texts by the ids of owners. */
function byOwner(
  text: z.ZodType<string>,
  noun: string,
): z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodType<string>>> {
  return z.record(z.string(), text, expectedError(`an object with a ${noun} for each owner`)).default({});
}

const ToldOwners = z.object({
  total: z.int().describe("Number of certificates, without those that the caller may not change."),
  subject: z.string(),
  told: z.array(z.object({
    owner: BRIEF,
    recipient: z.string(),
    subject: z.string(),
    text: z.string(),
    certificates: z.array(z.int()),
    delivery: z.int().nullable().describe("Id of the delivery; null for a dry run."),
  })),
  not_told: z.array(z.object({ certificate: z.int(), reason: z.enum(["no_owner", "no_email"]) })),
});
type ToldOwners = z.infer<typeof ToldOwners>;

/**
 * Sends each owner one message about their certificates; a dry run only returns the messages. Errors:
 * forbidden, invalid, conflict (e-mail is not configured), rate_limited, too_large.
 */
export const tellOwners = operation({
  needs: [["view", certificates], ["change", certificates], ["view", contacts]],
  input: objectBody({
    ids: idList(MAX_BULK_OBJECTS),
    subject: subject.optional(),
    texts: byOwner(textSchema({ max: MAX_TEXT_CHARS, blank: false }), "text")
      .describe("Texts by the ids of owners, instead of those that a dry run returns."),
    subjects: byOwner(subject, "subject").describe("Subjects by the ids of owners, instead of `subject`."),
    dry_run: z.boolean(expectedError("true or false")).default(false),
  }),
  output: ToldOwners,
  run: async ({ ctx, input: { ids, subject, texts, subjects, dry_run: isDry }, allowed }) => {
    const result = await lettersFor(ctx, ids);
    const { told } = result;
    for (const [field, given] of Object.entries({ texts, subjects })) {
      const unknown = Object.keys(given).find((id) => !told.some(({ owner }) => String(owner.id) === id));
      if (unknown === undefined) continue;
      throw invalid([{ ...unexpected("the id of an owner of these certificates", unknown), field }]);
    }
    if (told.length > MAX_OWNERS) {
      throw invalidField("ids", "batch_too_large", { max: MAX_OWNERS, things: "owners", count: told.length });
    }
    const given = {
      ...result,
      subject: subject ?? result.subject,
      told: told.map((one) => ({
        ...one,
        subject: subjects[one.owner.id] ?? subject ?? one.subject,
        text: texts[one.owner.id] ?? one.text,
      })),
    };
    return isDry || told.length === 0 ? given : await send(ctx, given, allowed(certificates));
  },
});

/** Maximum number of incidents to which a message links. */
const MAX_INCIDENTS = 5;

type Owned = Pick<Certificate, "id" | "common_name" | "valid_to" | "status" | "owner"> & {
  /** The open incidents that the caller may view and that demand its replacement. */
  readonly demands: readonly OpenIncident[];
};

/** Returns a message for each owner with an e-mail address, the next expiry first. Three statements. */
async function lettersFor(ctx: Context, ids: readonly number[]): Promise<ToldOwners> {
  const { map } = certificates;
  const own = await permittedIds({ ctx, reader: ctx.database }, { action: "change", map, ids });
  const subject = { resource: certificates, fields: ["id", "common_name", "valid_to", "status", "owner"] };
  const read = await readNoticeObjects<Certificate>(ctx, subject, [...own]);
  const incidents = await openIncidents(ctx, [...own]);
  const demandsOn = (id: number): OpenIncident[] =>
    (incidents.get(id) ?? []).filter(({ state }) => state === "open");
  const found: Owned[] = [...read.values()].toSorted((a, b) => a.valid_to < b.valid_to ? -1 : 1)
    .map((one) => ({ ...one, demands: demandsOn(one.id) }));
  const hasMail = ({ owner }: Owned): boolean => isMailAddress(String(owner?.contact.email ?? ""));
  const groups = Map.groupBy(found.filter(hasMail), ({ owner }) => owner?.contact.id);
  return {
    total: found.length,
    subject: subjectFor(ctx, found),
    told: [...groups.values()].flatMap((group) => {
      const owner = group[0]?.owner?.contact;
      return owner === undefined ? [] : [{
        owner,
        recipient: String(owner.email),
        subject: subjectFor(ctx, group),
        text: textFor(ctx, group, owner),
        certificates: group.map(({ id }) => id),
        delivery: null,
      }];
    }),
    not_told: found.filter((one) => !hasMail(one)).map(({ id, owner }) => ({
      certificate: id,
      reason: owner === null ? "no_owner" : "no_email",
    })),
  };
}

/** Returns "must be replaced by 4 Dec 2026 (Recall)". */
function demandSentence({ name, deadline }: OpenIncident): string {
  const until = deadline === null ? "" : ` by ${dayText(formatDatetime(deadline))}`;
  return `must be replaced${until} (${shortened(name)})`;
}

/**
 * Returns "www.acme.example expires in 12 days (11 Dec 2026)", or "www.acme.example must be replaced by 4 Dec 2026 (Recall);
 * it expires in 12 days (11 Dec 2026)".
 */
function stateSentence({ clock }: Context, { common_name, valid_to, status, demands }: Owned): string {
  const days = daysUntil(parseDatetime(valid_to) ?? 0, clock.now());
  const state = status === "revoked" ? "is revoked" : `${expiryText(days)} (${dayText(valid_to)})`;
  const name = shortened(common_name);
  return demands.length === 0
    ? `${name} ${state}`
    : `${name} ${demands.map(demandSentence).join("; ")}; it ${state}`;
}

function subjectFor(ctx: Context, found: readonly Owned[]): string {
  const [first] = found;
  if (first === undefined) return "Your certificates";
  if (found.length === 1) {
    const one = { ...first, demands: first.demands.slice(0, 1) };
    return shortened(stateSentence(ctx, one), MAX_SUBJECT_CHARS);
  }
  const demanded = found.filter(({ demands }) => demands.length > 0);
  const [demand, ...others] = new Set(demanded.flatMap(({ demands }) => demands.map(demandSentence)));
  if (demand !== undefined) {
    const what = others.length === 0 ? demand : `${demand}, or because of other incidents`;
    const rest = found.length - demanded.length;
    const more = rest === 0 ? "" : `, and ${rest} more ${rest === 1 ? "expires" : "expire"}`;
    return shortened(`${counted(demanded.length, "certificate")} ${what}${more}`, MAX_SUBJECT_CHARS);
  }
  const days = daysUntil(parseDatetime(first.valid_to) ?? 0, ctx.clock.now());
  return `Your certificates: the first ${expiryText(days)} (${dayText(first.valid_to)})`;
}

function verbOf({ demands }: Owned): string {
  return demands.length === 0 ? "renew" : "replace";
}

function textFor(ctx: Context, own: readonly Owned[], { id, display }: z.infer<typeof BRIEF>): string {
  const listed = own.slice(0, MAX_LISTED_NOTICES);
  const more = own.length - listed.length;
  const what = own.length === 1 ? "this certificate" : `these ${own.length} certificates`;
  return [
    `Hello ${shortened(display)},\n`,
    `you are responsible for ${what}. Please ${
      [...new Set(own.map(verbOf))].join(" or ")
    } in time, or tell us who does:\n`,
    ...listed.map((one) => `* ${stateSentence(ctx, one)}\n  ${ctx.baseUrl}/certificates/${one.id}/`),
    ...(more === 0 ? [] : [`* and ${more} more:\n  ${ctx.baseUrl}/certificates/?owner=${id}`]),
    ...[...new Set(own.flatMap(({ demands }) => demands.map((one) => one.id)))].slice(0, MAX_INCIDENTS)
      .map((incident) => `\nAbout the incident: ${ctx.baseUrl}/incidents/${incident}/`),
  ].join("\n");
}

/** Stores the messages, and a change record of each certificate, in one transaction. */
async function send(ctx: Context, letters: ToldOwners, allowed: Condition): Promise<ToldOwners> {
  if (!ctx.settings.mailConfigured) {
    throw new AppError("conflict", "E-mail is not configured. An administrator can set CERTMGR_SMTP_URL.");
  }
  const { userId, username } = ctx.actor;
  return await ctx.database.write(async (tx) => {
    await requireFew(tx, ctx, letters.told.length);
    const senders = await tx.all(
      select({ email: users.email }).from(users).where(sql`${users.id} = ${userId}`),
    );
    const replyTo = senders.map(({ email }) => asciiMailAddress(email)).find(isMailAddress);
    const first = await nextIds(tx, table, letters.told.length);
    const told = letters.told.map((one, index) => ({ ...one, delivery: first + index }));
    const rows = told.map(({ delivery, recipient, subject, text: given, certificates: { length: more } }) => {
      const text = `${given}\n\n-- \nSent by ${username} with certmgr.\n${ctx.baseUrl}/\n`;
      const letter = { subject, text, replyTo };
      const message = { name: username, userId, notices: [], more, letter };
      const row = deliveryRow(
        { messageId: newNoticeId(), recipient, event: OWNER_TOLD, message },
        { channelId: null, subscriptionId: null, now: ctx.clock.now() },
      );
      return { id: delivery, ...row };
    });
    await tx.run(insertRows(table, rows));
    await recordTold({ ctx, tx, resource: certificates, allowed }, told);
    announce(tx, ctx.database);
    return { ...letters, told };
  });
}

/** Refuses more messages of the user than the limit in an hour. One statement. Errors: rate_limited. */
async function requireFew(tx: Transaction, { clock, actor }: Context, more: number): Promise<void> {
  const own = sql`${table.event} = ${OWNER_TOLD} AND ${table.message} ->> 'userId' IS ${actor.userId}`;
  const sent = await tx.all(
    select({ id: table.id }).from(table).where(and(gt(table.created, clock.now() - HOUR_MS), own)),
  );
  if (sent.length + more <= MAX_MESSAGES_PER_HOUR) return;
  throw new AppError(
    "rate_limited",
    `You may notify at most ${MAX_MESSAGES_PER_HOUR} owners in an hour, and have notified ${sent.length}. Try again later.`,
    { headers: { "Retry-After": String(HOUR_MS / 1_000) } },
  );
}

/** Records the messages as changes of the certificates. They do not name the owner, whom readers may not view. */
async function recordTold(call: CertificateCall, told: ToldOwners["told"]): Promise<void> {
  const of = new Map(told.flatMap(({ certificates: ids, delivery }) => ids.map((id) => [id, delivery])));
  const rows = await loadForChange(call, [...of.keys()], { bounded: true });
  const changes = [...rows].map(([id, row]): Change => ({
    action: "update",
    objectType: certificates.objectType,
    objectId: id,
    repr: certificates.display(row),
    prechange: { ...snapshot(certificates, row), owner_told: null },
    postchange: { ...snapshot(certificates, row), owner_told: of.get(id) },
    message: `Owner notified by e-mail (delivery ${of.get(id)})`,
  }));
  await recordChanges(call.tx, call.ctx, changes);
}
