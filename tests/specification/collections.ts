/** Lines about collections: their methods and filters. */

import { chapter, type Line } from "./line.ts";

type Named = readonly [id: string, says: string, ...provenBy: string[]];

const ROOT = "/api/plugins/certmgr/";

/** Returns the tests of each method of a resource, by its path. */
function methods(name: string, verbs: readonly string[]): Named[] {
  const path = `${ROOT}${name}/`;
  const proofs: Readonly<Record<string, string>> = {
    "LIST": `GET ${path} lists objects that the caller may view, with count, next and previous`,
    "POST": `POST ${path} creates an object and returns it with its URL`,
    "GET": `GET ${path}{id}/ has every readable field, and no other`,
    "PUT": `PUT ${path}{id}/ replaces the object`,
    "PATCH": `PATCH ${path}{id}/ changes the given fields and returns the object`,
    "DELETE": `DELETE ${path}{id}/ deletes the object`,
  };
  return verbs.map((verb) => [`${name}.${verb}`, `${verb} of ${name}`, proofs[verb] as string]);
}

const ALL = ["LIST", "POST", "GET", "PUT", "PATCH", "DELETE"];
const NO_PATCH = ["LIST", "POST", "GET", "PUT", "DELETE"];

/** Returns a line for a filter of certificates that is compared with one in memory. */
function certificateFilter(name: string, says: string, ...queries: readonly string[]): Named {
  const test = "A certificate filter selects the rows that the same filter in memory selects";
  return [`certificates.${name}`, says, ...queries.map((query) => `${test} › ${query}`)];
}

function requestFilter(query: string): Named {
  return [
    `csrs.${query.split("=")[0]}`,
    `requests by ${query.split("=")[0]}`,
    `Requests are filtered by ${query}`,
  ];
}

/** Lines of the chapters on conventions, collections and filters. */
export const COLLECTION_LINES: readonly Line[] = [
  ...chapter("Conventions", "convention", {
    lines: [
      ["root", "everything lies below one root", `GET ${ROOT} maps names to URLs, without credentials`],
      ["json", "bodies are JSON", `POST ${ROOT}certificates/ answers 415 to another content type`],
      [
        "id",
        "an id is an integer",
        "GET /api/plugins/certmgr/certificates/x/ answers 404 as JSON, even without credentials",
        "Written values are returned: every field of a certificate",
      ],
    ],
  }),
  ...chapter("Resource collections", "collection", {
    lines: [
      ...methods("certificates", ALL),
      ...methods("certificate-authorities", ALL),
      ...methods("assignments", NO_PATCH),
      ["assignments.no_patch", "assignments have no PATCH", "An assignment has no PATCH"],
      ...methods("csrs", ALL),
      ...methods("compliance-policies", NO_PATCH),
      ["policies.no_patch", "policies have no PATCH", "Policies have no PATCH"],
      ...methods("compliance-checks", ["LIST", "GET"]),
      [
        "checks.read_only",
        "checks are read-only",
        "Checks are read-only: POST answers 405",
        "Checks are read-only: PUT answers 405",
        "Checks are read-only: PATCH answers 405",
        "Checks are read-only: DELETE answers 405",
      ],
      [
        "certificate.body",
        "a certificate is created from its fields, sans as a list",
        "Written values are returned: every field of a certificate",
        'Create: sans may not be "a.example"',
      ],
      [
        "assignment.body",
        "an assignment is created from its fields",
        "Written values are returned: every field of an assignment",
      ],
      [
        "policy.body",
        "a policy is created from its fields",
        "Written values are returned: every field of a compliance policy of the type min_key_size",
      ],
    ],
  }),
  ...chapter("Filters", "filter", {
    lines: [
      certificateFilter(
        "common_name",
        "common_name: contains",
        "common_name=acme",
        "common_name=Acme",
        "common_name=WWW.ACME",
      ),
      certificateFilter(
        "common_name__ic",
        "common_name__ic: contains, in either case",
        "common_name__ic=ACME",
      ),
      certificateFilter("status", "by status", "status=active"),
      certificateFilter("tenant_id", "by tenant", "tenant_id=${seed.tenants.acme}"),
      certificateFilter("issuer", "by issuer", "issuer=let's encrypt"),
      certificateFilter("issuing_ca_id", "by issuing authority", "issuing_ca_id=1"),
      certificateFilter(
        "has_issuing_ca",
        "by whether there is one",
        "has_issuing_ca=true",
        "has_issuing_ca=false",
      ),
      certificateFilter("valid_to__lt", "expiring before", "valid_to__lt=${NOON}"),
      certificateFilter("valid_to__gt", "expiring after", "valid_to__gt=2026-06-15T13:59:59%2B02:00"),
      certificateFilter("tag", "by the slug of a tag", "tag=prod"),
      certificateFilter("is_acme", "by ACME status", "is_acme=true", "is_acme=false"),
      certificateFilter("acme_provider", "by ACME provider", "acme_provider=letsencrypt"),
      certificateFilter(
        "acme_auto_renewal",
        "by automatic renewal",
        "acme_auto_renewal=true",
        "acme_auto_renewal=False",
      ),
      requestFilter("common_name=wanted"),
      requestFilter("common_name__ic=WANTED.A"),
      requestFilter("status=approved"),
      requestFilter("tenant_id=1"),
      requestFilter("organization=acme"),
      requestFilter("requested_by=ALI"),
      requestFilter("target_ca=internal"),
      requestFilter("tag=prod"),
      ["checks.result", "checks by result", "compliance-checks/?result=fail finds 1"],
      ["checks.severity", "checks by severity", "compliance-checks/?severity=critical finds 2"],
      [
        "policies.enabled",
        "policies by whether they run",
        "GET compliance-policies/?enabled=true",
        "GET compliance-policies/?enabled=false",
      ],
    ],
  }),
];
