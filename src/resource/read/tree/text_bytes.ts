/** Measures the texts of a tree. */

import type { Node } from "./object_query.ts";

const encoder = new TextEncoder();
/** Maximum length for which a loop counts faster than the platform encodes. */
const SHORT = 200;

/**
 * Returns the size of all texts in the response that may be large. A row to which several others refer is
 * written at each place.
 */
export function textBytes(nodes: readonly Node[], known: Map<Node, number>): number {
  let sum = 0;
  for (const node of nodes) {
    let size = known.get(node);
    if (size === undefined) known.set(node, size = bytesOfNode(node, known));
    sum += size;
  }
  return sum;
}

function bytesOfNode({ object, related, resource }: Node, known: Map<Node, number>): number {
  let size = 0;
  for (const name in object) {
    const field = resource.fields[name];
    if (field?.long || field?.large) size += bytesOf(object[name]);
  }
  for (const key in related) {
    const one = related[key];
    if (Array.isArray(one)) size += textBytes(one, known);
    else if (typeof one === "object" && one !== null) size += known.get(one) ?? textBytes([one], known);
  }
  return size;
}

function bytesOf(value: unknown): number {
  if (typeof value === "string") return utf8Length(value);
  return Array.isArray(value) ? value.reduce((sum, text) => sum + bytesOf(text), 0) : 0;
}

function utf8Length(text: string): number {
  if (text.length > SHORT) return encoder.encode(text).length;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return encoder.encode(text).length;
  return text.length;
}
