/** Objects in which all texts are hostile: markup, quotes, marks of direction, very long texts. */

import type { Context } from "../../../src/auth/mod.ts";
import { AppError } from "../../../src/base/errors.ts";
import { importPem, isImportReport } from "../../../src/domain/certificates/import/mod.ts";
import { resources } from "../../../src/domain/registry.ts";
import { createObject, type Resource, shapeOf } from "../../../src/resource/mod.ts";
import { contextOf } from "../../support/context.ts";
import { sampleOf } from "../../support/samples.ts";
import { TestCa } from "../../support/test_ca/mod.ts";
import { CHIEF, type Site } from "./site.ts";

/** A text that has visible effects if it is interpreted as markup, and that reverses the following text. */
export const MARKUP =
  `<script data-evil>globalThis.evil=1</script><img src="/x" data-evil onerror="globalThis.evil=2">"'>&amp;\u202egnp.exe\u2067`;
/** As long as a certificate may be, or shorter if a field allows less; unlike the other one from its beginning. */
export const ENDLESS = `endless${MARKUP}${"endless".repeat(9_400)}`.slice(0, 64 * 1024);
/** Numbers of samples; those of assignments refer to certificates that must exist. */
const FIRST_SAMPLE = 1;

/** Ids of hostile objects by object type: those with markup, and those with very long texts. */
export interface HostileIds {
  readonly markup: ReadonlyMap<string, number>;
  readonly endless: ReadonlyMap<string, number>;
}

/** Stores both kinds of every resource that can be written, and a real certificate with such a name. */
export async function fillHostile({ service, userOf }: Site): Promise<HostileIds> {
  const ctx = await contextOf(service.ctx, await userOf(CHIEF));
  const ids = { markup: new Map<string, number>(), endless: new Map<string, number>() };
  for (const [number, kind] of (["markup", "endless"] as const).entries()) {
    for (const resource of resources) {
      const { create } = sampleOf(resource);
      if (create === undefined) continue;
      const text = kind === "markup" ? MARKUP : ENDLESS;
      ids[kind].set(
        resource.objectType,
        await store(ctx, resource, { body: create(FIRST_SAMPLE + number), text }),
      );
    }
  }
  const root = await TestCa.root({ subject: [["O", MARKUP], ["CN", MARKUP]] });
  const leaf = await root.issue({ subject: [["CN", MARKUP]], sans: [MARKUP, "plain.example"] });
  const made = await importPem({ ctx, input: { pem_content: leaf.pem + root.pem } });
  if (!isImportReport(made)) ids.markup.set("certmgr.certificate", made.id as number);
  return ids;
}

/**
 * Stores the text in every field that accepts it: shorter if a field allows less, and not in fields with a fixed
 * format.
 */
async function store(
  ctx: Context,
  resource: Resource,
  { body, text }: { body: Record<string, unknown>; text: string },
): Promise<number> {
  const texts: Record<string, unknown> = {};
  for (const field of Object.values(resource.fields)) {
    if (field.readOnly || field.writeOnly || field.long || field.input === undefined) continue;
    const { kind, choices, maxLength = text.length } = shapeOf(field);
    if (kind === "string" && choices === undefined) {
      texts[field.name] = text.slice(0, maxLength).toWellFormed();
    }
    if (kind === "list" && field.refers?.target === undefined && field.name === "sans") {
      texts[field.name] = [text, text];
    }
  }
  for (;;) {
    try {
      const object = await createObject({ ctx, resource, input: { ...body, ...texts } });
      return object.id as number;
    } catch (error) {
      if (!(error instanceof AppError) || Array.isArray(error.public)) throw error;
      const refused = Object.keys(error.public).filter((name) => name in texts);
      if (refused.length === 0) throw error;
      for (const name of refused) delete texts[name];
    }
  }
}
