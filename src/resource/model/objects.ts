/** Types of objects, derived from the fields of their resources. */

import type { z } from "zod";
import type { Resource } from "./definition.ts";
import type { Field, Values } from "./field.ts";

/** What every object has, whatever its resource. */
export type Identity = { readonly id: number; readonly url: string; readonly display: string };

/** A name of a field. */
export type NameOf<Of> = Extract<keyof Of, string>;

/** The brief form of an object. Which other members it has depends on its resource. */
export type Brief = Out;

/** An object in the response to a change. A caller who may not view it gets only its identity and what was sent. */
export type Answer<Of extends Identity> = Partial<Of> & Pick<Of, keyof Identity>;

/** An object with these fields. */
export type ObjectOf<Of extends Field> =
  & { readonly [Name in Of["name"]]: z.output<Extract<Of, { readonly name: Name }>["output"]> }
  & Identity;

/** Parsed values of a draft with these fields. A request may leave out any of them. */
export type InputOf<Of extends Field> =
  & Values
  & { -readonly [Name in Of["name"]]?: Exclude<Extract<Of, { readonly name: Name }>["fallback"], undefined> };

/** An object of a resource: `Out<typeof certificates>`; by default of any. */
export type Out<Of extends Resource = Resource> = Of extends Resource<infer Found> ? Found : never;
