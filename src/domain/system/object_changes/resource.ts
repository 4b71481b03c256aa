/** The change log: who changed what, when, and from what to what. Written by every change, by nothing else. */

import { z } from "zod";
import { object_changes as table } from "../../../db/schema/mod.ts";
import {
  choice,
  datetime,
  defineResource,
  id,
  integer,
  json,
  reference,
  text,
} from "../../../resource/mod.ts";
import { users } from "../../accounts/users/mod.ts";

const SNAPSHOT = z.record(z.string(), z.unknown()).nullable();

/** `core.objectchange`. */
export const objectChanges = defineResource({
  objectType: "core.objectchange",
  path: "core/object-changes",
  label: "object change",
  table,
  fields: [
    id(),
    datetime("time", { description: "When.", readOnly: true }),
    reference("user", {
      description: "Who; null for the service itself, and for users that are gone.",
      target: () => users,
      keys: ["username"],
      readOnly: true,
      onDelete: "keep",
    }),
    text("username", { description: "The user's name at that time.", readOnly: true }),
    text("request_id", { description: "The request that did it.", readOnly: true }),
    choice("action", {
      description: "What was done.",
      choices: ["create", "update", "delete"],
      readOnly: true,
    }),
    text("object_type", { description: "Kind of the object.", readOnly: true }),
    integer("object_id", { description: "Id of the object.", readOnly: true }),
    text("object_repr", { description: "The object's name at that time.", readOnly: true }),
    json("prechange", {
      description: "Its fields before; null when created.",
      schema: SNAPSHOT,
      readOnly: true,
    }),
    json("postchange", {
      description: "Its fields after; null when deleted.",
      schema: SNAPSHOT,
      readOnly: true,
    }),
  ],
  brief: ["time", "action", "object_type", "object_id"],
  displayNeeds: ["action", "object_type", "object_repr"],
  display: (row) => `${row.action} ${row.object_type} ${row.object_repr}`,
  searchFields: ["object_repr", "username"],
  methods: { collection: ["GET"], item: ["GET"] },
  order: [{ field: "id", descending: true }],
});
