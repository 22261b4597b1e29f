/**
 * A schema from a library that implements Standard Schema, such as zod, valibot or arktype. Declares only the members that `@fw` uses.
 *
 * @see https://standardschema.dev
 */
export interface StandardSchema<Output = unknown> {
  /** The properties that Standard Schema defines. */
  readonly '~standard': {
    /** The version of Standard Schema. */
    readonly version: 1
    /** The library's name. */
    readonly vendor: string
    /** Validates a value. */
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    /** The types of the schema, which exist only for the compiler. */
    readonly types?:
      | {
          /** The type of a value that the schema accepts. */
          readonly input: unknown
          /** The type of the output. */
          readonly output: Output
        }
      | undefined
  }
}

/** The result of validation: the output value, or the issues. */
export type SchemaResult<Output> =
  | {
      /** The output. */
      readonly value: Output
      /** Absent after a successful validation. */
      readonly issues?: undefined
    }
  | {
      /** The validation errors. */
      readonly issues: readonly SchemaIssue[]
    }

/** A validation error. */
export interface SchemaIssue {
  /** A description of the error. */
  readonly message: string
  /** The path to the invalid part of the value; absent if the error concerns the whole value. */
  readonly path?:
    | readonly (
        | PropertyKey
        | {
            /** The key of one step of the path. */
            readonly key: PropertyKey
          }
      )[]
    | undefined
}

/** A JSON Schema (draft 7) of a response. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The output type of a schema; `undefined` without a schema. */
export type OutputOf<S> = S extends {
  readonly '~standard': { readonly types?: { readonly output: infer O } | undefined }
}
  ? O
  : undefined

/** The output of a route's schemas. */
export interface Validated<P = unknown, Q = unknown, H = unknown, B = unknown> {
  /** The output of the schema for path parameters. */
  readonly params: P
  /** The output of the schema for the query. */
  readonly query: Q
  /** The output of the schema for header fields. */
  readonly headers: H
  /** The output of the schema for the body. */
  readonly body: B
}
