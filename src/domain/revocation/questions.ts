/** Determines whom to ask about a certificate, and who may answer. */

import { sql } from "drizzle-orm";
import { type Context, SERVICE_ACTOR } from "../../auth/mod.ts";
import { inSlices, type Pause } from "../../base/pace.ts";
import { type Certificate, readingCertificates } from "../../x509/mod.ts";
import { issuersOf } from "../../x509/revocation/mod.ts";
import { validateStored } from "../certificates/chain/validate_stored.ts";
import { isShortLived } from "../rules/mod.ts";
import { issuerChainSql, readStored, type Stored } from "../certificates/mod.ts";
import { isWebUrl } from "./fetch.ts";

/** Maximum number of lists, and of responders, that are asked about a certificate. */
const MAX_URLS = 2;
/** noRevAvail: the authority publishes nothing about the certificate (RFC 9608). */
const NO_REVOCATION = "2.5.29.56";

/** What is asked about a certificate. */
export interface Question {
  readonly id: number;
  readonly certificate: Certificate;
  readonly serial: string;
  readonly issuers: readonly Certificate[];
  /** Other certificates that were sent with it, which may be the issuer's for its lists. */
  readonly pool: readonly Certificate[];
  readonly lists: readonly string[];
  readonly responders: readonly string[];
}

/** Why nobody is asked. */
export interface Unasked {
  readonly status: "not_checked" | "not_needed";
  readonly message: string;
}

interface StoredRow {
  readonly issuer_chain: string;
  readonly crl_urls: string | null;
}

/** Reads certificates, and determines for each whom to ask. One statement, and those of chains that are not known yet. */
export async function readQuestions(
  given: Context,
  ids: readonly number[],
  pause: Pause,
): Promise<Map<number, Question | Unasked>> {
  const ctx = { ...given, actor: SERVICE_ACTOR };
  const columns = sql`${
    issuerChainSql(sql`certificates.id`)
  } AS issuer_chain, authority.crl_urls AS crl_urls`;
  const questions = new Map<number, Question | Unasked>();
  const known: Above = new Map();
  for await (const stored of readStored<StoredRow>(ctx, { ids, columns, pause })) {
    questions.set(stored.row.id, await readQuestion(ctx, stored, { known, pause }));
  }
  return questions;
}

/** The certificates above others, by the name and the key of their issuer. */
type Above = Map<string, readonly Certificate[]>;

async function readQuestion(
  ctx: Context,
  { row: { id, issuer_chain, crl_urls }, certificate, pem_content }: Stored<StoredRow>,
  { known, pause }: { known: Above; pause: Pause },
): Promise<Question | Unasked> {
  if (certificate === undefined) return { status: "not_checked", message: "It has no PEM." };
  const { issuer, subject, extensions, validity: { notBefore, notAfter } } = certificate;
  if (issuer.key === subject.key) {
    return { status: "not_needed", message: "It is self-signed: no authority can revoke it." };
  }
  if (extensions.some(({ oid }) => oid === NO_REVOCATION)) {
    return { status: "not_needed", message: "Its authority publishes nothing about it (RFC 9608)." };
  }
  const named = urlsOf(certificate);
  const ofAuthority: string[] = JSON.parse(crl_urls ?? "[]");
  const lists = named.lists.length > 0 ? named.lists : ofAuthority;
  const web = { lists: lists.filter(isWebUrl), responders: named.responders.filter(isWebUrl) };
  if (web.lists.length + web.responders.length === 0) {
    if (isShortLived(ctx.settings.rules, { validFrom: notBefore, validTo: notAfter })) {
      return {
        status: "not_needed",
        message: "It is short-lived, and names neither a list nor a responder.",
      };
    }
    const others = lists.length + named.responders.length;
    return {
      status: "not_checked",
      message: others > 0
        ? `It names only addresses that are not opened, such as ${lists[0] ?? named.responders[0]}.`
        : "It names neither a revocation list nor a responder.",
    };
  }
  const key = `${certificate.authorityKeyId?.toHex()} ${issuer.key}`;
  let pool = known.get(key) ?? [];
  let issuers = await issuersOf(certificate, pool);
  if (issuers.length === 0) {
    const at = Math.min(ctx.clock.now(), notAfter);
    const [result] = await validateStored(ctx, [{ pem_content, issuer_chain }], { at, pause });
    const { members } = await inSlices(readingCertificates(issuer_chain), pause);
    const path = result?.path.slice(1) ?? [];
    pool = [...path, ...members].map((one) => one.certificate);
    issuers = await issuersOf(certificate, pool);
    known.set(key, pool);
  }
  if (issuers.length === 0) {
    return { status: "not_checked", message: "The certificate of its issuer is not known." };
  }
  return {
    id,
    certificate,
    serial: certificate.serial.toHex(),
    issuers,
    pool,
    lists: web.lists.slice(0, MAX_URLS),
    responders: web.responders.slice(0, MAX_URLS),
  };
}

/** Returns the URLs in a certificate, also those that are not opened. */
function urlsOf({ crlDistributionPoints = [], authorityInfoAccess = [] }: Certificate): {
  lists: string[];
  responders: string[];
} {
  const lists = crlDistributionPoints.flatMap(({ names }) => names)
    .filter(({ kind }) => kind === "uri").map(({ value }) => value);
  const responders = authorityInfoAccess.filter(({ method, location }) =>
    method === "ocsp" && location.kind === "uri"
  ).map(({ location }) => location.value);
  return { lists: [...new Set(lists)], responders: [...new Set(responders)] };
}
