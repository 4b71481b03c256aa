/** The table that compares a certificate with its successor. */

import { numberText, uncapitalized } from "../../../base/amounts.ts";
import { type Certificate, lifeInDays } from "../../../domain/certificates/mod.ts";
import type { Copyable, renewCertificate } from "../../../domain/certificates/renewal/mod.ts";
import { type Content, Day, type Html, Table, truncate } from "../../kit/components/mod.ts";
import { labelOf } from "../../messages.ts";
import { keyText } from "./columns.tsx";

/** Both certificates of a renewal. */
type Renewal = Pick<Awaited<ReturnType<typeof renewCertificate>>, "old" | "new">;
type Side = Partial<Omit<Certificate, "id" | "url">>;

/** A certificate, the other one, and a label for values that only the first one has. */
interface Compared {
  readonly row: Side;
  readonly other: Side;
  readonly lacking: "lost" | "added";
}

/** A line of the comparison, which has changed if its text differs. */
interface Line {
  readonly id: string;
  readonly field?: Copyable;
  readonly text: (row: Side) => string;
  readonly cell?: (compared: Compared) => Content;
}

/** Texts that many certificates do not have. */
const RARE = ["description", "renewal_note"] as const;
const RARE_IDS: readonly string[] = RARE.map(labelOf);
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
    cell: (compared) => <Values compared={compared} of={({ sans }) => sans as string[]} />,
  },
  {
    id: labelOf("tenant"),
    text: ({ tenant }) => tenant === null ? "" : String((tenant as { display: unknown }).display),
  },
  {
    id: labelOf("owner"),
    text: ({ owner }) => owner === null ? "" : String((owner as { contact: Side }).contact.display),
  },
  { id: labelOf("serial_number"), text: ({ serial_number: serial }) => String(serial) },
  {
    id: labelOf("tags"),
    field: "tags",
    text: (row) => tagNames(row).join(", "),
    cell: (compared) => <Values compared={compared} of={tagNames} />,
  },
  ...(["private_key_location", ...RARE] as const).map((field): Line => ({
    id: labelOf(field),
    field,
    text: (row) => String(row[field]),
  })),
];

/** Returns the names of the tags of a certificate. */
function tagNames({ tags }: Side): string[] {
  return (tags as readonly { display: unknown }[]).map(({ display }) => String(display));
}

/** Renders the fields that change or are copied, then the equal ones in a collapsed table. */
export function Comparison(
  { renewal, isSameKey, copied }: {
    renewal: Renewal;
    isSameKey: boolean | undefined;
    /** Fields that an existing successor gets from the current certificate. */
    copied: readonly Copyable[];
  },
): Html {
  const lines = LINES.flatMap((line) =>
    line === KEY_TYPE && isSameKey !== undefined ? [line, keyPair(renewal, isSameKey)] : [line]
  ).filter(({ id, text }) => !RARE_IDS.includes(id) || text(renewal.old) !== "" || text(renewal.new) !== "");
  const isCopied = ({ field }: Line): boolean => field !== undefined && copied.includes(field);
  const [changed = [], equal = []] = [true, false].map((differs) =>
    lines.filter((line) => (isCopied(line) || line.text(renewal.old) !== line.text(renewal.new)) === differs)
  );
  const table = (caption: string, rows: readonly Line[]): Html => (
    <Table
      caption={caption}
      rows={rows}
      stacked
      columns={[
        { label: "Field", cell: ({ id }) => id },
        {
          label: "Current certificate",
          cell: (line) => cellOf(line, { row: renewal.old, other: renewal.new, lacking: "lost" }),
        },
        {
          label: "New certificate",
          cell: (line) => (
            <>
              {cellOf(line, { row: renewal.new, other: renewal.old, lacking: "added" })}
              {isCopied(line) ? <small class="faint copied">copied</small> : null}
            </>
          ),
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
            Unchanged: {equal.map(({ id }, index) => index === 0 ? id : uncapitalized(id)).join(", ")}
          </summary>
          {table("Unchanged fields", equal)}
        </details>
      )}
    </section>
  );
}

function cellOf({ text, cell }: Line, compared: Compared): Content {
  const { row } = compared;
  return cell?.(compared) ?? (text(row) === "" ? "–" : <bdi>{truncate(text(row), VALUE_CHARS)}</bdi>);
}

/** Maximum length of a value. */
const VALUE_CHARS = 400;
/** Number of values in a cell; those that only one certificate has come first. */
const SHOWN_VALUES = 20;

/** Renders the names or tags of a certificate; those that the other one does not have are marked. */
function Values(
  { compared: { row, other, lacking }, of }: { compared: Compared; of: (row: Side) => string[] },
): Html {
  const values = of(row);
  const known = new Set(of(other).map((value) => value.toLowerCase()));
  const isOwn = (value: string): boolean => !known.has(value.toLowerCase());
  const sorted = [...values.filter(isOwn), ...values.filter((value) => !isOwn(value))];
  if (sorted.length === 0) return <>–</>;
  return (
    <ul class="words">
      {sorted.slice(0, SHOWN_VALUES).map((value) => (
        <li>
          {isOwn(value)
            ? (
              <mark class={lacking}>
                <bdi>{truncate(value)}</bdi>
              </mark>
            )
            : <bdi>{truncate(value)}</bdi>}
        </li>
      ))}
      {sorted.length <= SHOWN_VALUES ? null : <li>{`and ${sorted.length - SHOWN_VALUES} more`}</li>}
    </ul>
  );
}
