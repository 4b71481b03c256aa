import assert from "node:assert/strict";
import { splitStatements } from "../../src/db/migrate.ts";

const CASES: Record<string, { sql: string; statements: string[] }> = {
  "nothing": { sql: "\n-- a comment; only\n\n", statements: [] },
  "several, with comments between and behind": {
    sql: "-- why;\nCREATE TABLE a (\n  x, -- one;\n  y\n); -- done\nCREATE TABLE b (x);\n",
    statements: ["CREATE TABLE a (\n  x,\n  y\n)", "CREATE TABLE b (x)"],
  },
  "a semicolon within a line": {
    sql: "INSERT INTO a VALUES ('x;y');\n",
    statements: ["INSERT INTO a VALUES ('x;y')"],
  },
  "a trigger that contains statements": {
    sql:
      "CREATE TRIGGER t AFTER INSERT ON a BEGIN\n  DELETE FROM b;\n  SELECT CASE 1 WHEN 1 THEN 2 END;\nEND;\nDROP TABLE a;\n",
    statements: [
      "CREATE TRIGGER t AFTER INSERT ON a BEGIN\n  DELETE FROM b;\n  SELECT CASE 1 WHEN 1 THEN 2 END;\nEND",
      "DROP TABLE a",
    ],
  },
  "line ends of Windows": { sql: "SELECT\r\n1;\r\nSELECT 2;\r\n", statements: ["SELECT\n1", "SELECT 2"] },
};

for (const [what, { sql, statements }] of Object.entries(CASES)) {
  Deno.test(`a text is split into statements: ${what}`, () =>
    assert.deepEqual(splitStatements(sql), statements));
}

for (const sql of ["SELECT 1", "CREATE TRIGGER t AFTER INSERT ON a BEGIN\n  DELETE FROM b;\n"]) {
  Deno.test(`a statement without an end is refused: ${JSON.stringify(sql)}`, () => {
    assert.throws(() => splitStatements(sql), /Expected ";" at the end/);
  });
}
