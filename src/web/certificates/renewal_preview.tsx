/** Compares both certificates of a renewal before it is done. */

import { counted, numberText } from "../../base/amounts.ts";
import { lostNames } from "../../domain/certificates/mod.ts";
import {
  compareRenewal,
  lifeInDays,
  type RenewalWarning,
  type renewCertificate,
} from "../../domain/certificates/renewal/mod.ts";
import type { Call } from "../call.ts";
import { type Content, Day, Form, type Html, Icon, Table, type Tone, truncate } from "../components/mod.ts";
import { textOf } from "../forms.ts";
import { labelOf } from "../messages.ts";
import { type ApiObject, ObjectLink } from "../objects/mod.ts";
import { page } from "../shell/mod.ts";
import { issuerName, keyText } from "./columns.tsx";
import { loadAssignments } from "./detail/mod.ts";

type Renewal = Awaited<ReturnType<typeof renewCertificate>>;
type Side = Readonly<Record<string, unknown>>;

/** Renders changes, warnings and remaining steps. */
export async function renewalPreview(call: Call, id: number, renewal: Renewal): Promise<Response> {
  const back = `/certificates/${id}/`;
  const [{ warnings, isSameKey }, places] = await Promise.all([
    compareRenewal(renewal),
    loadAssignments(call, id),
  ]);
  const moved = renewal.assignments_moved;
  return page(
    call,
    {
      title: "Confirm renewal",
      above: [["Certificates", "/certificates/"], [String(renewal.old.common_name), back], [
        "Renew",
        `${back}renew/`,
      ]],
    },
    <>
      {warnings.map((warning) => <Warning warning={warning} />)}
      <LostNames renewal={renewal} />
      <Differences renewal={renewal} isSameKey={isSameKey} />
      <p>
        {moved === 0
          ? "It has no assignments to move."
          : `${counted(moved, "assignment")} will move to the new certificate.`}{" "}
        The current certificate will be marked as replaced.
      </p>
      <Places rows={places ?? []} />
      <Form call={call} action={`${back}renew/`} class="form-actions">
        {["certificate", "pem_content", "private_key_location"].map((name) =>
          call.form.has(name) ? <HiddenInput name={name} value={textOf(call.form, name)} /> : null
        )}
        <button type="submit" name="confirmed" value="yes">
          <Icon name="renew" />
          {moved === 0 ? "Renew" : `Renew and move ${counted(moved, "assignment")}`}
        </button>
        <a href={`${back}renew/`}>Choose another certificate</a>
      </Form>
    </>,
  );
}

/** Names the objects on which the new certificate has to be deployed, as far as the user may view them. */
function Places({ rows }: { rows: readonly ApiObject[] }): Html | null {
  const objects = rows.map(({ assigned_object: object }) => object).filter((object) => object !== null);
  if (objects.length === 0) return null;
  return (
    <p>
      Then install it on {objects.map((object, index) => (
        <>
          {index === 0 ? "" : ", "}
          <ObjectLink brief={object} />
        </>
      ))}.
    </p>
  );
}

const TONES: Readonly<Record<RenewalWarning["code"], Tone>> = {
  self_signed: "warn",
  expired: "warn",
  weaker_key: "warn",
  same_key: "warn",
  shorter_life: "info",
  other_issuer: "info",
};

function Warning({ warning }: { warning: RenewalWarning }): Html {
  return (
    <p class={`flash ${TONES[warning.code]}`}>
      <Icon name="warning" />
      <bdi>{textOfWarning(warning)}</bdi>
    </p>
  );
}

function textOfWarning(warning: RenewalWarning): string {
  switch (warning.code) {
    case "self_signed": {
      const issuer = issuerName(warning.issuer);
      return `The new certificate is self-signed. The current one was issued by ${issuer}. ` +
        "Clients that trust that authority will refuse it.";
    }
    case "expired":
      return `The new certificate expired on ${warning.at.slice(0, 10)}.`;
    case "weaker_key":
      return "The new certificate has a weaker key.";
    case "same_key":
      return "Same key reused: the new certificate has the key pair of the current one.";
    case "shorter_life":
      return `The new certificate is valid for ${warning.to} days, the current one for ${warning.from} days.`;
    case "other_issuer":
      return `The new certificate was issued by ${issuerName(warning.issuer)}, the current one by ${
        issuerName(warning.before)
      }.`;
  }
}

/** Renders a warning about names that the new certificate does not cover. */
function LostNames({ renewal }: { renewal: Renewal }): Html | null {
  const lost = lostNames(namesOf(renewal.old), namesOf(renewal.new));
  if (lost.length === 0) return null;
  return (
    <p class="flash warn">
      <Icon name="warning" />
      <span>
        Names the new certificate does not cover: <bdi>{truncate(lost.join(", "), NAMES_CHARS)}</bdi>
      </span>
    </p>
  );
}

/** Returns the common name and the alternative names. */
export function namesOf(row: Side): string[] {
  return [String(row.common_name), ...row.sans as string[]];
}

/** Renders a hidden field, which keeps line breaks (HTML §4.10.5.1.1). */
function HiddenInput({ name, value }: { name: string; value: string }): Html {
  return <input type="hidden" name={name} value={value} />;
}

/** A certificate, the other one, and a label for names that only the first one has. */
interface Compared {
  readonly row: Side;
  readonly other: Side;
  readonly lacking: "lost" | "added";
}

/** A line of the comparison, which has changed if its text differs. */
interface Line {
  readonly id: string;
  readonly text: (row: Side) => string;
  readonly cell?: (compared: Compared) => Content;
}

const KEY_TYPE: Line = { id: "Key type", text: keyText };

/** Returns the line about the keys themselves, which can have the same type. */
function keyPair(renewal: Renewal, isSame: boolean): Line {
  const text = (row: Side): string => row === renewal.new ? "New key pair" : "Current key pair";
  return { id: "Key pair", text: isSame ? () => "Same key reused" : text };
}

const LINES: readonly Line[] = [
  { id: labelOf("common_name"), text: ({ common_name: name }) => String(name) },
  {
    id: labelOf("valid_to"),
    text: ({ valid_to: at }) => String(at),
    cell: ({ row: { valid_to: at } }) => <Day at={String(at)} />,
  },
  {
    id: labelOf("valid_from"),
    text: ({ valid_from: at }) => String(at),
    cell: ({ row: { valid_from: at } }) => <Day at={String(at)} />,
  },
  { id: "Valid for", text: (row) => `${numberText(lifeInDays(row))} days` },
  { id: labelOf("issuer"), text: ({ issuer }) => String(issuer) },
  KEY_TYPE,
  {
    id: "Subject alternative names",
    text: ({ sans }) => JSON.stringify((sans as string[]).toSorted()),
    cell: (compared) => <Names compared={compared} />,
  },
  {
    id: labelOf("tenant"),
    text: ({ tenant }) => tenant === null ? "" : String((tenant as { display: unknown }).display),
  },
  { id: labelOf("serial_number"), text: ({ serial_number: serial }) => String(serial) },
];

/** Renders the fields that change, then the equal ones in a collapsed table. */
function Differences({ renewal, isSameKey }: { renewal: Renewal; isSameKey: boolean | undefined }): Html {
  const lines = LINES.flatMap((line) =>
    line === KEY_TYPE && isSameKey !== undefined ? [line, keyPair(renewal, isSameKey)] : [line]
  );
  const [changed = [], equal = []] = [true, false].map((differs) =>
    lines.filter(({ text }) => (text(renewal.old) !== text(renewal.new)) === differs)
  );
  const table = (caption: string, rows: readonly Line[]): Html => (
    <Table
      caption={caption}
      rows={rows}
      columns={[
        { label: "Field", cell: ({ id }) => id },
        {
          label: "Current certificate",
          cell: (line) => cellOf(line, { row: renewal.old, other: renewal.new, lacking: "lost" }),
        },
        {
          label: "New certificate",
          cell: (line) => cellOf(line, { row: renewal.new, other: renewal.old, lacking: "added" }),
        },
      ]}
    />
  );
  return (
    <section aria-labelledby="differences" class="comparison">
      <h2 id="differences">What changes</h2>
      {table("What changes", changed)}
      {equal.length === 0 ? null : (
        <details class="box">
          <summary>
            Unchanged: {equal.map(({ id }, index) => index === 0 ? id : lowerFirst(id)).join(", ")}
          </summary>
          {table("Unchanged fields", equal)}
        </details>
      )}
    </section>
  );
}

function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? `${text.charAt(0).toLowerCase()}${text.slice(1)}` : text;
}

function cellOf({ text, cell }: Line, compared: Compared): Content {
  const { row } = compared;
  return cell?.(compared) ?? (text(row) === "" ? "–" : <bdi>{truncate(text(row), NAMES_CHARS)}</bdi>);
}

/** Maximum length of a list of names. */
const NAMES_CHARS = 400;
/** Number of names in a cell; those that only one certificate has come first. */
const SHOWN_NAMES = 20;

/** Renders the names of a certificate; those that the other one does not have are marked. */
function Names({ compared: { row, other, lacking } }: { compared: Compared }): Html {
  const names = row.sans as string[];
  const known = new Set((other.sans as string[]).map((name) => name.toLowerCase()));
  const isOwn = (name: string): boolean => !known.has(name.toLowerCase());
  const sorted = [...names.filter(isOwn), ...names.filter((name) => !isOwn(name))];
  if (sorted.length === 0) return <>–</>;
  return (
    <ul class="words">
      {sorted.slice(0, SHOWN_NAMES).map((name) => (
        <li>
          {isOwn(name)
            ? (
              <mark class={lacking}>
                <bdi>{truncate(name)}</bdi>
              </mark>
            )
            : <bdi>{truncate(name)}</bdi>}
        </li>
      ))}
      {sorted.length <= SHOWN_NAMES ? null : <li>{`and ${sorted.length - SHOWN_NAMES} more`}</li>}
    </ul>
  );
}
