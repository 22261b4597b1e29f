import { once } from 'node:events'
import { connect, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from 'node:http2'
import { urlOf, type LoadTarget } from '../load/load.ts'
import type { ReceivedResponse } from './check-response.ts'

/**
 * Sends a target's request once over HTTP/2, with TLS or prior knowledge. `countedBytes` includes only the content, as in
 * `h2load`.
 */
export async function fetchHttp2(target: LoadTarget): Promise<ReceivedResponse> {
  const { method, path, headers, body } = target.request
  const session = connect(urlOf(target), { rejectUnauthorized: false })
  const { promise: failed, reject } = Promise.withResolvers<never>()
  session.on('error', reject)
  try {
    const stream = session.request({ ':method': method, ':path': path, ...headers })
    const responded = once(stream, 'response') as Promise<[IncomingHttpHeaders & IncomingHttpStatusHeader]>
    stream.end(body)
    const [head] = await Promise.race([responded, failed])
    const slices: Buffer[] = []
    for await (const slice of stream) slices.push(slice as Buffer)
    const content = Buffer.concat(slices)
    return {
      status: head[':status'] ?? 0,
      type: head['content-type'] ?? '',
      coding: head['content-encoding'] ?? '',
      etag: head['etag'] ?? '',
      body: content,
      countedBytes: content.byteLength,
    }
  } finally {
    session.destroy()
  }
}
