import type { Field } from '../../test/http2/hpack.ts'

/** Request as a server read it, with its whole body. */
export interface Understood {
  readonly method: string
  readonly target: string
  readonly authority: string
  readonly fields: readonly Field[]
  readonly body: string
  readonly trailers: readonly Field[]
}

/**
 * Creates a request.
 *
 * @param fields Fields including pseudo-header fields
 */
export function understood(fields: readonly Field[], body: string, trailers: readonly Field[]): Understood {
  const valueOf = (wanted: string): string | undefined => fields.find(([name]) => name === wanted)?.[1]
  const authority = valueOf(':authority') ?? valueOf('host') ?? ''
  return {
    method: valueOf(':method') ?? '',
    target: valueOf(':path') ?? authority,
    authority,
    fields: fields.filter(([name]) => !name.startsWith(':')),
    body,
    trailers,
  }
}
