/** All fields of a certificate, and its PEM texts. */

import type { Content } from "../../../kit/components/mod.ts";
import type { Certificate } from "../../../../domain/certificates/mod.ts";
import { AppError } from "../../../../base/errors.ts";
import { describeStored } from "../../../../domain/certificates/chain/view_chain.ts";
import type { Call } from "../../../call.ts";
import { Copyable, type Html, Property, PropertyList, truncate } from "../../../kit/components/mod.ts";

/** The fields of the PEM; undefined without readable PEM. */
type Description = Awaited<ReturnType<typeof describeStored>>;

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
  const texts = [["PEM", certificate.pem_content, "certificate"], [
    "Chain (PEM)",
    certificate.issuer_chain,
    "chain",
  ]] as const;
  return (
    <>
      {contents === undefined ? null : (
        <details class="box">
          <summary>All fields</summary>
          <FieldList contents={contents} />
        </details>
      )}
      {texts.map(([title, text, label]) =>
        text === "" ? null : (
          <details class="box">
            <summary>{title}</summary>
            <Copyable text={text} label={label} />
          </details>
        )
      )}
    </>
  );
}

function FieldList({ contents }: { contents: Description }): Html {
  const { basic_constraints: ca, public_key: key } = contents;
  const text = (value: string): Html => <bdi>{truncate(value, 2_000)}</bdi>;
  const facts: readonly (readonly [name: string, content: Content])[] = [
    ["Version", String(contents.version)],
    ["Subject", text(contents.subject.text)],
    ["Issuer", text(contents.issuer.text)],
    ["Public key", [key.name, key.curve].filter(Boolean).join(", ")],
    ["Signature algorithm", contents.signature_algorithm.name],
    [
      "Certificate authority",
      ca?.ca ? `yes${ca.path_length === null ? "" : `, path length ${ca.path_length}`}` : "no",
    ],
    ["Key usage", contents.key_usage?.join(", ") ?? ""],
    ["Extended key usage", contents.extended_key_usage?.join(", ") ?? ""],
    ["Subject key identifier", <code>{contents.subject_key_id ?? "–"}</code>],
    ["Authority key identifier", <code>{contents.authority_key_id ?? "–"}</code>],
    ["SHA-1", <code>{contents.fingerprints.sha1}</code>],
    ["SHA-256 of the public key", <code>{key.fingerprint_sha256}</code>],
    ["Certificate policies", text(contents.certificate_policies.map(({ name }) => name).join(", "))],
    [
      "Authority information access",
      text(contents.authority_info_access.map(({ method, location }) => `${method}: ${location}`).join(", ")),
    ],
    ["CRL distribution points", text(contents.crl_distribution_points.join(", "))],
    ["Signed certificate timestamps", String(contents.signed_certificate_timestamps)],
    ["Must staple", contents.must_staple ? "yes" : "no"],
  ];
  return (
    <>
      <PropertyList>
        {facts.map(([name, content]) => <Property name={name}>{content}</Property>)}
      </PropertyList>
      <h3>Extensions</h3>
      <ul>
        {contents.extensions.map(({ name, oid, critical, malformed }) => (
          <li>
            {name === oid ? "" : `${name} `}
            <code>{oid}</code>
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
