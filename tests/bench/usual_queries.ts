/** The most frequent queries of lists, as `resource/` writes them, and the index that each must use. */

/** One query for ids or a count. */
export interface UsualQuery {
  readonly sql: string;
  /** A regular expression for the plan. */
  readonly index: string;
  /** Whether rows must be sorted. Only if few rows match, or no index can have the order. */
  readonly sorts?: true;
}

const NOW = Date.UTC(2026, 10, 20);
const SOON = NOW + 30 * 86_400_000;
const TENANTS = "tenant_id IN (SELECT value FROM json_each('[1,7,77,120,199]'))";
const BY_SLUG = "tenant_id IN (SELECT id FROM tenants WHERE slug = 'web-57')";

function page(where: string, order: string, offset = 0): string {
  const condition = where === "" ? "" : ` WHERE ${where}`;
  return `SELECT id FROM certificates${condition} ORDER BY ${order} LIMIT 50 OFFSET ${offset}`;
}

function count(where: string): string {
  return `SELECT count(*) FROM certificates${where === "" ? "" : ` WHERE ${where}`}`;
}

/** Queries by their description. */
export const USUAL_QUERIES: Readonly<Record<string, UsualQuery>> = {
  "all: count": { sql: count(""), index: "COVERING INDEX certificates_\\w+" },
  "all by id": { sql: page("", "id"), index: "certificates_id" },
  "all by id, from 900,000": { sql: page("", "id", 900_000), index: "certificates_id" },
  "all by id, last first": { sql: page("", "id DESC"), index: "certificates_id" },
  "all by valid_to": { sql: page("", "valid_to, id"), index: "certificates_valid_to" },
  "all by valid_to, last first": { sql: page("", "valid_to DESC, id DESC"), index: "certificates_valid_to" },
  "all by valid_to, from 900,000": { sql: page("", "valid_to, id", 900_000), index: "certificates_valid_to" },
  "all by common_name": { sql: page("", "common_name, id"), index: "certificates_common_name" },
  "all by issuer": { sql: page("", "issuer, id"), index: "certificates_issuer" },
  "status: count": { sql: count("status = 'active'"), index: "certificates_status" },
  "status by id": { sql: page("status = 'active'", "id"), index: "certificates_status" },
  "status by valid_to": {
    sql: page("status = 'active'", "valid_to, id"),
    index: "certificates_status_valid_to",
    sorts: true, // only rows with the same time
  },
  "status by common_name": {
    sql: page("status = 'revoked'", "common_name, id"),
    index: "certificates_status_common_name",
  },
  "status and algorithm: count": {
    sql: count("status = 'active' AND algorithm = 'ecdsa'"),
    index: "COVERING INDEX certificates_status_valid_to",
  },
  "status and issuing CA: count": {
    sql: count("status = 'active' AND issuing_ca_id = 3"),
    index: "COVERING INDEX certificates_status_valid_to",
  },
  "status and a month of valid_to: count": {
    sql: count(`status = 'active' AND valid_to > ${NOW} AND valid_to < ${SOON}`),
    index: "COVERING INDEX certificates_status_valid_to",
  },
  "tenants by id": { sql: page(TENANTS, "id"), index: "certificates_tenant_\\w+", sorts: true },
  "tenants: count": { sql: count(TENANTS), index: "COVERING INDEX certificates_tenant_\\w+" },
  "tenant by valid_to": {
    sql: page("tenant_id = 77", "valid_to, id"),
    index: "certificates_tenant_valid_to",
  },
  "tenant by common_name": {
    sql: page("tenant_id = 77", "common_name, id"),
    index: "certificates_tenant_common_name",
  },
  "tenant and status by id": {
    sql: page("tenant_id = 77 AND status = 'active'", "id"),
    index: "certificates_tenant_status",
  },
  "tenant and status: count": {
    sql: count("tenant_id = 77 AND status = 'active'"),
    index: "COVERING INDEX certificates_tenant_status",
  },
  "tenants and status by id": {
    sql: page(`${TENANTS} AND status = 'active'`, "id"),
    index: "certificates_tenant_status",
    sorts: true,
  },
  "tenant by slug, status and algorithm by id": {
    sql: page(`${BY_SLUG} AND status = 'active' AND algorithm = 'ecdsa'`, "id"),
    index: "certificates_tenant_status",
    sorts: true,
  },
  "a month of valid_to": {
    sql: page(`valid_to > ${NOW} AND valid_to < ${SOON}`, "valid_to, id"),
    index: "certificates_valid_to",
  },
  "the expiry sweep": {
    sql: `SELECT id FROM certificates WHERE status IN ('active', 'pending') AND valid_to < ${NOW} LIMIT 500`,
    index: "certificates_status_valid_to",
  },
  "serial number": {
    sql: page("serial_hex = 'abc'", "id"),
    index: "certificates_serial_issuer",
    sorts: true,
  },
  "fingerprint": { sql: page("fingerprint_hex = 'abc'", "id"), index: "certificates_fingerprint" },
  "public key": {
    sql: page("substr(spki_sha256, 1, 16) = substr('abc', 1, 16) AND spki_sha256 = 'abc'", "id"),
    index: "certificates_spki",
  },
  "replaced by": { sql: page("replaced_by_id = 5", "id"), index: "certificates_replaced_by" },
  "a prefix of common_name": {
    sql: page("common_name >= 'vpn-12' AND common_name < 'vpn-13'", "common_name, id"),
    index: "certificates_common_name",
  },
  "one SAN": {
    sql: page(
      "id IN (SELECT certificate_id FROM certificate_sans WHERE value COLLATE NOCASE = 'a.example')",
      "id",
    ),
    index: "certificate_sans USING PRIMARY KEY",
  },
  "part of a common name": {
    sql: page(
      'id IN (SELECT rowid FROM certificate_search WHERE certificate_search MATCH \'common_name : ("123" AND "234")\' ' +
        "UNION ALL SELECT id FROM unindexed_certificates) " +
        "AND instr(common_name, 'vpn-1234.crm') > 0",
      "id",
    ),
    index: "certificate_search VIRTUAL TABLE",
  },
  "tag by id": {
    sql: page(
      "id IN (SELECT object_id FROM tagged_items WHERE object_type = 'certmgr.certificate' " +
        "AND tag_id IN (SELECT id FROM tags WHERE slug = 'tag-3'))",
      "id",
    ),
    index: "tagged_items_tag",
  },
  "by status, how many": {
    sql: "SELECT status, count(*) FROM certificates GROUP BY status",
    index: "COVERING INDEX certificates_status",
  },
};
