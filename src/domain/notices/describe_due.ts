/** Describes what is due, as far as the user may view it. */

import { type Context, isGranted } from "../../auth/mod.ts";
import { daysUntil, type Millis, parseDatetime } from "../../base/clock.ts";
import type { Resource } from "../../resource/mod.ts";
import { certificates } from "../certificates/mod.ts";
import { checks } from "../compliance/mod.ts";
import { endpoints } from "../endpoints/mod.ts";
import { signingRequests } from "../signing_requests/mod.ts";
import { webhooks } from "../webhooks/mod.ts";
import { JOB_TYPE, type NoticeEvent } from "./event_names.ts";
import { MAX_LISTED_NOTICES } from "./limits.ts";
import { coveredIds } from "./covered_certificates.ts";
import type { DueNotice } from "./collect_due.ts";
import {
  authorityNotes,
  caOf,
  ownerOf,
  ownersOf,
  readObjects,
  type Shown,
  targetsOf,
} from "./read_details.ts";
import { sentence, type Severity, shortened } from "./sentences.ts";

/** A notice with everything that a message says about it. */
export interface Notice {
  readonly event: NoticeEvent | "test";
  readonly objectType: string;
  readonly objectId: number;
  readonly severity: Severity;
  /** One sentence: what, where, when, who. */
  readonly title: string;
  readonly lines: readonly string[];
  /** Path of the object's page. */
  readonly path: string;
  /** The expiry to which the reader can respond; absent: nothing to respond to. */
  readonly validTo?: Millis;
  /** E-mail addresses of the certificate's own contacts, else of its effective owner, that the user may view. */
  readonly owners?: readonly string[];
}

/** A type of objects that notices are about. A new one is added here. */
interface Subject {
  readonly resource: Resource;
  readonly fields: readonly string[];
  /** The certificate that the object belongs to; the subscription's filter applies to it. */
  readonly certificate?: (object: Shown) => number | undefined;
  readonly path: (object: Shown) => string;
}

/** Fields of certificates that are shown if this release has them. */
const CERTIFICATE_FIELDS = ["id", "common_name", "serial_number", "issuer", "valid_to", "status", "tenant"]
  .concat("replaced_by", "owner", "renewal_note", "issuing_ca");

const SUBJECTS: readonly Subject[] = [
  {
    resource: certificates,
    fields: CERTIFICATE_FIELDS,
    certificate: ({ id }) => id,
    path: ({ id }) => `/certificates/${id}/`,
  },
  {
    resource: checks,
    fields: ["id", "certificate", "policy", "message", "severity", "result"],
    certificate: ({ certificate }) => (certificate as Shown | null)?.id,
    path: ({ id }) => `/checks/${id}/`,
  },
  {
    resource: endpoints,
    fields: [
      "id",
      "host",
      "port",
      "server_name",
      "protocol",
      "state_message",
      "certificate",
      "assigned_object",
    ]
      .concat("tenant", "source", "last_changed"),
    certificate: ({ certificate }) => (certificate as Shown | null)?.id,
    path: ({ id }) => `/endpoints/${id}/`,
  },
  {
    resource: signingRequests,
    fields: ["id", "common_name", "status", "requested_by", "created"],
    path: ({ id }) => `/csrs/${id}/`,
  },
  {
    resource: webhooks,
    fields: ["id", "name", "disabled_reason"],
    path: ({ id }) => `/webhooks/${id}/`,
  },
];

/** Notices that a message lists, and the number of further ones that it only counts. */
export interface Described {
  readonly notices: readonly Notice[];
  readonly more: number;
}

/**
 * Describes notices for the actor of `ctx`, in their order. What the actor may not view, and what the filter does not
 * select, is left out and not counted. Two statements for each type of objects, and three for certificates.
 */
export async function describeDue(
  ctx: Context,
  { due, filter }: { due: readonly DueNotice[]; filter: string },
): Promise<Described> {
  const shown = new Map<DueNotice, Notice>();
  for (const subject of SUBJECTS) {
    const own = due.filter(({ objectType }) => objectType === subject.resource.objectType);
    if (own.length === 0) continue;
    const objects = await readSubjects(ctx, { subject, due: own, filter });
    const isCertificate = subject.resource === certificates;
    const targets = isCertificate ? await targetsOf(ctx, [...objects.keys()]) : new Map();
    const owners = isCertificate ? await ownersOf(ctx, [...objects.keys()]) : new Map();
    const notes = isCertificate ? await authorityNotes(ctx, [...objects.values()]) : new Map();
    for (const one of own) {
      const found = objects.get(one.objectId);
      const object = found && { ...found, renewal_note: found.renewal_note || notes.get(caOf(found)) };
      if (object !== undefined) shown.set(one, noticeOf(ctx, { one, subject, object, targets, owners }));
    }
  }
  if (ctx.actor.isSuperuser) {
    for (const one of due.filter(({ objectType }) => objectType === JOB_TYPE)) shown.set(one, jobNotice(one));
  }
  const all = due.flatMap((one) => shown.get(one) ?? []);
  return { notices: all.slice(0, MAX_LISTED_NOTICES), more: Math.max(0, all.length - MAX_LISTED_NOTICES) };
}

/** Returns the objects that the actor may view, by id; those of certificates only if the filter selects these. */
async function readSubjects(
  ctx: Context,
  { subject, due, filter }: { subject: Subject; due: readonly DueNotice[]; filter: string },
): Promise<Map<number, Shown>> {
  const objects = await readObjects(ctx, subject, [...new Set(due.map(({ objectId }) => objectId))]);
  const { certificate } = subject;
  if (certificate === undefined || filter === "") return objects;
  // An escalated certificate need not be selected by the filter of the second subscription.
  const free = new Set(due.filter(({ escalated }) => escalated).map(({ objectId }) => objectId));
  const ids = [...objects.values()].flatMap((object) => certificate(object) ?? []);
  const covered = await coveredIds(ctx, { ids, filter });
  return new Map(
    [...objects].filter(([id, object]) => free.has(id) || covered.has(certificate(object) ?? 0)),
  );
}

function noticeOf(
  ctx: Context,
  { one, subject, object, targets, owners }: {
    one: DueNotice;
    subject: Subject;
    object: Shown;
    targets: ReadonlyMap<number, readonly string[]>;
    owners: ReadonlyMap<number, readonly string[]>;
  },
): Notice {
  const { event, objectType, objectId, detail } = one;
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
    event,
    objectType,
    objectId,
    severity,
    title,
    lines,
    path: subject.path(object),
    ...(responds ? { validTo } : {}),
    owners: owners.get(objectId) ?? ownerOf(object),
  };
}

function jobNotice({ event, objectType, objectId, detail }: DueNotice): Notice {
  return {
    event,
    objectType,
    objectId,
    severity: "critical",
    title: `Scheduled job ${shortened(detail)}`,
    lines: ["The job has failed several times in a row. The log of the service has details."],
    path: "/",
  };
}

/** Returns the objects of stored notices that the actor may still view, as `type id`. One statement for each type. */
export async function stillVisible(ctx: Context, notices: readonly Notice[]): Promise<Set<string>> {
  const seen = new Set<string>();
  for (const subject of SUBJECTS) {
    const { objectType } = subject.resource;
    const ids = [
      ...new Set(notices.filter((one) => one.objectType === objectType).map((one) => one.objectId)),
    ];
    if (ids.length === 0) continue;
    const objects = await readObjects(ctx, { resource: subject.resource, fields: ["id"] }, ids);
    for (const id of objects.keys()) seen.add(`${objectType} ${id}`);
  }
  if (ctx.actor.isSuperuser) {
    for (const one of notices.filter(({ objectType }) => objectType === JOB_TYPE)) {
      seen.add(`${JOB_TYPE} ${one.objectId}`);
    }
  }
  return seen;
}
