/** Returns the first element of a list that has one. */
export function first<Element>([element]: readonly Element[]): Element {
  if (element === undefined) throw new Error("Expected a list with at least one element");
  return element;
}
