/** Splits migrations into statements. */

/**
 * Splits hand-written SQL into statements and removes comments. A statement ends with a semicolon at the end of a line
 * (a comment may follow), a `CREATE TRIGGER` with the line `END;`.
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
  if (lines.length > 0) throw new Error(`Expected ";" at the end of the statement "${lines[0]}"`);
  return statements;
}
