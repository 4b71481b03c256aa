/** Both certificates of a renewal side by side, before it is done. */

import { lostNames, type renewCertificate } from "../../domain/certificates/renewal/mod.ts";
import type { Call } from "../call.ts";
import { Day, Form, type Html, Icon, Property, PropertyList, truncate } from "../components/mod.ts";
import { textOf } from "../forms.ts";
import { labelOf } from "../messages.ts";
import { page } from "../shell/mod.ts";
import { Expiry } from "./columns.tsx";

/** Returns `1 assignment`, `2 assignments`. */
export function countOf(assignments: number): string {
  return assignments === 1 ? "1 assignment" : `${assignments} assignments`;
}

type Renewal = Awaited<ReturnType<typeof renewCertificate>>;

/** Renders both certificates side by side. */
export function renewalPreview(call: Call, id: number, renewal: Renewal): Response {
  const back = `/certificates/${id}/`;
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
      <div class="columns">
        <Side title="Current certificate" row={renewal.old} other={renewal.new} />
        <Side title="New certificate" row={renewal.new} other={renewal.old} />
      </div>
      <LostNames renewal={renewal} />
      <p>
        {countOf(renewal.assignments_moved)}{" "}
        will move to the new certificate. The current certificate will be marked as replaced.
      </p>
      <Form call={call} action={`${back}renew/`} class="form-actions">
        {["certificate", "pem_content", "private_key_location"].map((name) =>
          call.form.has(name) ? <HiddenInput name={name} value={textOf(call.form, name)} /> : null
        )}
        <button type="submit" name="confirmed" value="yes">
          <Icon name="renew" />Renew
        </button>
        <a href={`${back}renew/`}>Choose another certificate</a>
      </Form>
    </>,
  );
}

/** Warns of names that the new certificate does not cover. */
function LostNames({ renewal }: { renewal: Renewal }): Html | null {
  const [old, successor] = [renewal.old, renewal.new].map((one) => [
    String(one.common_name),
    ...one.sans as string[],
  ]) as [string[], string[]];
  const lost = lostNames(old, successor);
  if (lost.length === 0) return null;
  return (
    <p class="flash warn">
      <Icon name="warning" />
      <span>
        Names the new certificate does not cover: <bdi>{lost.join(", ")}</bdi>
      </span>
    </p>
  );
}

/** A hidden field; it keeps line breaks (HTML §4.10.5.1.1). */
function HiddenInput({ name, value }: { name: string; value: string }): Html {
  return <input type="hidden" name={name} value={value} />;
}

type Side = Readonly<Record<string, unknown>>;

const COMPARED = [
  "common_name",
  "issuer",
  "serial_number",
  "algorithm",
  "key_size",
  "sans",
  "tenant",
] as const;

function Side({ title, row, other }: { title: string; row: Side; other: Side }): Html {
  const changed = (name: string): boolean => JSON.stringify(row[name]) !== JSON.stringify(other[name]);
  return (
    <section class="card">
      <h2>{title}</h2>
      <PropertyList>
        <Property name="Valid from">
          <Day at={String(row.valid_from)} />
        </Property>
        <Property name="Valid to">
          <Expiry row={row} />
        </Property>
        {COMPARED.map((name) => (
          <Property name={labelOf(name)}>
            {changed(name) && name !== "serial_number"
              ? (
                <mark>
                  <bdi>{textFor(row[name])}</bdi>
                </mark>
              )
              : <bdi>{textFor(row[name])}</bdi>}
          </Property>
        ))}
      </PropertyList>
    </section>
  );
}

function textFor(value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (Array.isArray(value)) return truncate(value.join(", "), 400);
  if (typeof value === "object") return String((value as { display?: unknown }).display ?? "");
  return truncate(String(value), 400);
}
