/** Describes what is due, without what the user may not view. */

import { type Context, isGranted, visibleSql } from "../../auth/mod.ts";
import { daysUntil, type Millis, parseDatetime } from "../../base/clock.ts";
import { pacer, type Pause } from "../../base/pace.ts";
import { certificates } from "../certificates/mod.ts";
import type { NoticeEvent } from "./event_names.ts";
import type { DueNotice } from "./collect_due.ts";
import {
  assignedObjectsOf,
  authorityNotes,
  caOf,
  type NoticeObject,
  ownerOf,
  ownersOf,
  readNoticeObjects,
} from "./read_details.ts";
import { withoutHidden } from "./derive_events.ts";
import { sentence, type Severity } from "./sentences.ts";
import { type NoticeSubject, SUBJECTS } from "./subjects.ts";
import { MAX_LISTED_NOTICES } from "./message.ts";

/** A notice with everything that a message says about it. */
export interface Notice extends Omit<DueNotice, "event"> {
  readonly event: NoticeEvent | "test";
  readonly severity: Severity;
  /** One sentence: what, where, when, who. */
  readonly title: string;
  readonly lines: readonly string[];
  /** Path of the object's page. */
  readonly path: string;
  /** The expiry to which the reader can respond; absent if there is nothing to respond to. */
  readonly validTo?: Millis;
  /**
   * E-mail addresses that the user may view: those of the certificate's own contacts, or else of its
   * effective owner.
   */
  readonly owners?: readonly string[];
}

/**
 * Describes notices for the actor of `ctx`, in their order. Leaves out what the actor may not view. A few
 * statements for each type of object and each page of notices.
 */
export async function describeDue(ctx: Context, due: readonly DueNotice[]): Promise<Notice[]> {
  const pause = pacer();
  const described: Notice[] = [];
  for (let start = 0; start < due.length; start += MAX_LISTED_NOTICES) {
    described.push(...await describePage(ctx, due.slice(start, start + MAX_LISTED_NOTICES), pause));
  }
  return described;
}

async function describePage(ctx: Context, due: readonly DueNotice[], pause: Pause): Promise<Notice[]> {
  const shown = new Map<DueNotice, Notice>();
  const isRestricted = visibleSql(ctx, certificates.map) !== undefined;
  for (const subject of SUBJECTS) {
    const own = due.filter(({ objectType }) => objectType === subject.resource.objectType);
    if (own.length === 0) continue;
    const objects = await readNoticeObjects(ctx, subject, [...new Set(own.map(({ objectId }) => objectId))]);
    await pause();
    const isCertificate = subject.resource === certificates;
    const targets = isCertificate ? await assignedObjectsOf(ctx, [...objects.keys()]) : new Map();
    await pause();
    const owners = isCertificate ? await ownersOf(ctx, [...objects.keys()]) : new Map();
    const notes = isCertificate ? await authorityNotes(ctx, [...objects.values()]) : new Map();
    await pause();
    for (const due of own) {
      const found = objects.get(due.objectId);
      const object = found && { ...found, renewal_note: found.renewal_note || notes.get(caOf(found)) };
      if (object === undefined) continue;
      const one = isRestricted ? withoutHidden(due, object) : due;
      if (one !== undefined) shown.set(due, noticeOf(ctx, { one, subject, object, targets, owners }));
      await pause();
    }
  }
  return due.flatMap((one) => shown.get(one) ?? []);
}

function noticeOf(
  ctx: Context,
  { one, subject, object, targets, owners }: {
    one: DueNotice;
    subject: NoticeSubject;
    object: NoticeObject;
    targets: ReadonlyMap<number, readonly string[]>;
    owners: ReadonlyMap<number, readonly string[]>;
  },
): Notice {
  const { event, objectId, detail } = one;
  const validTo = parseDatetime(String(object.valid_to ?? ""));
  const { title, lines, severity } = sentence({
    event,
    object,
    detail,
    escalated: one.escalated ?? false,
    targets: targets.get(objectId) ?? [],
    days: validTo === undefined ? 0 : daysUntil(validTo, ctx.clock.now()),
    criticalDays: ctx.settings.criticalDays,
  });
  const responds = event === "expiring" && validTo !== undefined &&
    isGranted(ctx, "acknowledge", certificates.objectType);
  return {
    ...one,
    severity,
    title,
    lines,
    path: subject.path(object),
    ...(responds ? { validTo } : {}),
    owners: owners.get(objectId) ?? ownerOf(object),
  };
}
