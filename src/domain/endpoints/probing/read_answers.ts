/** Parses what was presented, and checks everything that does not need the database: names, times, chain. */

import type { Context } from "../../../auth/mod.ts";
import { sha256Hex } from "../../../base/bytes.ts";
import type { Pause } from "../../../base/pace.ts";
import type { ProbeAnswer } from "../../../probe/mod.ts";
import type { AnchorIndex } from "../../../x509/chain/mod.ts";
import { type CertificateReading, parseCertificate } from "../../../x509/mod.ts";
import { chainStates } from "./chain_state.ts";
import { leafStates, type StateFinding } from "./evaluate.ts";
import type { ProbeReport, ReadAnswer, StoredEndpoint } from "./types.ts";

/** Reads the results of a report, with pauses in between. */
export async function readAnswers(
  ctx: Context,
  { report, endpoint, anchors, pause }: {
    report: ProbeReport;
    endpoint: StoredEndpoint;
    anchors: AnchorIndex;
    pause: Pause;
  },
): Promise<ReadAnswer[]> {
  const answers: ReadAnswer[] = [];
  for (const answer of report.answers) {
    answers.push(await readAnswer(ctx, { answer, endpoint, at: report.at, anchors, pause }));
    await pause();
  }
  return answers;
}

async function readAnswer(
  { settings }: Context,
  { answer, endpoint, at, anchors, pause }: {
    answer: ProbeAnswer;
    endpoint: StoredEndpoint;
    at: number;
    anchors: AnchorIndex;
    pause: Pause;
  },
): Promise<ReadAnswer> {
  const { address, failure } = answer;
  const base = { address, answer, presented: [], leaf: undefined, chain: [] };
  if (answer.presented === undefined) {
    const finding: StateFinding = failure === undefined
      ? { state: "tls_error", message: "The server presents no certificate." }
      : { state: failure.kind, message: failure.message };
    return { ...base, findings: [finding] };
  }
  const { certificates: ders, tlsVersion, fault } = answer.presented;
  const presented = ders.map((der) => sha256Hex(der));
  const readings: CertificateReading[] = [];
  for (const der of ders) {
    readings.push(parseCertificate(der));
    await pause();
  }
  const leaf = readings[0]?.certificate;
  if (leaf === undefined) {
    const findings = [{ state: "tls_error", message: "The server's certificate cannot be read." } as const];
    return { ...base, presented, findings };
  }
  const certificates = readings.flatMap(({ certificate }) => certificate ?? []);
  const chain = certificates.slice(1).map(({ der }) => der);
  const host = endpoint.server_name ?? endpoint.host;
  const { warningDays } = settings;
  const findings: StateFinding[] = [
    ...(fault === undefined ? [] : [{ state: "tls_error", message: fault } as const]),
    ...leafStates(leaf, { host, tlsVersion, at, warningDays }),
    ...await chainStates(certificates, { anchors, at, pause }),
  ];
  return { address, answer, presented, leaf, chain, findings };
}
