import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LoadTarget } from '../load/load.ts'
import type { ReceivedResponse } from './check-response.ts'

/**
 * Sends a target's request once over HTTP/1.1, with the header fields of `wrk`. `countedBytes` includes the header
 * section, as in `wrk`.
 */
export async function fetchHttp1({ port, isTls, request, shape }: LoadTarget): Promise<ReceivedResponse> {
  const { method, path, headers, body } = request
  const { promise, resolve, reject } = Promise.withResolvers<ReceivedResponse>()
  const send = isTls ? requestHttps : requestHttp
  const options = { host: '127.0.0.1', port, method, path, headers, agent: false, rejectUnauthorized: false }
  const sent = send(options, (head) => {
    const slices: Buffer[] = []
    head.on('data', (slice: Buffer) => slices.push(slice))
    head.on('error', reject)
    head.on('end', () => {
      resolve(received(head, Buffer.concat(slices)))
      head.socket.destroy()
    })
  })
  // node:http adds `connection: close`, which wrk sends only with `isOnce`.
  if (shape.isOnce !== true) sent.removeHeader('connection')
  sent.on('error', reject)
  sent.end(body)
  return promise
}

function received(head: IncomingMessage, body: Buffer): ReceivedResponse {
  const isChunked = head.headers['transfer-encoding'] !== undefined
  return {
    status: head.statusCode ?? 0,
    type: head.headers['content-type'] ?? '',
    coding: head.headers['content-encoding'] ?? '',
    etag: head.headers['etag'] ?? '',
    body,
    countedBytes: isChunked ? undefined : headBytes(head) + body.byteLength,
  }
}

/** Returns the bytes of the status line, the header section and the empty line. */
function headBytes({ statusCode, statusMessage, rawHeaders }: IncomingMessage): number {
  const fields = rawHeaders.reduce((sum, part) => sum + Buffer.byteLength(part, 'latin1') + 2, 0)
  return `HTTP/1.1 ${statusCode} ${statusMessage}\r\n`.length + fields + 2
}
