/**
 * Columns of tables, recognized by their headings: ignoring case and punctuation, and by common synonyms. And what an
 * import reads, recognized by its content: certificates, or a table of them in one of several formats.
 */

import { CUSTOM_PREFIX, type NameOf } from "../../../resource/mod.ts";
import { EXPORT_FIELDS } from "../export/fields.ts";
import { type Certificate, NEEDED_FIELDS } from "../mod.ts";
import { headingReader, readLayout } from "../../../base/spellings/tables.ts";
import { isWorkbook, TABLE_FORMAT_NAMES, TABLE_FORMATS } from "../../../formats/mod.ts";
import { decodeText } from "../../../x509/mod.ts";

/** Columns that every row must fill. */
export const REQUIRED_COLUMNS = NEEDED_FIELDS;

/** Columns that a row may fill. */
export const OPTIONAL_COLUMNS = [
  "key_size",
  "status",
  "sans",
  "tenant",
  "private_key_location",
  "pem_content",
  "issuer_chain",
  "tags",
  "issuing_ca",
  "acme_auto_renewal",
  "automation",
  "description",
  "comments",
  "renewal_note",
  "archived",
  "pinned",
  "expiry_notices",
  "custom_fields",
  "assignments",
  "devices",
  "contacts",
] as const satisfies readonly (NameOf<Certificate> | "assignments" | "devices" | "contacts")[];

/** Columns that an import reads. */
export const IMPORT_COLUMNS: readonly string[] = [...REQUIRED_COLUMNS, ...OPTIONAL_COLUMNS];

/**
 * All accepted columns. The other columns of an export (`id`, `days_remaining`, `chain_status`, …) are ignored, so that
 * an export can be imported unchanged.
 */
export const KNOWN_COLUMNS: readonly string[] = [...new Set([...IMPORT_COLUMNS, ...EXPORT_FIELDS])];

/** Other headings of a column, reduced to letters and digits. */
const SYNONYMS = {
  common_name:
    "cn subjectcn subjectcommonname certificatename name domain domainname fqdn hostname host server " +
    "servername servers webserver " +
    "allgemeinername domane domanenname zertifikatsname zertifikat " +
    "nomcommun nom domaine nomdedomaine nomducertificat certificat nombrecomun nombre dominio certificado",
  serial_number: "serial serialno serialnr sn certificateserial certificateserialnumber " +
    "seriennummer seriennr seriennrzertifikat numerodeserie nodeserie ndeserie noserie nserie",
  issuer:
    "issuerdn issuername issuedby certificateauthority ca aussteller ausgestelltvon zertifizierungsstelle " +
    "emetteur delivrepar autoritedecertification autorite emisor emitidopor entidademisora autoridad",
  valid_from: "from notbefore validfromdate validsince start starts startdate issuedate issuedon issued " +
    "effectivedate gultigab gultigvon gultigseit ausgestelltam beginn valableapartirdu valabledu valabledepuis " +
    "datededebut datedemission validoapartirde validodesde fechadeinicio fechadeemision",
  valid_to: "to until till notafter validuntil validtill expires expireson expiry expirydate expiration " +
    "expirationdate end ends enddate expiresat expire " +
    "gultigbis ablaufdatum ablauf lauftab lauftabam ablaufam laufzeitende laufzeitbis ende " +
    "valablejusquau valablejusque dateexpiration datedexpiration expirele datedefin echeance datedecheance fin " +
    "validohasta vencimiento vence fechadevencimiento fechadecaducidad fechadeexpiracion caducidad caduca expira",
  fingerprint_sha256: "sha256fingerprint sha256 fingerprint thumbprintsha256 sha256thumbprint " +
    "fingerabdruck fingerabdrucksha256 sha256fingerabdruck empreinte empreintesha256 huella huellasha256 huelladigital",
  algorithm:
    "keyalgorithm publickeyalgorithm keytype alg algo keyalg keyalgo algorithmus schlusseltyp schlusselalgorithmus " +
    "algorithme typedecle algoritmo tipodeclave",
  key_size:
    "keylength keybits bits publickeysize size schlussellange schlusselgroe tailledecle tailledelacle " +
    "longueurdecle tamanodeclave tamanodelaclave longituddeclave",
  status: "state zustand statut etat estado",
  sans: "san subjectaltname subjectaltnames subjectalternativename subjectalternativenames altnames " +
    "alternativenames dnsnames domains alternativenamen alternativernamen dnsnamen domanen " +
    "nomsalternatifs autresnoms domaines nombresalternativos dominios",
  tenant: "tenantname customer mandant kunde abteilung client departement cliente departamento",
  private_key_location: "keylocation privatekeypath keypath keystorage schlusselablage emplacementdelacle",
  pem_content: "pem certificatepem certificate",
  issuer_chain: "chain chainpem cabundle intermediates",
  tags: "tag labels schlagworte etiquettes etiquetas",
  comments: "comment notes note remarks remark bemerkung bemerkungen kommentar kommentare notiz notizen " +
    "anmerkung anmerkungen commentaire commentaires remarque remarques comentario comentarios observaciones notas",
  description: "desc beschreibung descripcion",
  automation: "renewal renewalmethod renewedby automatisierung erneuerung automatisation renovacion",
  devices: "device server servers machine installedon usedon gerat gerate rechner serveur serveurs " +
    "equipement servidor servidores dispositivo dispositivos equipo",
  contacts: "contact owners ownedby responsible responsibleperson team verantwortlich verantwortlicher " +
    "ansprechpartner besitzer eigentumer zustandig proprietaire responsable equipe propietario contacto",
} as const satisfies Partial<Record<NameOf<Certificate> | "devices" | "contacts", string>>;

/** Headings that are never a field: the column that a preview adds to rows with errors. */
const IGNORED = "errors";

/** Columns whose cells are not read. */
const UNREAD = "";

const columnBy = headingReader(KNOWN_COLUMNS, { ...SYNONYMS, [UNREAD]: IGNORED });

/**
 * Returns the column for a heading; null if its cells are not read, and the heading itself if it is unknown.
 */
export function columnMeant(heading: string): string | null {
  if (heading === "") return null;
  if (KNOWN_COLUMNS.includes(heading) || heading.startsWith(CUSTOM_PREFIX)) return heading;
  const meant = columnBy(heading) ?? heading;
  // In this very form it is a heading of an export, where the owner can follow from the tenant.
  if (meant === "owner") return "contacts";
  return meant === UNREAD ? null : meant;
}

/** Returns whether an import reads the column, so that cells can be assigned to it. */
export function isImportColumn(name: string): boolean {
  return IMPORT_COLUMNS.includes(name) || name.startsWith(CUSTOM_PREFIX);
}

/** Formats of documents with certificates, each in a row. */
export const DATA_FORMATS = [...TABLE_FORMAT_NAMES, "pem"] as const;
export type DataFormat = typeof DATA_FORMATS[number];

/** Number of characters of a text that are examined. */
const HEAD_CHARS = 64 * 1024;
/** The comment before each certificate of an export by this service or by NetBox's certificate plugin. */
export const PEM_HEADING = /^# (?:Common name|Certificate): /m;
/** A column that a table of certificates has, as a member in JSON, a key in YAML or a heading. */
const COLUMN = /\b(?:common_name|serial_number|fingerprint_sha256|pem_content)\b/i;

/** Returns the format of a text that is a table. */
export function formatOf(text: string): DataFormat {
  const head = text.slice(0, HEAD_CHARS).replace(/^\ufeff/, "");
  const first = head.split("\n").find((line) => !/^(?:#.*)?\s*$/.test(line)) ?? "";
  if (first.startsWith("-----BEGIN ")) return "pem";
  return TABLE_FORMAT_NAMES.find((name) => TABLE_FORMATS[name].detects(head)) ?? "csv";
}

/**
 * Returns the format of a table, also for workbooks and for PEM
 * bundles of exports, in which comments name the certificates. Returns undefined for anything else, which may be
 * certificates.
 * @param options.exact Whether a table must have a column by its name in exports.
 */
export function tableFormatOf(
  content: string | Uint8Array,
  { exact = false }: { exact?: boolean } = {},
): DataFormat | undefined {
  if (typeof content !== "string" && isWorkbook(content)) return "csv";
  const text = typeof content === "string" ? content : decodeText(content);
  // Binary: DER or PKCS#7.
  if (text === undefined) return undefined;
  const head = text.slice(0, HEAD_CHARS).replace(/^\ufeff/, "").trimStart();
  const format = formatOf(head);
  if (format === "pem") return PEM_HEADING.test(head) ? "pem" : undefined;
  const hasColumn = COLUMN.test(head);
  // In a table, a quote precedes the block in a cell. JSON of another program has none of our columns.
  if (/^-----BEGIN /m.test(text) || (/BEGIN [A-Z0-9. ]*CERTIFICATE/.test(head) && !hasColumn)) {
    return undefined;
  }
  if (exact && format === "csv") {
    const [headings = ""] = readLayout(head).table.trimStart().split(/\r?\n|\r/, 1);
    return COLUMN.test(headings) ? "csv" : undefined;
  }
  if (exact && head.startsWith("{") && !hasColumn) return undefined;
  return format !== "csv" || isSeparated(head) ? format : undefined;
}

/**
 * Returns whether a text is CSV: a known heading among several, or at least three columns in the first two
 * lines.
 */
function isSeparated(head: string): boolean {
  const { table, separator } = readLayout(head);
  const oneLine = table.replaceAll(/"[^"]*"/g, (cell) => cell.replaceAll(/\s+/g, " "));
  const [first = [], second = []] = oneLine.split(/\r?\n|\r/, 2).map((line) =>
    line.split(separator).map((cell) => cell.trim().replaceAll('"', ""))
  );
  if (first.length < 2) return false;
  if (first.some((cell) => isImportColumn(columnMeant(cell) ?? ""))) return true;
  return first.length > 2 && first.length === second.length;
}
