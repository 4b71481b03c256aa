/** Cuts a migration's text into statements. */

/**
 * Statements of hand-written SQL, without comments of whole lines: one ends with a semicolon at the end of a line
 * (a comment may follow it), a `CREATE TRIGGER` with a line that says `END;`.
 */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let lines: string[] = [];
  for (const line of sql.split(/\r?\n/)) {
    const code = line.replace(/\s*--.*$/, "");
    if (code.trim() === "") continue;
    lines.push(code);
    const trigger = /^CREATE\s+TRIGGER\b/i.test(lines[0]!);
    if (trigger ? /^END;$/i.test(code) : code.endsWith(";")) {
      statements.push(lines.join("\n").slice(0, -1));
      lines = [];
    }
  }
  if (lines.length > 0) throw new Error(`Statement has no end, want ";" at the end of a line: "${lines[0]}"`);
  return statements;
}
