/** Certificates that are slow to read, to show or to validate, and large when they are shown, at every entry. */

import { MAX_PEM_TEXT_BYTES } from "../../src/base/limits.ts";
import { MAX_CHAIN_CHARS } from "../../src/x509/chain/mod.ts";
import { MAX_PRESENTED_CHARS, MAX_PRESENTED_TOGETHER } from "../../src/domain/endpoints/states.ts";
import { opensslServer } from "../support/tls_servers.ts";
import { TestCa, type TestCertificate } from "../support/test_ca/mod.ts";
import { FAMILIES, hostileCertificate } from "../x509/hostile_certificates.ts";
import { atOnce, EXTRA_WAIT_MS, type Input, inTurn, type Sending, shortStatusOf, statusOf } from "./input.ts";
import type { Target } from "./target.ts";

const CERTIFICATES = "plugins/certmgr/certificates/";
const ENDPOINTS = "plugins/certmgr/endpoints/";
const OBSERVATIONS = "plugins/certmgr/observations/";
/** Size of a certificate: just below the limit. */
const LARGE_BYTES = 64_000;
/**
 * What many requests in a row with megabytes of certificates take: 45 MiB are always alive, V8 collects old objects when
 * there are 22 MiB more, and more of them are made until it has marked all, above all while other programs run.
 */
const READINGS_BYTES = 64 * 1024 * 1024;
/**
 * What storing all of them adds, after all other inputs: 73 certificates with chains of 360,000 characters in a few
 * seconds pass through JSON and the buffers of the database. It is 60 to 75 MiB in all by itself, 130 at the end of a run.
 */
const STORING_BYTES = 64 * 1024 * 1024;

/** Issues a certificate of each family, or the same again: their serial numbers differ. */
function oneOfEach(bytes: number): Promise<TestCertificate[]> {
  const made = TestCa.root({
    cn: `Hostile ${crypto.randomUUID()}`,
    key: "ed25519",
  });
  return Promise.all(
    Object.values(FAMILIES).map(async (family, index) =>
      await hostileCertificate(family, { bytes, ca: await made, index })
    ),
  );
}

/** Returns a certificate of each family, and a text of this length of others. */
async function fullTexts(length: number): Promise<{ pem: string; chain: string }[]> {
  const root = await TestCa.root({ cn: "Hostile", key: "ed25519" });
  return await Promise.all(
    Object.values(FAMILIES).map(async (family) => {
      const members: string[] = [];
      for (
        let size = 0;
        size + 1.4 * LARGE_BYTES < length;
        size = members.join("").length
      ) {
        members.push(
          (await hostileCertificate(family, { bytes: LARGE_BYTES, ca: root }))
            .pem,
        );
      }
      return { pem: members[0] as string, chain: members.slice(1).join("") };
    }),
  );
}

/** Returns chain texts of authorities with 1,200 small extensions or names that all certify each other. */
async function meshes(): Promise<{ pem: string; chain: string }[]> {
  return await Promise.all(
    Object.values(FAMILIES).map(async (family) => {
      const { subject: _, extensions = [] } = family(2_400);
      const root = await TestCa.root({ cn: "Mesh", key: "ed25519" });
      const cas: TestCa[] = [];
      for (let index = 0; index < 5; index++) {
        cas.push(
          await root.intermediate({ cn: `CA ${index}`, key: "ed25519" }),
        );
      }
      let chain = "";
      for (const a of cas) {
        for (const b of cas) {
          if (a !== b) chain += (await a.crossSign(b, { extensions })).pem;
        }
      }
      const { pem } = await hostileCertificate(family, {
        bytes: LARGE_BYTES,
        ca: cas[0] as TestCa,
      });
      return { pem, chain };
    }),
  );
}

/** Stores certificates, and returns the ids of those that are accepted. */
async function stored(
  target: Target,
  certificates: readonly { readonly pem: string; readonly chain?: string }[],
): Promise<number[]> {
  const ids: number[] = [];
  for (const { pem, chain = "" } of certificates) {
    const body = { pem_content: pem, issuer_chain: chain };
    const { status, text } = await target.ask(CERTIFICATES, { body });
    if (status === 201) ids.push(JSON.parse(text).id);
  }
  return ids;
}

/** Sends to all in turn, or to four at a time. */
function toEach(
  count: number,
  { signal, together, work }: {
    signal: AbortSignal;
    together: boolean;
    work: (index: number) => Promise<number>;
  },
): Promise<number[]> {
  if (!together) return inTurn(count, { signal, work });
  let next = 0;
  return Promise.all(
    Array.from({ length: 4 }, () =>
      inTurn(Math.ceil(count / 4), {
        signal,
        work: () => work(next++ % count),
      })),
  ).then((all) => all.flat());
}

const manner = (together: boolean): string => together ? "four at once" : "in turn";

function creating(together: boolean): Input {
  let made: TestCertificate[] = [];
  return {
    name: `POST certificates/: hostile certificates, ${manner(together)}`,
    prepare: async () => made = await oneOfEach(LARGE_BYTES),
    send: ({ target, signal }) =>
      toEach(made.length, {
        signal,
        together,
        work: (index) =>
          shortStatusOf(
            target.ask(CERTIFICATES, {
              body: { pem_content: made[index]?.pem },
              signal,
            }),
          ),
      }),
  };
}

function importing(): Input {
  let texts: string[] = [];
  return {
    name: "POST import/: texts of hostile certificates",
    designed: READINGS_BYTES,
    prepare: async () => texts = (await fullTexts(MAX_PEM_TEXT_BYTES)).map(({ pem, chain }) => pem + chain),
    send: ({ target, signal }) =>
      inTurn(texts.length, {
        signal,
        work: (index) =>
          // The response repeats the texts that were sent: up to a mebibyte.
          statusOf(
            target.ask(`${CERTIFICATES}import/`, {
              body: { pem_content: texts[index] },
              signal,
            }),
          ),
      }),
  };
}

/** Returns an input that reads what was stored. */
function reading(
  name: string,
  { together, read }: {
    together: boolean;
    read: (sending: Sending, id: number) => Promise<number>;
  },
): Input {
  let ids: readonly number[] = [];
  return {
    name: `${name}: hostile certificates, ${manner(together)}`,
    prepare: async (target) => ids = await stored(target, await oneOfEach(LARGE_BYTES)),
    send: (sending) =>
      toEach(ids.length, {
        signal: sending.signal,
        together,
        work: (index) => read(sending, ids[index] as number),
      }),
  };
}

function detailsOf({ target, signal }: Sending, id: number): Promise<number> {
  return shortStatusOf(target.ask(`${CERTIFICATES}${id}/details/`, { signal }));
}

function pageOf({ target, signal }: Sending, id: number): Promise<number> {
  const headers = { cookie: target.cookie };
  return shortStatusOf(
    fetch(`${target.url}/certificates/${id}/`, { headers, signal }),
  );
}

function validating(
  name: string,
  { together, make }: {
    together: boolean;
    make: () => Promise<readonly { pem: string; chain: string }[]>;
  },
): Input {
  let ids: readonly number[] = [];
  return {
    name: `POST validate-chain/: ${name}, ${manner(together)}`,
    designed: READINGS_BYTES,
    ...(together ? {} : { extraWaitMs: EXTRA_WAIT_MS }),
    prepare: async (target) => ids = await stored(target, await make()),
    send: ({ target, signal }) =>
      toEach(ids.length, {
        signal,
        together,
        work: (index) =>
          shortStatusOf(
            target.ask(`${CERTIFICATES}${ids[index]}/validate-chain/`, {
              body: {},
              signal,
            }),
          ),
      }),
  };
}

function pushing(): Input {
  let presented: string[][] = [];
  return {
    name: "POST observations/push/: hostile certificates",
    designed: READINGS_BYTES + STORING_BYTES,
    prepare: async () => {
      const made = await oneOfEach(0.7 * MAX_PRESENTED_CHARS);
      presented = made.map(({ pem }) =>
        Array<string>(Math.floor(MAX_PRESENTED_TOGETHER / pem.length)).fill(pem)
      );
    },
    send: ({ target, signal }) =>
      inTurn(presented.length, {
        signal,
        work: (index) => {
          const observation = {
            host: `h${index}.example`,
            address: "192.0.2.1",
            at: new Date().toISOString(),
            presented: presented[index],
          };
          const file = {
            location: `/etc/${index}.pem`,
            presented: presented[index],
          };
          const body = {
            agent: "hostile",
            observations: [observation],
            certificates: [file],
          };
          return shortStatusOf(
            target.ask(`${OBSERVATIONS}push/`, { body, signal }),
          );
        },
      }),
  };
}

/** Families of which a server presents a certificate; each needs a process of OpenSSL, which must be able to read it. */
const PRESENTED = [
  "DNS names of the byte 0x80",
  "one DNS name of bytes 0x80",
  "IPv6 addresses",
  "different extensions",
  "a subject of U+202E",
];

function probing(): Input {
  return {
    name: "POST endpoints/{id}/probe/: servers that present hostile certificates",
    send: async ({ target, signal, short }) => {
      const statuses: number[] = [];
      const ca = await TestCa.root({ cn: "Hostile", key: "p256" });
      for (const title of short ? PRESENTED.slice(0, 3) : PRESENTED) {
        const leaf = await hostileCertificate(FAMILIES[title]!, {
          bytes: LARGE_BYTES,
          ca,
        });
        await using server = await opensslServer({ leaf });
        const body = { host: server.address, port: server.port };
        const { status, text } = await target.askAsAdmin(ENDPOINTS, {
          body,
          signal,
        });
        if (status !== 201) {
          throw new Error(`An endpoint is answered ${status}: ${text}`);
        }
        const path = `${ENDPOINTS}${JSON.parse(text).id}/probe/`;
        statuses.push(
          ...await atOnce(
            4,
            () => shortStatusOf(target.askAsAdmin(path, { body: {}, signal })),
          ),
        );
      }
      return statuses;
    },
  };
}

/** Returns the inputs. */
export function certificateInputs(): readonly Input[] {
  return [
    creating(false),
    creating(true),
    importing(),
    reading("GET details/", { together: false, read: detailsOf }),
    reading("GET details/", { together: true, read: detailsOf }),
    reading("GET the page", { together: false, read: pageOf }),
    reading("GET the page", { together: true, read: pageOf }),
    validating("hostile chains", { together: false, make: () => fullTexts(MAX_CHAIN_CHARS) }),
    validating("hostile chains", { together: true, make: () => fullTexts(MAX_CHAIN_CHARS) }),
    validating("hostile meshes", { together: false, make: meshes }),
    validating("hostile meshes", { together: true, make: meshes }),
    pushing(),
    probing(),
  ];
}
