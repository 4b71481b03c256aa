/** Usual thresholds and recipients of subscriptions, and how pages show them. */

import { isGranted } from "../../../auth/mod.ts";
import { counted } from "../../../base/amounts.ts";
import { ownAddress } from "../../../domain/accounts/users/mod.ts";
import { channels, OWNER } from "../../../domain/notices/mod.ts";
import type { SelectOption } from "../../kit/components/mod.ts";
import { type Proposals, readRows } from "../../kit/mod.ts";

/** Days before the expiry that the form offers. */
const DAYS = [90, 60, 30, 14, 7, 3, 1];
/** Maximum number of e-mail channels on which the form of a subscription depends. */
const MAX_CHANNELS = 200;

/** Thresholds: they have an effect only if expiring certificates are reported. */
export const thresholdProposals: Proposals = {
  load: () => ({
    options: DAYS.map((days) => [`${days}d`, thresholdText(`${days}d`)] as const),
    other: "Other thresholds",
    placeholder: "45 days, 33%",
    shownFor: { field: "events", values: ["expiring"] },
  }),
  read: (text) => {
    const [, amount, unit] = /^(\d{1,5})\s*(d|days?|%)(?:\s+before)?$/i.exec(text) ?? [];
    return amount === undefined ? text : `${Number(amount)}${unit === "%" ? "%" : "d"}`;
  },
};

/** Recipients: only channels that send e-mail have them. At most two statements. */
export const recipientProposals: Proposals = {
  load: async (call) => {
    const params = { kind: "email", limit: MAX_CHANNELS };
    const [address, { rows, count }] = await Promise.all([
      ownAddress(call.ctx),
      isGranted(call.ctx, "view", channels.objectType)
        ? readRows(call.ctx, channels, { params, fields: ["id"] })
        : { rows: [], count: 0 },
    ]);
    const own: SelectOption[] = address === "" ? [] : [[address, `Me (${address})`]];
    const values = rows.map(({ id }) => String(id));
    return {
      options: [[OWNER, "Owners of the certificates"], ...own],
      other: "Other addresses",
      placeholder: "ops@example.com, security@example.com",
      ...(count > rows.length ? {} : { shownFor: { field: "channel", values, leftOut: true } }),
    };
  },
};

/** Returns thresholds in words: "30 days before, 33% of the lifetime left". */
export function thresholdsText(value: unknown): string {
  return (value as readonly string[]).map(thresholdText).join(", ");
}

/** Returns recipients in words: "owners of the certificates, ops@acme.example". */
export function recipientsText(value: unknown): string {
  return (value as readonly string[]).map((one) => one === OWNER ? "owners of the certificates" : one)
    .join(", ");
}

function thresholdText(text: string): string {
  if (!text.endsWith("d")) return `${text} of the lifetime left`;
  return `${counted(Number.parseInt(text), "day")} before`;
}
