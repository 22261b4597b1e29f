/** Parameters by name, as the router finds them in a path. */
export type Params = Readonly<Record<string, string | undefined>>

type Segment<S extends string> = S extends `:${infer Name}?`
  ? { readonly [K in Name]?: string }
  : S extends `:${infer Name}`
    ? { readonly [K in Name]: string }
    : S extends `*${infer Name}`
      ? { readonly [K in Name]: string }
      : Record<never, never>

type Segments<P extends string> = P extends `${infer Head}/${infer Rest}` ? Segment<Head> & Segments<Rest> : Segment<P>

/**
 * The parameters of a path pattern, read from its literal type.
 *
 * @example
 * PathParams<'/users/:id/posts/:post?'>   // { id: string } & { post?: string }
 * PathParams<'/files/*path'>              // { path: string }
 */
export type PathParams<P extends string> = string extends P ? Params : Segments<P>
