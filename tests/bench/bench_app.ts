/** The application on a database of the benchmarks. */

import { type App, createApp } from "../../src/app.ts";
import { MAX_BODY_BYTES } from "../../src/config/settings.ts";
import { SHIPPED_RULES } from "../../src/domain/rules/mod.ts";
import { shippedTrust } from "../../src/domain/trust/mod.ts";
import { createLogger, type Logger } from "../../src/base/log.ts";
import type { Database } from "../../src/db/mod.ts";
import { PUBLIC_ONLY } from "../../src/http/mod.ts";
import { GENERATED_NOW } from "./inventory.ts";

/** Logs only failures, on standard error. */
export const errorLog: Logger = createLogger({
  level: "error",
  now: Date.now,
  write: (line) => console.error(line),
});

/** Returns the application with the usual settings, without a rate limit, on the day of the inventory. */
export function benchApp(database: Database, { maxExportSize = 1000 } = {}): App {
  return createApp({
    database,
    clock: { now: () => GENERATED_NOW },
    log: errorLog,
    settings: {
      defaultPageSize: 50,
      maxPageSize: 1000,
      bulkImportMaxBatchSize: 100,
      importMaxRows: 10_000,
      importFileMaxBytes: 5 * 1024 * 1024,
      maxExportSize,
      maxTokensPerUser: 50,
      maxFeedsPerUser: 50,
      changelogRetentionDays: 0,
      probing: { allowedNetworks: ["127.0.0.0/8"], concurrency: 8, discover: "create", retentionDays: 400 },
      renewalInfo: "off",
      revocation: { mode: "off", allowedNetworks: [] },
      criticalDays: 14,
      warningDays: 30,
      expiryNotices: [],
      chainRequireRoot: false,
      evaluationTime: null,
      mailConfigured: false,
      publicRoots: () => [],
      distrust: () => shippedTrust().distrust,
      rules: SHIPPED_RULES,
      allowedTargets: PUBLIC_ONLY,
      signIn: { providers: [], local: true },
    },
    trustedProxies: [],
    corsOrigins: [],
    maxBodyBytes: MAX_BODY_BYTES,
    rateLimit: 0,
  });
}
