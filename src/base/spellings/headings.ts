/** Recognizes headings of tables by their words. Pure. */

/** Returns a function that returns the column for a heading, ignoring case, accents, punctuation and text in parentheses. */
export function headingReader<Column>(
  columns: Iterable<readonly [name: string, column: Column]>,
): (heading: string) => Column | undefined {
  const byLetters = new Map([...columns].map(([name, column]) => [lettersOf(name), column] as const));
  return (heading) =>
    byLetters.get(lettersOf(heading)) ?? byLetters.get(lettersOf(heading.replaceAll(/\([^()]*\)/g, "")));
}

function lettersOf(text: string): string {
  return text.normalize("NFKD").toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}
