/**
 * A schema of any library that speaks Standard Schema, such as zod, valibot and arktype; as much of it as is used.
 *
 * @see https://standardschema.dev
 */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

/** What a schema makes of a value. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

/** What is wrong with a value, and where. */
export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** A JSON Schema (draft 7) of what is answered. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** What a schema makes of what it takes; `undefined` without a schema. */
export type OutputOf<S> = S extends {
  readonly '~standard': { readonly types?: { readonly output: infer O } | undefined }
}
  ? O
  : undefined

/** What the schemas of a route made of the request. */
export interface Validated<P = unknown, Q = unknown, H = unknown, B = unknown> {
  readonly params: P
  readonly query: Q
  readonly headers: H
  readonly body: B
}
