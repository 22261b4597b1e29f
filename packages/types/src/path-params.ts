/** Path parameters by name. */
export type Params = Readonly<Record<string, string | undefined>>

/** The parameters of a path without parameters. Not `object`, which a handler with `Params` would not accept. */
export type NoParams = { readonly [K in never]: string }

type Segment<S extends string> = S extends `:${infer Name}?`
  ? { readonly [K in Name]?: string }
  : S extends `:${infer Name}`
    ? { readonly [K in Name]: string }
    : S extends `*${infer Name}`
      ? { readonly [K in Name]: string }
      : NoParams

type Segments<P extends string> = P extends `${infer Head}/${infer Rest}` ? Segment<Head> & Segments<Rest> : Segment<P>

/**
 * The parameters of a path pattern, read from its literal type.
 *
 * @example
 * PathParams<'/users/:id/posts/:post?'>   // { id: string } & { post?: string }
 * PathParams<'/files/*path'>              // { path: string }
 */
export type PathParams<P extends string> = string extends P ? Params : Segments<P>
