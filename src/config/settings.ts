/** Every setting there is, in the order of the documentation. */

import {
  BULK_IMPORT_MAX_BATCH_SIZE,
  CHANGELOG_RETENTION_DAYS,
  DATABASE_TIMEOUT_S,
  DEFAULT_PAGE_SIZE,
  EXPIRY_CRITICAL_DAYS,
  EXPIRY_WARNING_DAYS,
  IMPORT_FILE_MAX_BYTES,
  MAX_BODY_BYTES,
  MAX_EXPORT_SIZE,
  MAX_FEEDS_PER_USER,
  MAX_PAGE_SIZE,
  MAX_TOKENS_PER_USER,
  RATE_LIMIT,
  REPLICA_STALE_S,
} from "../base/limits.ts";
import { LOG_LEVELS } from "../base/log.ts";
import { databaseLocation, databaseServer } from "./database_url.ts";
import {
  allowedHosts,
  expiryThresholds,
  filePath,
  flag,
  headerToken,
  hostName,
  listOf,
  milliseconds,
  network,
  oneOf,
  password,
  tokenKey,
  webOrigin,
  wholeNumber,
} from "./parsers.ts";
import { optional, setting } from "./setting.ts";

/** Where the data is, and how it is reached. */
const STORAGE = {
  dataDir: setting("CERTMGR_DATA_DIR", {
    description: "Folder of the database and all other files of the service; accessible to its owner only.",
    default: "data",
    parse: filePath,
  }),
  database: optional("CERTMGR_DATABASE_URL", {
    description:
      "`file:<path>`, or a libSQL server: `libsql://…`, `https://…`, `http://…`. Absent: `certmgr.db` in the data folder.",
    parse: databaseLocation,
    // Tokens and passwords stand in such addresses.
    secret: true,
  }),
  replicaOf: optional("CERTMGR_REPLICA_OF", {
    description:
      "A libSQL server instead of `CERTMGR_DATABASE_URL`: reads come from a copy, `replica.db` in the data folder.",
    parse: databaseServer,
    secret: true,
  }),
  databaseAuthToken: optional("CERTMGR_DATABASE_AUTH_TOKEN", {
    description: "Token for the libSQL server.",
    parse: headerToken,
    secret: true,
  }),
};

/** How long a server is waited for. */
const PATIENCE = {
  databaseTimeoutMs: setting("CERTMGR_DATABASE_TIMEOUT", {
    description: "Seconds in which the libSQL server must answer; otherwise the request is answered 503.",
    default: String(DATABASE_TIMEOUT_S),
    parse: milliseconds(1, 60),
  }),
  replicaStaleMs: setting("CERTMGR_REPLICA_MAX_AGE", {
    description:
      "Seconds up to which the copy of `CERTMGR_REPLICA_OF` answers reads while the server does not; so long may a token that was revoked elsewhere stay valid.",
    default: String(REPLICA_STALE_S),
    parse: milliseconds(1, 86_400),
  }),
};

/** How the service is reached. */
const NETWORK = {
  host: setting("CERTMGR_HOST", {
    description: "Address to listen on; `0.0.0.0` and `::` mean all addresses of the machine.",
    default: "127.0.0.1",
    parse: hostName,
  }),
  port: setting("CERTMGR_PORT", {
    description: "Port to listen on; `0`: any free port.",
    default: "8000",
    parse: wholeNumber(0, 65_535),
  }),
  baseUrl: optional("CERTMGR_BASE_URL", {
    description:
      "Address under which clients see the service, for the URLs in answers. Absent: each request's `Host`.",
    parse: webOrigin,
  }),
  trustedProxies: setting("CERTMGR_TRUSTED_PROXIES", {
    description:
      "Addresses and networks (`10.0.0.0/8`), separated by commas, whose `X-Forwarded-*` headers are believed.",
    default: "",
    parse: listOf(network),
  }),
  corsOrigins: setting("CERTMGR_CORS_ORIGINS", {
    description: "Origins, separated by commas, whose pages may call the API from a browser.",
    default: "",
    parse: listOf(webOrigin),
  }),
};

/** Where the service sends to. */
const OUTGOING = {
  allowedTargets: setting("CERTMGR_WEBHOOK_ALLOWED_HOSTS", {
    description:
      "Names, addresses and networks (`10.0.0.0/8`), separated by commas, that webhooks may send to though they are not public.",
    default: "",
    parse: allowedHosts,
  }),
};

/** The first start. */
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

/** Limits and thresholds. */
const LIMITS = {
  bulkImportMaxBatchSize: setting("CERTMGR_BULK_IMPORT_MAX_BATCH_SIZE", {
    description: "Certificates in one bulk import.",
    default: String(BULK_IMPORT_MAX_BATCH_SIZE),
    parse: wholeNumber(1, 10_000),
  }),
  importFileMaxBytes: setting("CERTMGR_IMPORT_FILE_MAX_BYTES", {
    description: "Maximum size in bytes of a file on the import page; at most the size of a request body.",
    default: String(IMPORT_FILE_MAX_BYTES),
    parse: wholeNumber(1_024, 104_857_600),
  }),
  maxExportSize: setting("CERTMGR_MAX_EXPORT_SIZE", {
    description: "Certificates in one export.",
    default: String(MAX_EXPORT_SIZE),
    parse: wholeNumber(1, 10_000_000),
  }),
  maxTokensPerUser: setting("CERTMGR_MAX_TOKENS_PER_USER", {
    description: "API tokens per user; the command line can create more.",
    default: String(MAX_TOKENS_PER_USER),
    parse: wholeNumber(1, 10_000),
  }),
  maxFeedsPerUser: setting("CERTMGR_MAX_FEEDS_PER_USER", {
    description: "Calendar feeds per user.",
    default: String(MAX_FEEDS_PER_USER),
    parse: wholeNumber(1, 10_000),
  }),
  changelogRetentionDays: setting("CERTMGR_CHANGELOG_RETENTION_DAYS", {
    description: "Days after which entries of the change log are deleted; `0`: never.",
    default: String(CHANGELOG_RETENTION_DAYS),
    parse: wholeNumber(0, 36_500),
  }),
  pageSize: setting("CERTMGR_PAGE_SIZE", {
    description: "Rows per page when a request has no `limit`.",
    default: String(DEFAULT_PAGE_SIZE),
    parse: wholeNumber(1, 10_000),
  }),
  maxPageSize: setting("CERTMGR_MAX_PAGE_SIZE", {
    description: "Maximum number of rows per page.",
    default: String(MAX_PAGE_SIZE),
    parse: wholeNumber(1, 10_000),
  }),
  criticalDays: setting("CERTMGR_EXPIRY_CRITICAL_DAYS", {
    description: "Days to expiry up to which `expiry_status` is `critical`.",
    default: String(EXPIRY_CRITICAL_DAYS),
    parse: wholeNumber(0, 3_650),
  }),
  warningDays: setting("CERTMGR_EXPIRY_WARNING_DAYS", {
    description: "Days to expiry up to which `expiry_status` is `warning`; not less than the critical days.",
    default: String(EXPIRY_WARNING_DAYS),
    parse: wholeNumber(0, 3_650),
  }),
  expiryNotices: setting("CERTMGR_EXPIRY_NOTICES", {
    description:
      "When webhooks hear of an expiry: days before (`30d`) and parts of the lifetime left (`33%`), separated by commas, or `none`.",
    default: "30d,14d,7d,1d",
    parse: expiryThresholds,
  }),
  rateLimit: setting("CERTMGR_RATE_LIMIT", {
    description: "Requests per client and minute; `0`: no limit.",
    default: String(RATE_LIMIT),
    parse: wholeNumber(0, 100_000_000),
  }),
  maxBodyBytes: setting("CERTMGR_MAX_BODY_BYTES", {
    description: "Maximum size of a request body in bytes.",
    default: String(MAX_BODY_BYTES),
    parse: wholeNumber(1_024, 1_073_741_824),
  }),
};

/** Chains, and what is written to the log. */
const BEHAVIOUR = {
  chainRequireRoot: setting("CERTMGR_CHAIN_REQUIRE_ROOT", {
    description:
      "Whether a chain whose top names an issuer that is not there is `incomplete` instead of `valid`.",
    default: "false",
    parse: flag,
  }),
  publicRoots: setting("CERTMGR_PUBLIC_ROOTS", {
    description: "Whether the public roots that the runtime ships are trust anchors.",
    default: "true",
    parse: flag,
  }),
  graphqlIntrospection: setting("CERTMGR_GRAPHQL_INTROSPECTION", {
    description: "Whether clients can read the GraphQL schema; GraphiQL needs it.",
    default: "true",
    parse: flag,
  }),
  logLevel: setting("CERTMGR_LOG_LEVEL", {
    description: `Least severity that is written to the log: ${
      LOG_LEVELS.map((level) => `\`${level}\``).join(", ")
    }.`,
    default: "info",
    parse: oneOf(LOG_LEVELS),
  }),
};

/** For the commands that can work on a running service. */
const CLIENT = {
  url: optional("CERTMGR_URL", {
    description:
      "Service that `import` and `export` talk to, as `--url`. Absent: they open the database themselves.",
    parse: webOrigin,
  }),
  token: optional("CERTMGR_TOKEN", {
    description: "API token for that service, as `--token`.",
    parse: headerToken,
    secret: true,
  }),
};

/** By the key under which the configuration has the value. */
export const SETTINGS = {
  ...STORAGE,
  ...PATIENCE,
  ...NETWORK,
  ...OUTGOING,
  ...FIRST_START,
  ...LIMITS,
  ...BEHAVIOUR,
  ...CLIENT,
} as const;
