import { fileURLToPath } from 'node:url'
import type { ReceivedResponse } from '../../http/check-response.ts'
import type { LoadRequest } from '../../http/scenario.ts'
import type { Load, LoadTarget } from '../load.ts'
import { runGenerator } from '../run-generator.ts'
import { H3Connection } from './h3-connection.ts'
import { encodeRequest } from './wire.ts'

/** Options of the load generator program, passed as JSON. */
export interface H3LoadOptions {
  readonly port: number
  readonly request: LoadRequest
  readonly connections: number
  /** Concurrent requests per connection. */
  readonly depth: number
  readonly seconds: number
}

const PROGRAM = fileURLToPath(new URL('./main.ts', import.meta.url))

/**
 * Generates HTTP/3 load with `main.ts`, which compares every response.
 *
 * @throws {Error} if a response differs from the first
 */
export async function h3Load({ port, request, shape }: LoadTarget, seconds: number): Promise<Load> {
  const options: H3LoadOptions = { port, request, connections: shape.connections, depth: shape.depth ?? 1, seconds }
  return JSON.parse(await runGenerator([process.execPath, PROGRAM, JSON.stringify(options)])) as Load
}

/** Sends the request once. Decodes only the status, because servers use Huffman coding for the other fields. */
export async function fetchHttp3({ port, request }: LoadTarget): Promise<ReceivedResponse> {
  const connection = await H3Connection.open(port)
  try {
    const { status, body } = await connection.request(encodeRequest(request, `127.0.0.1:${port}`))
    return { status, body, type: undefined, coding: '', etag: '', countedBytes: undefined }
  } finally {
    connection.close()
  }
}
