/** Objects that a search has found: name, reason of the match, state, expiry. */

import { listText } from "../../../base/amounts.ts";
import { readHexDigits } from "../../../base/spellings/hex.ts";
import {
  type Certificate,
  certificates,
  isCurrent,
  MIN_END_DIGITS,
} from "../../../domain/certificates/mod.ts";
import type { Out, Resource } from "../../../resource/mod.ts";
import { Badge, Expiry, type Html, Icon, type IconName, truncate } from "../../kit/components/mod.ts";
import { shortName } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";

const CERTIFICATE_FIELDS = [
  "id",
  "display",
  "common_name",
  "sans",
  "serial_number",
  "fingerprint_sha256",
  "issuer",
  "tenant",
  "tags",
  "issuing_ca",
  "status",
  "valid_to",
  "days_remaining",
  "expiry_status",
] as const;
type FoundCertificate = Pick<Certificate, (typeof CERTIFICATE_FIELDS)[number]>;
/** Fields that distinguish objects with equal names. */
const CONTEXT = ["parent", "tenant", "site", "email", "object_type", "description"];
const STATES = ["state", "status"];
/** Maximum characters of the line under a name. */
const CONTEXT_CHARS = 90;

/** Returns the fields of a resource that {@link Found} reads. */
export function fieldsOf({ objectType, fields }: Resource): readonly string[] {
  return objectType === certificates.objectType
    ? CERTIFICATE_FIELDS
    : ["id", "display", ...[...CONTEXT, ...STATES].filter((name) => name in fields)];
}

/** Renders the objects of one type. */
export function Found(
  { resource, rows, text: query, icon }: {
    resource: Resource;
    rows: readonly Out[];
    text: string;
    icon?: IconName;
  },
): Html {
  const words = query.split(/\s+/).filter(Boolean);
  const pattern = new RegExp(`(${words.map((word) => RegExp.escape(word)).join("|")})`, "gi");
  const isCertificates = resource.objectType === certificates.objectType;
  const lines = rows.map((row) => {
    const certificate = isCertificates ? row as unknown as FoundCertificate : undefined;
    return {
      row,
      certificate,
      name: truncate(certificate?.common_name ?? shortName(row.display), 100),
      about: certificate === undefined
        ? truncate(
          CONTEXT.map((name) => row[name])
            .map((value) =>
              typeof value === "object" && value !== null && "display" in value ? value.display : value
            )
            .filter((value) => typeof value === "string" && value !== "" && value !== row.display)
            .slice(0, 2).join(" · "),
          CONTEXT_CHARS,
        )
        : [
          // The fields in which words were found that the name does not have.
          ...new Set(
            words.filter((word) => !contains(certificate.common_name, word)).map((word) =>
              placeOf(certificate, word)
            ),
          ),
        ].join(" · "),
    };
  });
  const namesakes = Map.groupBy(lines, ({ name, about }) => JSON.stringify([name, about]));
  return (
    <ul>
      {lines.map(({ row, certificate, name, about: known }) => {
        // Certificates differ in their expiry.
        const isDistinct = isCertificates || namesakes.get(JSON.stringify([name, known]))?.length === 1;
        // The state of a signing request is a part of its subject.
        const state = row.status ?? row.state ?? "";
        const text = String(typeof state === "object" && "value" in state ? state.value ?? "" : state);
        const about = isDistinct ? known : [known, `ID ${row.id}`].filter(Boolean).join(" · ");
        return (
          <li>
            <a href={objectPath(resource, row.id)}>
              {icon === undefined ? null : <Icon name={icon} />}
              <bdi>
                {words.length === 0
                  ? name
                  : name.split(pattern).map((part, index) => index % 2 === 1 ? <mark>{part}</mark> : part)}
              </bdi>
            </a>
            <span class="faint">
              <bdi>{about}</bdi>
            </span>
            {/* The expiry of a certificate tells these statuses, too. */}
            <span>
              {text === "" || certificate?.status === "active" || certificate?.status === "expired"
                ? null
                : <Badge value={text} />}
            </span>
            {certificate === undefined ? null : <Expiry row={certificate} past={!isCurrent(certificate)} />}
          </li>
        );
      })}
    </ul>
  );
}

function placeOf(row: FoundCertificate, word: string): string {
  const name = row.sans.find((one) => contains(one, word));
  if (name !== undefined) return `subject alternative name ${truncate(name, CONTEXT_CHARS)}`;
  const hex = hexOf(readHexDigits(word) ?? word);
  // Fewer digits are in most numbers by chance.
  const isIn = (number: unknown): boolean =>
    hex.length < MIN_END_DIGITS ? hexOf(number).startsWith(hex) : hexOf(number).includes(hex);
  if (isIn(row.serial_number)) return "serial number";
  if (isIn(row.fingerprint_sha256)) return "fingerprint";
  const related = [
    ["tenant", row.tenant] as const,
    ...row.tags.map((tag) => ["tag", tag] as const),
    ["authority", row.issuing_ca] as const,
  ].map(([kind, object]) => [kind, object?.display ?? ""] as const);
  const [kind, display] = related.find(([, text]) => contains(text, word)) ?? [];
  if (display !== undefined) return `${kind} ${truncate(display, CONTEXT_CHARS)}`;
  if (contains(row.issuer, word)) return `issuer ${truncate(row.issuer, CONTEXT_CHARS)}`;
  const described = related.filter(([, text]) => text !== "").map(([name]) => name);
  const kinds = new Set([
    ...described.length === 0 ? ["tenant", "tag", "authority"] : described,
    "owner",
    "system",
  ]);
  return `details of its ${listText(kinds, "or")}`;
}

function contains(text: unknown, word: string): boolean {
  return String(text).toLowerCase().includes(word.toLowerCase());
}

function hexOf(text: unknown): string {
  return String(text).replaceAll(":", "").toLowerCase();
}
