/** What a signing request asks for, before it is created. */

import { isGranted } from "../../auth/mod.ts";
import { inspectRequest, signingRequests } from "../../domain/signing_requests/mod.ts";
import type { Call } from "../call.ts";
import { keyText } from "../certificates/mod.ts";
import { type Content, type Html, Property, PropertyList } from "../components/mod.ts";
import { withLabels } from "../messages.ts";
import {
  type ApiObject,
  type FormPreview,
  type FormState,
  ObjectLink,
  readRows,
  Text,
} from "../objects/mod.ts";

/** Reads the PEM of the form, and shows what it asks for or what is wrong with it. At most one statement. */
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
  const existing = await existingRequest(call, String(fields.fingerprint_sha256));
  return { content: <Asked fields={fields} warnings={warnings} existing={existing} />, errors: {} };
}

async function existingRequest(call: Call, fingerprint: string): Promise<ApiObject | undefined> {
  if (!isGranted(call.ctx, "view", signingRequests.objectType)) return undefined;
  const params = { fingerprint_sha256: fingerprint, limit: 1 };
  return (await readRows(call, signingRequests, { params, fields: ["id", "url", "display"] })).rows[0];
}

function Asked(
  { fields, warnings, existing }: {
    fields: Readonly<Record<string, unknown>>;
    warnings: readonly string[];
    existing: ApiObject | undefined;
  },
): Html {
  const { common_name: name, sans, subject_string: subject } = fields;
  return (
    <section class="asked" aria-labelledby="asked" data-outcome tabindex={-1}>
      <h2 id="asked">This request asks for</h2>
      <PropertyList>
        <Property name="Common name">{textOf(name)}</Property>
        <Property name="Other names">{textOf(others(name, sans as readonly string[]).join(", "))}</Property>
        <Property name="Subject">{textOf(subject)}</Property>
        <Property name="Key">{keyText(fields)}</Property>
      </PropertyList>
      {existing === undefined ? null : (
        <p class="flash error">
          This request exists already: <ObjectLink brief={existing} />.
        </p>
      )}
      {warnings.map((text) => <p class="flash warn">{text}</p>)}
      <p class="faint">Nothing is stored yet.</p>
    </section>
  );
}

function others(name: unknown, sans: readonly string[] = []): readonly string[] {
  return sans.filter((one) => one !== name);
}

function textOf(value: unknown): Content {
  return value === "" || value === undefined || value === null
    ? <span class="faint">none</span>
    : <Text text={String(value)} />;
}
