/** All settings, in the order of the documentation. */

import { BULK_IMPORT_MAX_BATCH_SIZE, MAX_EXPORT_SIZE } from "../base/limits.ts";
import { LOG_LEVELS } from "../base/log.ts";
import { DATABASE_TIMEOUTS, databaseLocation } from "./database_url.ts";
import { SIGN_IN } from "./oidc_settings.ts";
import {
  allowedHosts,
  commaList,
  expiryThresholds,
  filePath,
  headerToken,
  hostName,
  integerOrAuto,
  integerSetting,
  mailAddress,
  mailServer,
  milliseconds,
  network,
  oneOf,
  optional,
  parseBoolean,
  password,
  setting,
  timeOrNever,
  tokenKey,
  webOrigin,
} from "./parsers.ts";
import { PROBING, REVOCATION } from "./probing_settings.ts";

/**
 * Maximum size of a request body in bytes. A bulk call with 100 certificates and chains stays below 2 MiB.
 */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** Number of rows per page if the request has no limit. */
export const DEFAULT_PAGE_SIZE = 50;
/** Maximum number of rows per page; `limit=0` requests this many. */
export const MAX_PAGE_SIZE = 1_000;
const IMPORT_MAX_ROWS = 10_000;
const MAX_TOKENS_PER_USER = 50;
const MAX_FEEDS_PER_USER = 50;
/** Requests per client and minute. A client that sends its requests sequentially stays far below it. */
const RATE_LIMIT = 60_000;

const STORAGE = {
  dataDir: setting("CERTMGR_DATA_DIR", {
    description: "Folder of the database and all other files of the service; accessible to its owner only.",
    default: "data",
    parse: filePath,
  }),
  database: optional("CERTMGR_DATABASE_URL", {
    description:
      "`file:<path>`, or a libSQL server: `libsql://…`, `https://…`, `http://…`. If unset: `certmgr.db` in the data folder.",
    parse: databaseLocation,
    // Such URLs can contain tokens and passwords.
    secret: true,
  }),
  databaseAuthToken: optional("CERTMGR_DATABASE_AUTH_TOKEN", {
    description: "Token for the libSQL server; refused without TLS unless the server is this machine.",
    parse: headerToken,
    secret: true,
  }),
};

const NETWORK = {
  host: setting("CERTMGR_HOST", {
    description: "Address to listen on; `0.0.0.0` and `::` mean all addresses of the machine.",
    default: "127.0.0.1",
    parse: hostName,
  }),
  port: setting("CERTMGR_PORT", {
    description: "Port to listen on; `0`: any free port.",
    default: "8000",
    parse: integerSetting(0, 65_535),
  }),
  workers: setting("CERTMGR_WORKERS", {
    description:
      "Number of processes that answer requests on this port, 1 to 16; more than one needs Linux and adds one for background work. `auto`: one per core, up to 4; 1 on other systems.",
    default: "1",
    parse: integerOrAuto(1, 16),
  }),
  workerTimeoutMs: setting("CERTMGR_WORKER_TIMEOUT", {
    description: "Seconds after which an unresponsive worker is killed and replaced.",
    // Longer than the longest statements that block a thread, and no longer than the turn to write of others.
    default: "30",
    parse: milliseconds(5, 600),
  }),
  baseUrl: optional("CERTMGR_BASE_URL", {
    description:
      "Address under which clients reach the service, for URLs in responses. If unset: the `Host` of each request.",
    parse: webOrigin,
  }),
  trustedProxies: setting("CERTMGR_TRUSTED_PROXIES", {
    description:
      "Addresses and networks (`10.0.0.0/8`), separated by commas, whose `X-Forwarded-*` headers are trusted.",
    default: "",
    parse: commaList(network),
  }),
  corsOrigins: setting("CERTMGR_CORS_ORIGINS", {
    description: "Origins, separated by commas, whose pages may call the API from a browser.",
    default: "",
    parse: commaList(webOrigin),
  }),
};

const OUTGOING = {
  allowedTargets: setting("CERTMGR_WEBHOOK_ALLOWED_HOSTS", {
    description:
      "Host names, addresses and networks (`10.0.0.0/8`), separated by commas, that webhooks may send to even if they are not public.",
    default: "",
    parse: allowedHosts,
  }),
  smtp: optional("CERTMGR_SMTP_URL", {
    description:
      "Mail server: `smtp://user:password@host:587` (STARTTLS; without encryption only on this machine), `smtps://…`, or `https://:token@host/path` for an HTTP API. If unset: no e-mail.",
    parse: mailServer,
    secret: true,
  }),
  mailFrom: optional("CERTMGR_MAIL_FROM", {
    description: "Sender of e-mail, unless a channel names another one.",
    parse: mailAddress,
  }),
};

const FIRST_START = {
  adminPassword: optional("CERTMGR_ADMIN_PASSWORD", {
    description: "Password of the first user instead of a random one; 12 to 128 characters.",
    parse: password,
    secret: true,
  }),
  adminToken: optional("CERTMGR_ADMIN_TOKEN", {
    description: "API token of the first user instead of a random one; 40 letters and digits.",
    parse: tokenKey,
    secret: true,
  }),
};

const LIMITS = {
  bulkImportMaxBatchSize: setting("CERTMGR_BULK_IMPORT_MAX_BATCH_SIZE", {
    description: "Maximum number of certificates in one bulk import.",
    default: String(BULK_IMPORT_MAX_BATCH_SIZE),
    parse: integerSetting(1, 10_000),
  }),
  importMaxRows: setting("CERTMGR_IMPORT_MAX_ROWS", {
    description: "Maximum number of rows of an imported table.",
    default: String(IMPORT_MAX_ROWS),
    parse: integerSetting(1, 100_000),
  }),
  importFileMaxBytes: setting("CERTMGR_IMPORT_FILE_MAX_BYTES", {
    description: "Maximum size in bytes of a file on the import page; at most the size of a request body.",
    default: String(5 * 1024 * 1024),
    parse: integerSetting(1_024, 104_857_600),
  }),
  maxExportSize: setting("CERTMGR_MAX_EXPORT_SIZE", {
    description: "Maximum number of certificates or audit events in one export.",
    default: String(MAX_EXPORT_SIZE),
    parse: integerSetting(1, 10_000_000),
  }),
  maxTokensPerUser: setting("CERTMGR_MAX_TOKENS_PER_USER", {
    description: "API tokens per user; the command line can create more.",
    default: String(MAX_TOKENS_PER_USER),
    parse: integerSetting(1, 10_000),
  }),
  maxFeedsPerUser: setting("CERTMGR_MAX_FEEDS_PER_USER", {
    description: "Calendar feeds per user.",
    default: String(MAX_FEEDS_PER_USER),
    parse: integerSetting(1, 10_000),
  }),
  changelogRetentionDays: setting("CERTMGR_CHANGELOG_RETENTION_DAYS", {
    description: "Days after which entries of the change log are deleted; `0`: never.",
    default: "0",
    parse: integerSetting(0, 36_500),
  }),
  evaluationTime: setting("CERTMGR_EVALUATION_TIME", {
    description:
      "Time of day (UTC) at which the chains of all certificates in use are validated and their policies checked, every day. `never`: only when asked.",
    // At night in Europe, and in the evening in America.
    default: "02:30",
    parse: timeOrNever,
  }),
  pageSize: setting("CERTMGR_PAGE_SIZE", {
    description: "Rows per page when a request has no `limit`.",
    default: String(DEFAULT_PAGE_SIZE),
    parse: integerSetting(1, 10_000),
  }),
  maxPageSize: setting("CERTMGR_MAX_PAGE_SIZE", {
    description: "Maximum number of rows per page.",
    default: String(MAX_PAGE_SIZE),
    parse: integerSetting(1, 10_000),
  }),
  criticalDays: setting("CERTMGR_EXPIRY_CRITICAL_DAYS", {
    description: "Number of days before the expiry from which `expiry_status` is `critical`.",
    default: "14",
    parse: integerSetting(0, 3_650),
  }),
  warningDays: setting("CERTMGR_EXPIRY_WARNING_DAYS", {
    description:
      "Number of days before the expiry from which `expiry_status` is `warning`; at least the critical days.",
    default: "30",
    parse: integerSetting(0, 3_650),
  }),
  expiryNotices: setting("CERTMGR_EXPIRY_NOTICES", {
    description:
      "When webhooks are notified of an expiry: days before it (`30d`) and the part of the lifetime that is left (`33%`), separated by commas, or `none`.",
    default: "30d,14d,7d,1d",
    parse: expiryThresholds,
  }),
  rateLimit: setting("CERTMGR_RATE_LIMIT", {
    description: "Requests per client and minute; `0`: no limit.",
    default: String(RATE_LIMIT),
    parse: integerSetting(0, 100_000_000),
  }),
  maxBodyBytes: setting("CERTMGR_MAX_BODY_BYTES", {
    description: "Maximum size of a request body in bytes.",
    default: String(MAX_BODY_BYTES),
    parse: integerSetting(1_024, 1_073_741_824),
  }),
};

const BEHAVIOR = {
  chainRequireRoot: setting("CERTMGR_CHAIN_REQUIRE_ROOT", {
    description: "Whether a chain without its root is `incomplete` instead of `valid`.",
    default: "false",
    parse: parseBoolean,
  }),
  publicRoots: setting("CERTMGR_PUBLIC_ROOTS", {
    description: "Whether the public roots of the runtime are trust anchors.",
    default: "true",
    parse: parseBoolean,
  }),
  trustFile: optional("CERTMGR_TRUST_FILE", {
    description:
      "JSON file that extends and corrects the shipped trust data; read again after it has changed. Default: `trust.json` in the data folder, if it exists.",
    parse: filePath,
  }),
  rulesFile: optional("CERTMGR_RULES_FILE", {
    description: "JSON file that replaces the shipped rules for publicly trusted certificates.",
    parse: filePath,
  }),
  graphqlIntrospection: setting("CERTMGR_GRAPHQL_INTROSPECTION", {
    description: "Whether clients can read the GraphQL schema; GraphiQL needs it.",
    default: "true",
    parse: parseBoolean,
  }),
  logLevel: setting("CERTMGR_LOG_LEVEL", {
    description: `Lowest severity that is written to the log: ${
      LOG_LEVELS.map((level) => `\`${level}\``).join(", ")
    }.`,
    default: "info",
    parse: oneOf(LOG_LEVELS),
  }),
};

const CLIENT = {
  url: optional("CERTMGR_URL", {
    description:
      "Service that `import`, `export` and other commands connect to, like `--url`. If unset: they open the database directly.",
    parse: webOrigin,
  }),
  token: optional("CERTMGR_TOKEN", {
    description: "API token for that service, like `--token`.",
    parse: headerToken,
    secret: true,
  }),
};

/** Settings by their key in the configuration. */
export const SETTINGS = {
  ...STORAGE,
  ...DATABASE_TIMEOUTS,
  ...NETWORK,
  ...OUTGOING,
  ...FIRST_START,
  ...SIGN_IN,
  ...LIMITS,
  ...BEHAVIOR,
  ...PROBING,
  ...REVOCATION,
  ...CLIENT,
} as const;
