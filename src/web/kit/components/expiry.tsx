/** Expiry dates and the time until them. */

import type { Certificate } from "../../../domain/certificates/mod.ts";
import { daysText } from "../../../base/amounts.ts";
import { Badge } from "./badge.tsx";
import type { Html } from "./html.ts";
import { Day } from "./time.tsx";

const TONES = { expired: "bad", critical: "bad", warning: "warn", ok: "plain" } as const;

/** Renders the expiry date and the time until then. */
export function Expiry(
  { row, past = false, phone = false }: {
    row: Pick<Certificate, "valid_to" | "days_remaining" | "expiry_status">;
    /** Whether only a phone shows it. */
    phone?: boolean;
    /** Whether the certificate is not in use any more, so that its expiry needs no attention. */
    past?: boolean;
  },
): Html {
  const tone = past ? "plain" : TONES[row.expiry_status];
  return (
    <span class="expiry">
      {Day({ at: row.valid_to, phone })} {Badge({ value: daysText(row.days_remaining), tone })}
    </span>
  );
}

/** Renders only the time until the expiry, for narrow pages. */
export function ExpiryBrief(
  { row, stated = false }: {
    row: Pick<Certificate, "days_remaining" | "expiry_status">;
    /** Whether a state next to it says that it expires. */
    stated?: boolean;
  },
): Html {
  const tone = TONES[row.expiry_status];
  const days = row.days_remaining;
  return (
    <span class="whole">
      {stated ? "" : days < 0 ? "expired " : "expires "}
      {Badge({ value: daysText(days), tone })}
    </span>
  );
}
