import assert from "node:assert/strict";
import { type Config, ConfigError, readConfig, settingsTable } from "../../src/config/mod.ts";
import { publicRoots } from "../../src/x509/public_roots.ts";

// Read before the tests, because they may not leave the timers of the reading.
await publicRoots();

type Pick = (config: Config) => unknown;

interface Row {
  readonly pick: Pick;
  /** The default value. */
  readonly absent: unknown;
  /** Accepted texts and their values. */
  readonly good: readonly (readonly [text: string, value: unknown])[];
  readonly bad: readonly string[];
}

const KEY = "abcdefghijABCDEFGHIJ0123456789abcdefghij";
const NUMBERS = ["-1", "1.5", "1e3", " 5", "0x10", "ten", "99999999999999999999"];
const FLAGS = ["yes", "1", "TRUE", "on"];
const ORIGINS = [
  "certs.example.com",
  "https://certs.example.com/path",
  "https://certs.example.com/?",
  "https://certs.example.com/#",
  "https://user:secret@certs.example.com",
  "ftp://certs.example.com",
  "https:\\\\certs.example.com",
  "*",
];
const DATABASES = [
  "data/certmgr.db",
  "file:",
  "file:data/",
  "file:..",
  "file::memory:",
  "file:a.db?mode=ro",
  "file://server/share/a.db",
  "file:a%ZZ.db",
  "file:a%00.db",
  "postgres://user:secret@server/db",
  "libsql://user:secret@server",
  "libsql://server?authToken=secret",
  "https://server/#secret",
  "https://",
];

const TABLE: Readonly<Record<string, Row>> = {
  CERTMGR_DATA_DIR: {
    pick: (c) => c.dataDir,
    absent: "data",
    good: [["/srv/my certs", "/srv/my certs"]],
    bad: ["a\nb"],
  },
  CERTMGR_DATABASE_URL: {
    pick: (c) => c.database,
    absent: { kind: "file", path: "data/certmgr.db" },
    good: [
      ["file:x.db", { kind: "file", path: "x.db" }],
      ["file:/srv/x%20y.db", { kind: "file", path: "/srv/x y.db" }],
      ["file:///srv/x.db", { kind: "file", path: "/srv/x.db" }],
      ["file://localhost/srv/x.db", { kind: "file", path: "/srv/x.db" }],
      ["libsql://db.example.com", { kind: "remote", url: "libsql://db.example.com" }],
      ["libsql://127.0.0.1:8080?tls=0", { kind: "remote", url: "libsql://127.0.0.1:8080?tls=0" }],
      ["https://db.example.com/tenant", { kind: "remote", url: "https://db.example.com/tenant" }],
      ["http://[::1]:8080", { kind: "remote", url: "http://[::1]:8080" }],
    ],
    bad: DATABASES,
  },
  CERTMGR_DATABASE_AUTH_TOKEN: {
    pick: (c) => c.databaseAuthToken,
    absent: undefined,
    good: [["ey.J-_x", "ey.J-_x"]],
    bad: ["with blank", "line\nend", "ümlaut"],
  },
  CERTMGR_DATABASE_TIMEOUT: {
    pick: (c) => c.databaseTimeoutMs,
    absent: 5_000,
    good: [["1", 1_000], ["60", 60_000]],
    bad: ["0", "61", "1.5", "5s", "-1"],
  },
  CERTMGR_QUERY_TIMEOUT: {
    pick: (c) => c.queryTimeoutMs,
    absent: 30_000,
    good: [["1", 1_000], ["600", 600_000]],
    bad: ["0", "601", "1.5", "30s", "-1"],
  },
  CERTMGR_HOST: {
    pick: (c) => c.host,
    absent: "127.0.0.1",
    good: [["0.0.0.0", "0.0.0.0"], ["::1", "::1"], ["certs.internal", "certs.internal"]],
    bad: ["http://x", "127.0.0.1/8", "1.2.3", "0", "-x", "a b", "[::1]", "::g"],
  },
  CERTMGR_PORT: {
    pick: (c) => c.port,
    absent: 8000,
    good: [["0", 0], ["65535", 65_535]],
    bad: [...NUMBERS, "65536"],
  },
  CERTMGR_WORKERS: {
    pick: (c) => c.workers,
    absent: 1,
    good: [["1", 1], ["16", 16], ["auto", "auto"]],
    bad: ["0", "17", "-1", "2.5", "Auto", "all"],
  },
  CERTMGR_WORKER_TIMEOUT: {
    pick: (c) => c.workerTimeoutMs,
    absent: 30_000,
    good: [["5", 5_000], ["600", 600_000]],
    bad: ["4", "601", "1m"],
  },
  CERTMGR_BASE_URL: {
    pick: (c) => c.baseUrl,
    absent: undefined,
    good: [["https://Certs.example.com:8443/", "https://certs.example.com:8443"], ["http://x", "http://x"]],
    bad: ORIGINS,
  },
  CERTMGR_TRUSTED_PROXIES: {
    pick: (c) => c.trustedProxies,
    absent: [],
    good: [["10.0.0.1, 192.168.0.0/16,,2001:DB8::/32", ["10.0.0.1", "192.168.0.0/16", "2001:db8::/32"]]],
    bad: ["10.0.0.1/8", "10.1", "proxy.internal", "10.0.0.1;10.0.0.2", "*"],
  },
  CERTMGR_CORS_ORIGINS: {
    pick: (c) => c.corsOrigins,
    absent: [],
    good: [["https://a.example,http://b.example:81/", ["https://a.example", "http://b.example:81"]]],
    bad: ORIGINS,
  },
  CERTMGR_WEBHOOK_ALLOWED_HOSTS: {
    pick: (c) => c.settings.allowedTargets,
    absent: { names: [], networks: [] },
    good: [[
      "10.0.0.0/8, Hooks.Corp.example.,127.0.0.1,,::1",
      { names: ["hooks.corp.example"], networks: ["10.0.0.0/8", "127.0.0.1", "::1"] },
    ]],
    bad: ["10.0.0.1/8", "10.1", "*", "http://hooks.example", "a b", "hooks.example:80", "-x", "a..b"],
  },
  CERTMGR_SMTP_URL: {
    pick: (c) => c.smtp,
    absent: undefined,
    good: [
      ["smtps://u:p%40@mail.example", {
        kind: "smtp",
        host: "mail.example",
        port: 465,
        security: "tls",
        user: "u",
        password: "p@",
      }],
      ["smtp://127.0.0.1:2525", { kind: "smtp", host: "127.0.0.1", port: 2525, security: "plain" }],
      ["https://:key@api.mail.example/emails", {
        kind: "http",
        url: "https://api.mail.example/emails",
        token: "key",
      }],
    ],
    bad: ["mail.example", "ftp://mail.example", "smtp://mail.example/path", "https://mail.example/"],
  },
  CERTMGR_MAIL_FROM: {
    pick: (c) => c.mailFrom,
    absent: undefined,
    good: [["certs@acme.example", "certs@acme.example"]],
    bad: ["certs", "a@b@c", "Certs <certs@acme.example>"],
  },
  CERTMGR_ADMIN_PASSWORD: {
    pick: (c) => c.adminPassword,
    absent: undefined,
    good: [["correct horse", "correct horse"], ["p".repeat(128), "p".repeat(128)]],
    bad: ["short", "p".repeat(129)],
  },
  CERTMGR_ADMIN_TOKEN: {
    pick: (c) => c.adminToken,
    absent: undefined,
    good: [[KEY, KEY]],
    bad: [KEY.slice(1), `${KEY}a`, `${KEY.slice(1)}-`, `${KEY}\n`],
  },
  CERTMGR_OIDC_ISSUER: {
    pick: (c) => c.oidcIssuer,
    absent: undefined,
    good: [["https://login.example/realms/a", "https://login.example/realms/a"], [
      "http://localhost:8080",
      "http://localhost:8080",
    ]],
    bad: ["http://login.example", "login.example", "https://login.example/?a=b"],
  },
  CERTMGR_OIDC_CLIENT_ID: {
    pick: (c) => c.oidcClientId,
    absent: undefined,
    good: [["certmgr", "certmgr"]],
    bad: ["a\tb"],
  },
  CERTMGR_OIDC_CLIENT_SECRET: {
    pick: (c) => c.oidcClientSecret,
    absent: undefined,
    good: [["0123456789", "0123456789"]],
    bad: ["with blank"],
  },
  CERTMGR_OIDC_SCOPES: {
    pick: (c) => c.oidcScopes,
    absent: "openid profile email groups",
    good: [["openid  email", "openid email"]],
    bad: ["profile"],
  },
  CERTMGR_OIDC_NAME: {
    pick: (c) => c.oidcName,
    absent: "Single sign-on",
    good: [["Acme login", "Acme login"]],
    bad: ["a\tb"],
  },
  CERTMGR_OIDC_GROUPS_CLAIM: {
    pick: (c) => c.oidcGroupsClaim,
    absent: "groups",
    good: [["roles", "roles"]],
    bad: ["a\tb"],
  },
  CERTMGR_OIDC_GROUPS: {
    pick: (c) => c.oidcGroups,
    absent: [],
    good: [["a=Operators, b = Auditors", [["a", "Operators"], ["b", "Auditors"]]]],
    bad: ["Operators", "=Operators", "a="],
  },
  CERTMGR_OIDC_SUPERUSER_GROUPS: {
    pick: (c) => c.oidcSuperuserGroups,
    absent: [],
    good: [["admins, root", ["admins", "root"]]],
    bad: ["a\tb"],
  },
  CERTMGR_OIDC_CREATE_USERS: {
    pick: (c) => c.oidcCreateUsers,
    absent: true,
    good: [["true", true], ["false", false]],
    bad: ["yes", "1"],
  },
  CERTMGR_OIDC_API_AUDIENCE: {
    pick: (c) => c.oidcApiAudience,
    absent: undefined,
    good: [["https://certs.example.com/api/", "https://certs.example.com/api/"], [
      "api://certmgr",
      "api://certmgr",
    ]],
    bad: ["a\tb", "x".repeat(201)],
  },
  CERTMGR_OIDC_FILE: {
    pick: (c) => c.oidcFile,
    absent: undefined,
    good: [["/etc/certmgr/oidc.json", "/etc/certmgr/oidc.json"]],
    bad: ["a\tb"],
  },
  CERTMGR_LOCAL_SIGN_IN: {
    pick: (c) => c.localSignIn,
    absent: true,
    good: [["true", true], ["false", false]],
    bad: ["no", "0"],
  },
  CERTMGR_REQUIRE_SECOND_FACTOR: {
    pick: (c) => c.settings.signIn.requireSecondFactor,
    absent: "none",
    good: [["superusers", "superusers"], ["all", "all"], ["none", "none"]],
    bad: ["true", "Superusers", "everyone"],
  },
  CERTMGR_TRUSTED_USER_HEADER: {
    pick: (c) => c.trustedUserHeader,
    absent: undefined,
    good: [["X-Remote-User", "x-remote-user"]],
    bad: ["X Remote User", "a:b"],
  },
  CERTMGR_BULK_IMPORT_MAX_BATCH_SIZE: {
    pick: (c) => c.settings.bulkImportMaxBatchSize,
    absent: 100,
    good: [["1", 1], ["500", 500]],
    bad: [...NUMBERS, "0"],
  },
  CERTMGR_IMPORT_MAX_ROWS: {
    pick: (c) => c.settings.importMaxRows,
    absent: 10_000,
    good: [["1", 1], ["100000", 100_000]],
    bad: [...NUMBERS, "0", "100001"],
  },
  CERTMGR_IMPORT_FILE_MAX_BYTES: {
    pick: (c) => c.settings.importFileMaxBytes,
    absent: 5_242_880,
    good: [["1024", 1_024], ["8000000", 8_000_000], ["20000000", 10_485_760]],
    bad: [...NUMBERS, "0", "1023", "104857601"],
  },
  CERTMGR_MAX_EXPORT_SIZE: {
    pick: (c) => c.settings.maxExportSize,
    absent: 1000,
    good: [["1", 1], ["50000", 50_000]],
    bad: [...NUMBERS, "0"],
  },
  CERTMGR_MAX_TOKENS_PER_USER: {
    pick: (c) => c.settings.maxTokensPerUser,
    absent: 50,
    good: [["1", 1], ["10000", 10_000]],
    bad: [...NUMBERS, "0", "10001"],
  },
  CERTMGR_MAX_FEEDS_PER_USER: {
    pick: (c) => c.settings.maxFeedsPerUser,
    absent: 50,
    good: [["1", 1], ["10000", 10_000]],
    bad: [...NUMBERS, "0", "10001"],
  },
  CERTMGR_CHANGELOG_RETENTION_DAYS: {
    pick: (c) => c.settings.changelogRetentionDays,
    absent: 0,
    good: [["0", 0], ["400", 400]],
    bad: [...NUMBERS, "36501"],
  },
  CERTMGR_EVALUATION_TIME: {
    pick: (c) => c.settings.evaluationTime,
    absent: 9_000_000,
    good: [["00:00", 0], ["23:59", 86_340_000], ["never", null]],
    bad: ["24:00", "2:30", "02:60", "02:30:00", "0230", "NEVER", "night"],
  },
  CERTMGR_PAGE_SIZE: {
    pick: (c) => c.settings.defaultPageSize,
    absent: 50,
    good: [["1", 1], ["1000", 1000]],
    bad: [...NUMBERS, "0", "1001"],
  },
  CERTMGR_MAX_PAGE_SIZE: {
    pick: (c) => c.settings.maxPageSize,
    absent: 1000,
    good: [["50", 50], ["10000", 10_000]],
    bad: [...NUMBERS, "0", "49", "10001"],
  },
  CERTMGR_EXPIRY_CRITICAL_DAYS: {
    pick: (c) => c.settings.criticalDays,
    absent: 14,
    good: [["0", 0], ["30", 30]],
    bad: [...NUMBERS, "31"],
  },
  CERTMGR_EXPIRY_WARNING_DAYS: {
    pick: (c) => c.settings.warningDays,
    absent: 30,
    good: [["14", 14], ["3650", 3650]],
    bad: [...NUMBERS, "13", "3651"],
  },
  CERTMGR_EXPIRY_NOTICES: {
    pick: (c) => c.settings.expiryNotices,
    absent: ["30d", "14d", "7d", "1d"],
    good: [
      ["none", []],
      ["33%", ["33%"]],
      ["3650d, 99%,1%,0d", ["3650d", "99%", "1%", "0d"]],
    ],
    bad: ["30", "d", "-1d", "030d", "3651d", "0%", "100%", "1.5d", "30D", "30d,none", "30d;7d", "30d,30d"]
      .concat(Array.from({ length: 21 }, (_, days) => `${days}d`).join()),
  },
  CERTMGR_RATE_LIMIT: {
    pick: (c) => c.rateLimit,
    absent: 60_000,
    good: [["0", 0], ["600", 600]],
    bad: NUMBERS,
  },
  CERTMGR_MAX_BODY_BYTES: {
    pick: (c) => c.maxBodyBytes,
    absent: 10_485_760,
    good: [["1024", 1024]],
    bad: [...NUMBERS, "1023", "10M"],
  },
  CERTMGR_CHAIN_REQUIRE_ROOT: {
    pick: (c) => c.settings.chainRequireRoot,
    absent: false,
    good: [["true", true], ["false", false]],
    bad: FLAGS,
  },
  CERTMGR_PUBLIC_ROOTS: {
    // The runtime's roots are read when they are needed; an empty list is known at once.
    pick: (c) => !Array.isArray(c.settings.publicRoots()),
    absent: true,
    good: [["true", true], ["false", false]],
    bad: FLAGS,
  },
  CERTMGR_TRUST_FILE: {
    pick: (c) => c.trustFile,
    absent: undefined,
    good: [["/etc/certmgr/trust.json", "/etc/certmgr/trust.json"]],
    bad: ["a\tb"],
  },
  CERTMGR_RULES_FILE: {
    pick: (c) => c.rulesFile,
    absent: undefined,
    good: [["/etc/certmgr/rules.json", "/etc/certmgr/rules.json"]],
    bad: ["a\tb"],
  },
  CERTMGR_GRAPHQL_INTROSPECTION: {
    pick: (c) => c.graphqlIntrospection,
    absent: true,
    good: [["true", true], ["false", false]],
    bad: FLAGS,
  },
  CERTMGR_LOG_LEVEL: {
    pick: (c) => c.logLevel,
    absent: "info",
    good: [["debug", "debug"], ["error", "error"]],
    bad: ["INFO", "trace", "constructor"],
  },
  CERTMGR_PROBE_ALLOWED_NETWORKS: {
    pick: (c) => c.settings.probing.allowedNetworks,
    absent: [],
    good: [["10.0.0.0/8, 192.0.2.1", ["10.0.0.0/8", "192.0.2.1"]]],
    bad: ["10.0.0.1/8", "example.com", "10.0.0.0/33"],
  },
  CERTMGR_PROBE_CONCURRENCY: {
    pick: (c) => c.settings.probing.concurrency,
    absent: 32,
    good: [["1", 1], ["1000", 1_000]],
    bad: ["0", "1001", "x"],
  },
  CERTMGR_DISCOVER: {
    pick: (c) => c.settings.probing.discover,
    absent: "create",
    good: [["pending", "pending"], ["off", "off"]],
    bad: ["true", "CREATE", "constructor"],
  },
  CERTMGR_OBSERVATION_RETENTION_DAYS: {
    pick: (c) => c.settings.probing.retentionDays,
    absent: 400,
    good: [["0", 0], ["36500", 36_500]],
    bad: ["-1", "36501", "x"],
  },
  CERTMGR_REVOCATION: {
    pick: (c) => c.settings.revocation.mode,
    absent: "in_use",
    good: [["in_use", "in_use"], ["off", "off"]],
    bad: ["true", "OFF", "all"],
  },
  CERTMGR_REVOCATION_ALLOWED_NETWORKS: {
    pick: (c) => c.settings.revocation.allowedNetworks,
    absent: [],
    good: [["10.0.0.0/8, 192.0.2.1", ["10.0.0.0/8", "192.0.2.1"]]],
    bad: ["10.0.0.1/8", "example.com", "10.0.0.0/33"],
  },
  CERTMGR_RENEWAL_INFO: {
    pick: (c) => c.settings.renewalInfo,
    absent: "on",
    good: [["on", "on"], ["off", "off"]],
    bad: ["true", "OFF"],
  },
  CERTMGR_URL: {
    pick: (c) => c.url,
    absent: undefined,
    good: [["http://x:8000/", "http://x:8000"]],
    bad: ORIGINS,
  },
  CERTMGR_TOKEN: {
    pick: (c) => c.token,
    absent: undefined,
    good: [[KEY, KEY]],
    bad: ["with blank", "line\nend"],
  },
};

const SECRET = [
  "CERTMGR_SMTP_URL",
  "CERTMGR_OIDC_CLIENT_SECRET",
  "CERTMGR_DATABASE_URL",
  "CERTMGR_DATABASE_AUTH_TOKEN",
  "CERTMGR_ADMIN_PASSWORD",
  "CERTMGR_ADMIN_TOKEN",
  "CERTMGR_TOKEN",
];

/** Returns the names of the settings in the table of the documentation. */
function documentedNames(): string[] {
  return [...settingsTable().matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name as string);
}

function refusal(environment: Record<string, string>): string {
  try {
    readConfig(environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
  assert.fail(`Nothing was refused in ${JSON.stringify(environment)}`);
}

Deno.test("every setting is in this table, and no other", () => {
  assert.deepEqual(documentedNames(), Object.keys(TABLE));
});

for (const [name, { pick, absent, good, bad }] of Object.entries(TABLE)) {
  Deno.test(`${name} has its default when it is absent, and when it is empty`, () => {
    assert.deepEqual(pick(readConfig({})), absent);
    assert.deepEqual(pick(readConfig({ [name]: "" })), absent);
  });

  Deno.test(`${name} is read`, () => {
    for (const [text, value] of good) assert.deepEqual(pick(readConfig({ [name]: text })), value, text);
  });

  Deno.test(`${name} is refused in one line that names it, says what is expected and shows no secret`, () => {
    for (const text of bad) {
      const message = refusal({ [name]: text });
      assert.match(message, new RegExp(`${name}\\b.*\\. Expected `), text);
      assert.doesNotMatch(message, /[\r\n]|secret/);
      if (SECRET.includes(name)) assert.ok(!message.includes(JSON.stringify(text)), message);
    }
  });
}

Deno.test("a message quotes the refused value, unless it is a secret", () => {
  assert.equal(
    refusal({ CERTMGR_PORT: '8"0' }),
    'Setting CERTMGR_PORT is "8\\"0". Expected a whole number from 0 to 65535.',
  );
  assert.equal(
    refusal({ CERTMGR_ADMIN_TOKEN: "abc" }),
    "Setting CERTMGR_ADMIN_TOKEN has an invalid value. Expected 40 letters and digits.",
  );
});

for (const folder of ["/srv/c", "/srv/c/", "/srv/c//"]) {
  Deno.test(`the database file is in the data folder ${folder}`, () => {
    const { database } = readConfig({ CERTMGR_DATA_DIR: folder });
    assert.deepEqual(database, { kind: "file", path: "/srv/c/certmgr.db" });
  });
}

Deno.test("docs/settings.md has every setting with its default and meaning", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/settings.md", import.meta.url));
  const rows = new Set(page.split("\n").map(cells));
  const missing = settingsTable().trim().split("\n").filter((row) =>
    !row.includes("---") && !rows.has(cells(row))
  );
  assert.deepEqual(
    missing,
    [],
    "docs/settings.md differs from the table that `certmgr settings --markdown` prints",
  );
});

/** Returns the cells of a row of a Markdown table, with any alignment. */
function cells(row: string): string {
  return row.replace(/\s*\|\s*/g, "|").trim();
}

Deno.test("a misspelt setting is refused, with the one that was probably meant", () => {
  assert.equal(
    refusal({ CERTMGR_PROT: "80" }),
    "Setting CERTMGR_PROT is unknown. Did you mean CERTMGR_PORT?",
  );
  assert.equal(
    refusal({ CERTMGR_COFFEE_MACHINE: "" }),
    'Setting CERTMGR_COFFEE_MACHINE is unknown. Run "certmgr settings" for a list.',
  );
  assert.match(refusal({ CERTMGR_: "1" }), /^Setting CERTMGR_ is unknown/);
});

Deno.test("variables of other programs are ignored", () => {
  assert.deepEqual(
    readConfig({ HOME: "/root", PORT: "x", certmgr_port: "x", XCERTMGR_PORT: "x" }),
    readConfig({}),
  );
});

Deno.test("a token is sent to a database server with TLS, or on this machine, and to no other", () => {
  const token = { CERTMGR_DATABASE_AUTH_TOKEN: "hush-hush" };
  const name = "CERTMGR_DATABASE_URL";
  const plain = [
    ["http://db.example", "db.example"],
    ["HTTP://DB.example:8080/", "db.example:8080"],
    ["http://10.0.0.5:8080", "10.0.0.5:8080"],
    ["http://[fe80::1]:8080", "[fe80::1]:8080"],
    ["http://localhost.evil.example", "localhost.evil.example"],
    ["http://127.0.0.1.evil.example", "127.0.0.1.evil.example"],
    ["libsql://db.example:8080?tls=0", "db.example:8080"],
  ] as const;
  for (const [url, host] of plain) {
    assert.equal(
      refusal({ ...token, [name]: url }),
      `Setting CERTMGR_DATABASE_AUTH_TOKEN: A token would be sent to ${host} without encryption. ` +
        "Use https:// or libsql://.",
    );
    readConfig({ [name]: url });
  }
  for (
    const url of ["https://db.example", "libsql://db.example", "libsql://db.example?tls=1"]
      .concat(
        "http://127.0.0.1:8080",
        "http://localhost:8080",
        "http://[::1]:8080",
        "libsql://127.0.0.1:80?tls=0",
      )
  ) readConfig({ ...token, [name]: url });
});

Deno.test("all errors are reported at once, one line each", () => {
  const message = refusal({
    CERTMGR_PORT: "80a",
    CERTMGR_HOSTT: "x",
    CERTMGR_ADMIN_TOKEN: "hush",
    CERTMGR_PROT: "80",
    CERTMGR_PAGE_SIZE: "20",
    CERTMGR_MAX_PAGE_SIZE: "10",
    // A setting that is refused itself does not limit the other one.
    CERTMGR_EXPIRY_WARNING_DAYS: "soon",
    CERTMGR_EXPIRY_CRITICAL_DAYS: "60",
  });
  assert.deepEqual(message.split("\n"), [
    "Setting CERTMGR_HOSTT is unknown. Did you mean CERTMGR_HOST?",
    "Setting CERTMGR_PROT is unknown. Did you mean CERTMGR_PORT?",
    'Setting CERTMGR_PORT is "80a". Expected a whole number from 0 to 65535.',
    "Setting CERTMGR_ADMIN_TOKEN has an invalid value. Expected 40 letters and digits.",
    'Setting CERTMGR_EXPIRY_WARNING_DAYS is "soon". Expected a whole number from 0 to 3650.',
    "Setting CERTMGR_PAGE_SIZE exceeds CERTMGR_MAX_PAGE_SIZE. Expected at most 10.",
  ]);
});

Deno.test("several settings are validated together", () => {
  const config = readConfig({
    CERTMGR_EXPIRY_CRITICAL_DAYS: "60",
    CERTMGR_EXPIRY_WARNING_DAYS: "60",
    CERTMGR_PAGE_SIZE: "5",
    CERTMGR_MAX_PAGE_SIZE: "5",
  });
  assert.deepEqual([config.settings.criticalDays, config.settings.warningDays], [60, 60]);
  assert.deepEqual([config.settings.defaultPageSize, config.settings.maxPageSize], [5, 5]);
});
