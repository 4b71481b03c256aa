/** Probes on request: one endpoint now, or many as soon as possible. */

import { and, inArray, isNotNull, sql } from "drizzle-orm";
import { z } from "zod";
import { type Context, restrictionSql, visibleSql } from "../../../auth/mod.ts";
import { AppError, notFound } from "../../../base/errors.ts";
import { MAX_BULK_OBJECTS } from "../../../base/limits.ts";
import { andAll, idsIn, type Row, select, update } from "../../../db/mod.ts";
import { endpoints as table } from "../../../db/schema/mod.ts";
import { NO_INPUT, objectBody, operation } from "../../../operation/mod.ts";
import {
  ALL_FIELDS,
  type Answer,
  documented,
  idList,
  type Out,
  readAnswer,
  selectList,
} from "../../../resource/mod.ts";
import { observations } from "../observations.ts";
import { type Endpoint, endpoints } from "../resource.ts";
import { AT_ONCE } from "./evaluate.ts";
import { type ClaimedEndpoint, probeTargetOf } from "./service.ts";
import { settleReports } from "./settle.ts";

/** Why endpoints cannot be probed at the edge. */
export const NO_SOCKETS =
  'This platform has no sockets, so the service cannot probe endpoints here. Run "certmgr agent" in a network that reaches them.';

const ProbedEndpoint = documented(
  z.custom<Answer<Endpoint> & { readonly observation: Out<typeof observations> | null }>(),
  {
    allOf: [
      { $ref: "#/components/schemas/Endpoint" },
      {
        type: "object",
        required: ["observation"],
        properties: {
          observation: {
            description:
              "The newest observation in the worst state; null if the caller may not view observations.",
            anyOf: [{ $ref: "#/components/schemas/Observation" }, { type: "null" }],
          },
        },
      },
    ],
  },
);

/** Probes an endpoint now and stores the result. Errors: forbidden, not_found, conflict (the platform has no sockets). */
export const probeEndpoint = operation({
  needs: [["probe", endpoints]],
  input: NO_INPUT,
  output: ProbedEndpoint,
  run: async ({ ctx, id, allowed }) => {
    const restricted = restrictionSql(ctx, allowed(endpoints), { map: endpoints.map });
    const [endpoint] = await ctx.database.all<ClaimedEndpoint>(
      sql`SELECT id, host, port, server_name, protocol FROM endpoints WHERE ${
        andAll(sql`endpoints.id = ${id}`, restricted)
      }`,
    );
    if (endpoint === undefined) throw notFound();
    if (ctx.probe === undefined) throw new AppError("conflict", NO_SOCKETS);
    const { allowedNetworks } = ctx.settings.probing;
    const answers = await ctx.probe(probeTargetOf(endpoint), { allowedNetworks });
    await settleReports(ctx, [{ endpointId: id, source: "probe", at: ctx.clock.now(), answers }]);
    const object = await readAnswer({ ctx, reader: ctx.database, resource: endpoints }, id);
    return { ...object, observation: await newestObservation(ctx, id) };
  },
});

/** Reads the newest observation in the endpoint's state; null if the caller may not view it. One statement. */
async function newestObservation(ctx: Context, id: number): Promise<Out<typeof observations> | null> {
  const { map, table: from } = observations;
  const packed = selectList(observations, ALL_FIELDS, ctx);
  const newest = sql`observations.endpoint_id = ${id} AND
      observations.state = (SELECT state FROM endpoints WHERE id = ${id})`;
  const rows = await ctx.database.all<Row>(
    sql`SELECT ${packed.list} FROM ${from} WHERE ${
      andAll(newest, visibleSql(ctx, map))
    } ORDER BY id DESC LIMIT 1`,
  );
  return packed.read(rows, ctx)[0] ?? null;
}

const QueuedProbes = z.object({
  queued_count: z.int(),
  not_found_ids: z.array(z.int()).describe("Ids that do not exist, or that the caller may not view."),
  missing_ids: z.array(z.int()).describe("The same."),
});

/**
 * Makes the service probe endpoints before all others that are due. Endpoints of agents are left to them.
 * Errors: forbidden, invalid.
 */
export const bulkProbe = operation({
  needs: [["probe", endpoints]],
  input: objectBody({ ids: idList(MAX_BULK_OBJECTS) }),
  output: QueuedProbes,
  run: async ({ ctx, allowed, input: { ids } }) =>
    await ctx.database.write(async (tx) => {
      const restricted = restrictionSql(ctx, allowed(endpoints), { map: endpoints.map });
      const found = await tx.all(
        select({ id: table.id }).from(table).where(and(inArray(table.id, idsIn(ids)), restricted)),
      );
      const known = new Set(found.map(({ id }) => id));
      const queued = await tx.run(
        update(table).set({ next_probe: AT_ONCE, lease_owner: null })
          .where(and(inArray(table.id, idsIn([...known])), isNotNull(table.next_probe))),
      );
      const missing = ids.filter((id) => !known.has(id));
      return { queued_count: queued, not_found_ids: missing, missing_ids: missing };
    }),
});
