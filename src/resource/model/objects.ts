/** Types of objects, derived from the fields of their resources. */

import type { z } from "zod";
import type { Field, Resource, Values } from "./definition.ts";

/** An object of any resource, as operations return it. */
export type AnyObject = Readonly<Record<string, unknown>> & {
  readonly id: number;
  readonly url: string;
  readonly display: string;
};

/** The brief form of an object. Which other members it has depends on its resource. */
export type Brief = AnyObject;

/** An object in the response to a change. A caller who may not view it gets only its identity and what was sent. */
export type Answer<Of extends AnyObject> = Partial<Of> & Pick<Of, "id" | "url" | "display">;

/** An object with these fields. */
export type ObjectOf<Of extends Field> =
  & { readonly [Name in Of["name"]]: z.output<Extract<Of, { readonly name: Name }>["output"]> }
  & { readonly id: number; readonly url: string; readonly display: string };

/** Parsed values of a draft with these fields. A request may leave out any of them. */
export type InputOf<Of extends Field> =
  & Values
  & { -readonly [Name in Of["name"]]?: Exclude<Extract<Of, { readonly name: Name }>["fallback"], undefined> };

/** An object of a resource: `Out<typeof certificates>`. */
export type Out<Of extends Resource> = Of extends Resource<infer Found> ? Found : never;
