import type { SentFile } from '@fw/http-fields'
import type { Context, OutgoingResponse } from '@fw/types'

/** Sends the sidecar of a file that is not encoded with a dictionary, as `@fw/static` does without this middleware. */
export function sendSidecar(response: OutgoingResponse, ctx: Context, file: SentFile | undefined): void {
  const { whole, headers } = response
  const { sidecar } = file ?? {}
  if (sidecar === undefined) return
  if (ctx.method === 'HEAD') {
    markSidecar(headers, sidecar)
    headers.set('content-length', String(sidecar.lengthBytes))
  } else if (whole !== null) response.replaceLater(sidecarOr(whole, headers, sidecar))
}

/** Returns the sidecar, and sets its fields; or the whole file if the sidecar cannot be read. */
export async function sidecarOr(
  whole: string | Uint8Array,
  headers: OutgoingResponse['headers'],
  sidecar: SentFile['sidecar'],
): Promise<string | Uint8Array> {
  // The file itself is complete, so an error does not concern the client.
  const bytes = await sidecar?.read().catch(() => undefined)
  if (sidecar === undefined || bytes === undefined) return whole
  markSidecar(headers, sidecar)
  return bytes
}

function markSidecar(headers: OutgoingResponse['headers'], { coding, etag }: NonNullable<SentFile['sidecar']>): void {
  headers.set('content-encoding', coding)
  if (etag !== undefined) headers.set('etag', etag)
}
