/** Starting points for a new subscription. */

import type { FormPreset } from "../../kit/mod.ts";

const EXPIRY = ["expiring", "expired"];
const FAILURES = [
  "endpoint_unreachable",
  "endpoint_wrong",
  "endpoint_superseded",
  "endpoint_invalid",
  "chain_broken",
];

export const SUBSCRIPTION_PRESETS: readonly FormPreset[] = [
  {
    title: "Daily digest of what expires in 30 days",
    about: "One message a day, only if there is something new.",
    values: {
      name: "Expiring within 30 days",
      events: EXPIRY,
      thresholds: ["30d", "14d", "7d", "1d"],
      mode: "daily",
    },
  },
  {
    title: "At once when something fails",
    about: "An endpoint does not answer or serves a wrong certificate, or a chain is no longer valid.",
    values: { name: "Failures", events: FAILURES, mode: "immediate" },
  },
  {
    title: "At once when a certificate that is assigned or served changes",
    about: "It has a successor, fails a policy or is about to expire.",
    values: {
      name: "Assigned or served certificates",
      events: ["renewed", "policy_failed", ...EXPIRY],
      filter: "assigned_or_served=true",
      mode: "immediate",
    },
  },
  {
    title: "Weekly summary",
    about: "What expires or has expired, and what fails a policy, on Mondays.",
    values: { name: "Weekly summary", events: [...EXPIRY, "policy_failed"], mode: "weekly" },
  },
];
