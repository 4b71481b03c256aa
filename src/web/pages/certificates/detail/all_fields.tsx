/** All fields of a certificate, and its PEM texts. */

import type { Certificate } from "../../../../domain/certificates/mod.ts";
import { AppError } from "../../../../base/errors.ts";
import { describeStored } from "../../../../domain/certificates/chain/mod.ts";
import type { Call } from "../../../call.ts";
import { Copyable, type Html, Property, PropertyList, truncate } from "../../../kit/components/mod.ts";

/** The fields of the PEM; undefined without readable PEM. */
export type Description = Awaited<ReturnType<typeof describeStored>>;

export async function loadDescription(
  { ctx }: Call,
  certificate: Certificate,
): Promise<Description | undefined> {
  if (certificate.pem_content === "") return undefined;
  try {
    return await describeStored({ ctx, id: certificate.id });
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid") return undefined;
    throw error;
  }
}

/** Renders collapsed sections: extensions, and the PEM of certificate and chain. */
export function AllFields(
  { certificate, contents }: { certificate: Certificate; contents: Description | undefined },
): Html {
  const { pem_content: pem, issuer_chain: chain } = certificate;
  return (
    <>
      {contents === undefined ? null : (
        <details class="box">
          <summary>All fields</summary>
          <FieldList contents={contents} />
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
          <summary>Chain (PEM)</summary>
          <Copyable text={chain} label="chain" />
        </details>
      )}
    </>
  );
}

function FieldList({ contents }: { contents: Description }): Html {
  const { basic_constraints: ca, public_key: key } = contents;
  const text = (value: string): Html => <bdi>{truncate(value, 2_000)}</bdi>;
  return (
    <>
      <PropertyList>
        <Property name="Version">{String(contents.version)}</Property>
        <Property name="Subject">{text(contents.subject.text)}</Property>
        <Property name="Issuer">{text(contents.issuer.text)}</Property>
        <Property name="Public key">{key.name}{key.curve === null ? "" : `, ${key.curve}`}</Property>
        <Property name="Signature algorithm">{contents.signature_algorithm.name}</Property>
        <Property name="Certificate authority">
          {ca?.ca ? `yes${ca.path_length === null ? "" : `, path length ${ca.path_length}`}` : "no"}
        </Property>
        <Property name="Key usage">{contents.key_usage?.join(", ")}</Property>
        <Property name="Extended key usage">{contents.extended_key_usage?.join(", ")}</Property>
        <Property name="Subject key identifier">
          <code>{contents.subject_key_id ?? "–"}</code>
        </Property>
        <Property name="Authority key identifier">
          <code>{contents.authority_key_id ?? "–"}</code>
        </Property>
        <Property name="SHA-1">
          <code>{contents.fingerprints.sha1}</code>
        </Property>
        <Property name="SHA-256 of the public key">
          <code>{key.fingerprint_sha256}</code>
        </Property>
        <Property name="Certificate policies">
          {text(contents.certificate_policies.map(({ name }) => name).join(", "))}
        </Property>
        <Property name="Authority information access">
          {text(
            contents.authority_info_access.map(({ method, location }) => `${method}: ${location}`).join(", "),
          )}
        </Property>
        <Property name="CRL distribution points">
          {text(contents.crl_distribution_points.join(", "))}
        </Property>
        <Property name="Signed certificate timestamps">
          {String(contents.signed_certificate_timestamps)}
        </Property>
        <Property name="Must staple">{contents.must_staple ? "yes" : "no"}</Property>
      </PropertyList>
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
            {malformed === null ? "" : `, malformed: ${truncate(malformed, 200)}`}
          </li>
        ))}
      </ul>
      {contents.warnings.length === 0 ? null : (
        <>
          <h3>Warnings</h3>
          <ul>{contents.warnings.map((warning) => <li>{truncate(warning.message, 300)}</li>)}</ul>
        </>
      )}
    </>
  );
}
