/** What a signing request asks for, before it is created. */

import { isGranted } from "../../../auth/mod.ts";
import { inspectRequest, signingRequests } from "../../../domain/signing_requests/mod.ts";
import type { Brief } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { keyText } from "../certificates/mod.ts";
import { type Content, type Html, Property, PropertyList } from "../../kit/components/mod.ts";
import { labelOf, withLabels } from "../../messages.ts";
import { type FormPreview, type FormState, ObjectLink, readRows, Text } from "../../kit/mod.ts";
import { notesOf, requestedCertificate, type RequestNotes } from "./policy_check.tsx";

/** Reads the PEM of the form, and shows what it asks for or what is wrong with it. At most two statements. */
export async function previewRequest(call: Call, state: FormState): Promise<FormPreview> {
  const pem = String(state.pem_content ?? "");
  if (pem.trim() === "") {
    return { content: null, errors: { pem_content: ["Paste the request to check it."] } };
  }
  const { fields, errors, warnings } = await inspectRequest({ ctx: call.ctx, pem });
  if (Object.keys(errors).length > 0) {
    const labelled = Object.entries(errors).map(([name, texts]) => [name, texts.map(withLabels)]);
    return { content: null, errors: Object.fromEntries(labelled) };
  }
  const [existing, notes] = await Promise.all([
    existingRequest(call, String(fields.fingerprint_sha256)),
    notesOf(call, requestedCertificate(fields, scopeOf(state))),
  ]);
  const content = <Asked fields={fields} warnings={warnings} existing={existing} notes={notes} />;
  return { content, errors: {} };
}

async function existingRequest(call: Call, fingerprint: string): Promise<Brief | undefined> {
  if (!isGranted(call.ctx, "view", signingRequests.objectType)) return undefined;
  const params = { fingerprint_sha256: fingerprint, limit: 1 };
  return (await readRows(call.ctx, signingRequests, { params, fields: ["id", "url", "display"] })).rows[0];
}

/** Returns the ids of the chosen tenant and tags. */
function scopeOf(
  { tenant = "", tags = [] }: FormState,
): { tenantId: number | null; tagIds: readonly number[] } {
  const idsIn = (values: FormState[string]): number[] => [values].flat().filter(Boolean).map(Number);
  return { tenantId: idsIn(tenant)[0] ?? null, tagIds: idsIn(tags) };
}

function Asked(
  { fields, warnings, existing, notes }: {
    fields: Readonly<Record<string, unknown>>;
    warnings: readonly string[];
    existing: Brief | undefined;
    notes: RequestNotes;
  },
): Html {
  const { common_name: name, sans, subject_string: subject } = fields;
  return (
    <section class="asked" aria-labelledby="asked" data-outcome tabindex={-1}>
      <h2 id="asked">This request asks for</h2>
      <PropertyList>
        <Property name="Common name">{textOf(name)}</Property>
        <Property name={labelOf("sans")}>
          {textOf((sans as readonly string[] | undefined ?? []).join(", "))}
        </Property>
        <Property name="Subject">{textOf(subject)}</Property>
        <Property name="Key">{keyText(fields)}</Property>
      </PropertyList>
      {existing === undefined ? null : (
        <p class="flash error">
          This request exists already: <ObjectLink brief={existing} />.
        </p>
      )}
      {warnings.map((text) => <p class="flash warn">{text}</p>)}
      {notes.warnings}
      {notes.policies}
      <p class="small-print">Nothing is stored yet.</p>
    </section>
  );
}

function textOf(value: unknown): Content {
  return value === "" || value === undefined || value === null
    ? <span class="faint">none</span>
    : <Text text={String(value)} />;
}
