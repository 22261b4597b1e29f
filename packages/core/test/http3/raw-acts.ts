import { setTimeout } from 'node:timers/promises'
import { settle, type TestField } from '@fw/testing'
import { encodeFields, H3Frame, h3Frame, H3StreamType, varint, type H3Client } from '@fw/testing/h3'
import { bodyOf, serveHttp3, type Http3Server } from '../serve-http3.ts'

/** Sends bytes over a client's connection. */
export type Act = (client: H3Client) => Promise<unknown>

/** Starts a server that echoes readable request bodies. */
export function serveBody(): Promise<Http3Server> {
  return serveHttp3((exchange) => {
    bodyOf(exchange).then(
      ({ body }) => exchange.respond(200, [], body),
      () => {},
    )
  })
}

/** Sends a valid request to a `serveBody` server and returns the response body. */
export async function ask(client: H3Client, text: string): Promise<string> {
  return (await client.request({ path: '/', method: 'POST', body: text })).text()
}

/** Encodes a HEADERS frame. */
export function section(...fields: readonly TestField[]): Buffer {
  return h3Frame(H3Frame.HEADERS, encodeFields(fields))
}

/** Encodes the HEADERS frame of a valid request, with more fields at the end. */
export function head(...more: readonly TestField[]): Buffer {
  return section([':method', 'POST'], [':scheme', 'https'], [':authority', '127.0.0.1'], [':path', '/'], ...more)
}

/** Encodes the HEADERS frame of a request with changed fields; `undefined` removes a field. */
export function headWith(changes: Readonly<Record<string, string | undefined>>): Buffer {
  const fields: Record<string, string | undefined> = {
    ':method': 'GET',
    ':scheme': 'https',
    ':authority': '127.0.0.1',
    ':path': '/',
    ...changes,
  }
  const given = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  return section(...given)
}

/** Encodes a SETTINGS frame with a hexadecimal payload. */
export function settings(payload = ''): Buffer {
  return h3Frame(H3Frame.SETTINGS, Buffer.from(payload, 'hex'))
}

/** Sends frames on a request stream and ends it. */
export function request(...frames: readonly Buffer[]): Act {
  return async ({ connection }) => (await connection.openStream()).send(Buffer.concat(frames), { end: true })
}

/** Sends frames on a control stream. */
export function control(...frames: readonly Buffer[]): Act {
  return ({ connection }) => connection.openUnidirectional(H3StreamType.CONTROL, Buffer.concat(frames))
}

/** Opens a unidirectional stream of the given type, with hexadecimal bytes. */
export function unidirectional(type: number, bytes = ''): Act {
  return ({ connection }) => connection.openUnidirectional(type, Buffer.from(bytes, 'hex'))
}

/** Opens a unidirectional stream and ends it. */
export function ended(type: number, bytes = ''): Act {
  return async ({ connection }) => {
    const stream = await connection.openUnidirectional(type, Buffer.from(bytes, 'hex'))
    await stream.send('', { end: true })
  }
}

/** Opens a unidirectional stream and resets it after its type has arrived. */
export function broken(type: number, bytes = ''): Act {
  return async ({ connection }) => {
    const stream = await connection.openUnidirectional(type, Buffer.from(bytes, 'hex'))
    await settle(20)
    stream.reset(0x10c)
  }
}

/** Opens a unidirectional stream with hexadecimal bytes that need not contain a type, then ends or resets it. */
export function untyped(bytes: string, how?: 'end' | 'reset'): Act {
  return async ({ connection }) => {
    const stream = await connection.openUntyped(Buffer.from(bytes, 'hex'))
    if (how === 'end') await stream.send('', { end: true })
    else if (how === 'reset') stream.reset(0x10c)
  }
}

/** Opens a unidirectional stream and sends its bytes one by one, mostly in separate packets. */
export function inPieces(type: number, ...parts: readonly Buffer[]): Act {
  return async ({ connection }) => {
    const stream = await connection.openUntyped(Buffer.alloc(0))
    for (const byte of Buffer.concat([varint(type), ...parts])) {
      await stream.send(Buffer.of(byte))
      await setTimeout(1)
    }
  }
}

/** Runs two actions in order. */
export function both(first: Act, second: Act): Act {
  return async (client) => {
    await first(client)
    await second(client)
  }
}
