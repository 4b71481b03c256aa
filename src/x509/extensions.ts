/**
 * Reads extensions (RFC 5280 §4.1.2.9) one by one: one that cannot be read is marked `malformed`, and the
 * others can still be read. A second one with the same OID is marked `duplicate` and not read (§4.2).
 */

import { DerError, derErrorOf, type DerReader, type Element, LimitError, readerOf, TAG } from "./der.ts";
import { booleanOf, oidOf } from "./der_values.ts";
import { addFinding } from "./findings.ts";
import { EXTENSION_READERS, type ExtensionDraft } from "./extension_readers.ts";
import { EXTENSION_NAMES } from "./oids.ts";
import type { Extension, ExtensionValues, Finding } from "./types.ts";

/** Maximum number of malformed extensions; each costs an exception. Other readers refuse a single one. */
const MAX_MALFORMED = 100;

/** Reads the next element as a SEQUENCE OF Extension. Throws only if the list itself is broken, or too long. */
export function readExtensions(reader: DerReader, findings: Finding[]): ExtensionValues {
  const list = reader.enter(TAG.sequence, "extensions");
  if (list.done) findings.push({ code: "empty_extensions", message: "The list of extensions is empty" });
  const extensions: Extension[] = [];
  const draft: ExtensionDraft = { subjectAltNames: [] };
  const seen = new Set<string>();
  let malformed = 0;
  while (!list.done) {
    const extension = readExtension({ element: list.next("extension"), draft, seen, findings });
    if (extension.malformed !== undefined && ++malformed > MAX_MALFORMED) {
      throw new LimitError(`More than ${MAX_MALFORMED} malformed extensions`);
    }
    extensions.push(extension);
    report(extension, findings);
  }
  return { ...draft, extensions };
}

/** Returns the values of a certificate without extensions. */
export function noExtensions(): ExtensionValues {
  return { extensions: [], subjectAltNames: [] };
}

function readExtension(
  { element, draft, seen, findings }: {
    element: Element;
    draft: ExtensionDraft;
    seen: Set<string>;
    findings: Finding[];
  },
): Extension {
  const { frame, content } = readFrame(element);
  if (frame.oid === "") return frame;
  if (seen.has(frame.oid)) return { ...frame, duplicate: true };
  seen.add(frame.oid);
  const read = EXTENSION_READERS[frame.oid];
  if (read === undefined || content === undefined) return frame;
  try {
    read(content, { draft, findings });
    content.finish(frame.name);
    return frame;
  } catch (error) {
    return { ...frame, malformed: derErrorOf(error).message };
  }
}

/**
 * Reads Extension ::= SEQUENCE { OID, critical BOOLEAN DEFAULT FALSE, OCTET STRING }. Without a reader of the content
 * if it is malformed.
 */
function readFrame(element: Element): { frame: Extension; content?: DerReader } {
  let frame: Extension = { oid: "", name: "unreadable", critical: true, size: element.end - element.start };
  try {
    if (element.tag !== TAG.sequence) throw new DerError("The extension is not a SEQUENCE");
    const sequence = readerOf(element);
    const oid = oidOf(sequence.expect(TAG.oid, "extension OID"), "extension OID");
    frame = { ...frame, oid, name: EXTENSION_NAMES[oid] ?? oid };
    const flag = sequence.optional(TAG.boolean, "critical flag");
    const critical = flag !== undefined && booleanOf(flag, "critical flag");
    const value = sequence.expect(TAG.octetString, "extension value");
    sequence.finish("extension");
    frame = { oid, name: frame.name, critical, size: value.end - value.contentStart };
    return { frame, content: readerOf(value) };
  } catch (error) {
    return { frame: { ...frame, malformed: derErrorOf(error).message } };
  }
}

function report({ name, malformed, duplicate }: Extension, findings: Finding[]): void {
  if (malformed !== undefined) {
    addFinding(findings, {
      code: "malformed_extension",
      message: `Extension ${name} is malformed: ${malformed}`,
    });
  }
  if (duplicate) {
    addFinding(findings, { code: "duplicate_extension", message: `Extension ${name} occurs more than once` });
  }
}
