/** Everything that the certificate itself says, and its texts to take along. */

import { AppError } from "../../../base/errors.ts";
import { describeStored } from "../../../domain/certificates/chain/mod.ts";
import type { Call } from "../../call.ts";
import { Copyable, Fact, Facts, type Html, shortened } from "../../kit/mod.ts";
import type { Shown } from "../../objects/mod.ts";

/** What is read out of the PEM; undefined without one that can be read. */
export type Description = Awaited<ReturnType<typeof describeStored>>;

/** Reads it. */
export async function loadContents({ ctx }: Call, certificate: Shown): Promise<Description | undefined> {
  if (certificate.pem_content === "") return undefined;
  try {
    return await describeStored({ ctx, id: certificate.id });
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid") return undefined;
    throw error;
  }
}

/** Folded: the extensions, and the PEM of certificate and chain. */
export function Contents(
  { certificate, contents }: { certificate: Shown; contents: Description | undefined },
): Html {
  const { pem_content: pem, issuer_chain: chain } = certificate;
  return (
    <>
      {contents === undefined ? null : (
        <details class="box">
          <summary>Everything it says</summary>
          <Says contents={contents} />
        </details>
      )}
      {pem === "" || typeof pem !== "string" ? null : (
        <details class="box">
          <summary>PEM</summary>
          <Copyable text={pem} label="certificate" />
        </details>
      )}
      {chain === "" || typeof chain !== "string" ? null : (
        <details class="box">
          <summary>Chain as PEM</summary>
          <Copyable text={chain} label="chain" />
        </details>
      )}
    </>
  );
}

function Says({ contents }: { contents: Description }): Html {
  const { basic_constraints: ca, public_key: key } = contents;
  const text = (value: string): Html => <bdi>{shortened(value, 2_000)}</bdi>;
  return (
    <>
      <Facts>
        <Fact name="Version">{String(contents.version)}</Fact>
        <Fact name="Subject">{text(contents.subject.text)}</Fact>
        <Fact name="Issuer">{text(contents.issuer.text)}</Fact>
        <Fact name="Public key">{key.name}{key.curve === null ? "" : `, ${key.curve}`}</Fact>
        <Fact name="Signature">{contents.signature_algorithm.name}</Fact>
        <Fact name="Authority">
          {ca?.ca ? `yes${ca.path_length === null ? "" : `, path length ${ca.path_length}`}` : "no"}
        </Fact>
        <Fact name="Key usage">{contents.key_usage?.join(", ")}</Fact>
        <Fact name="Extended key usage">{contents.extended_key_usage?.join(", ")}</Fact>
        <Fact name="Subject key id">
          <code>{contents.subject_key_id ?? "–"}</code>
        </Fact>
        <Fact name="Authority key id">
          <code>{contents.authority_key_id ?? "–"}</code>
        </Fact>
        <Fact name="SHA-1">
          <code>{contents.fingerprints.sha1}</code>
        </Fact>
        <Fact name="Public key SHA-256">
          <code>{key.fingerprint_sha256}</code>
        </Fact>
        <Fact name="Policies">{text(contents.certificate_policies.map(({ name }) => name).join(", "))}</Fact>
        <Fact name="OCSP and issuer">
          {text(
            contents.authority_info_access.map(({ method, location }) => `${method}: ${location}`).join(", "),
          )}
        </Fact>
        <Fact name="CRL">{text(contents.crl_distribution_points.join(", "))}</Fact>
        <Fact name="Timestamps (SCT)">{String(contents.signed_certificate_timestamps)}</Fact>
        <Fact name="Must staple">{contents.must_staple ? "yes" : "no"}</Fact>
      </Facts>
      <h3>Extensions</h3>
      <ul>
        {contents.extensions.map(({ name, oid, critical, malformed }) => (
          <li>
            {name === oid ? <code>{oid}</code> : (
              <>
                {name} <code>{oid}</code>
              </>
            )}
            {critical ? ", critical" : ""}
            {malformed === null ? "" : `, malformed: ${shortened(malformed, 200)}`}
          </li>
        ))}
      </ul>
      {contents.warnings.length === 0 ? null : (
        <>
          <h3>Remarks</h3>
          <ul>{contents.warnings.map((warning) => <li>{shortened(warning.message, 300)}</li>)}</ul>
        </>
      )}
    </>
  );
}
