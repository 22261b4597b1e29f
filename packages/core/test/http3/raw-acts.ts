import { setTimeout } from 'node:timers/promises'
import { settle, type TestField } from '@fw/testing'
import { encodeFields, H3Frame, h3Frame, H3StreamType, varint, type H3Client } from '@fw/testing/h3'
import { bodyOf, serveHttp3, type Http3Server } from '../serve-http3.ts'

/** What a client sends, and on which stream. */
export type Act = (client: H3Client) => Promise<unknown>

/** Responses with the body of the request, where it can be read. */
export function serveBody(): Promise<Http3Server> {
  return serveHttp3((exchange) => {
    bodyOf(exchange).then(
      ({ body }) => exchange.respond(200, [], body),
      () => {},
    )
  })
}

/** What a server of `serveBody` makes of a valid request. */
export async function ask(client: H3Client, text: string): Promise<string> {
  return (await client.request({ path: '/', method: 'POST', body: text })).text()
}

/** A HEADERS frame. */
export function section(...fields: readonly TestField[]): Buffer {
  return h3Frame(H3Frame.HEADERS, encodeFields(fields))
}

/** The HEADERS frame of a valid request, with further fields behind. */
export function head(...more: readonly TestField[]): Buffer {
  return section([':method', 'POST'], [':scheme', 'https'], [':authority', '127.0.0.1'], [':path', '/'], ...more)
}

/** The HEADERS frame of a request without the fields that are `undefined`, and with others. */
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

/** A SETTINGS frame with a payload in hexadecimal. */
export function settings(payload = ''): Buffer {
  return h3Frame(H3Frame.SETTINGS, Buffer.from(payload, 'hex'))
}

/** Frames on a request stream, and its end. */
export function request(...frames: readonly Buffer[]): Act {
  return async ({ connection }) => (await connection.openStream()).send(Buffer.concat(frames), { end: true })
}

/** Frames on a control stream. */
export function control(...frames: readonly Buffer[]): Act {
  return ({ connection }) => connection.openUnidirectional(H3StreamType.CONTROL, Buffer.concat(frames))
}

/** A unidirectional stream of a type, with bytes in hexadecimal. */
export function unidirectional(type: number, bytes = ''): Act {
  return ({ connection }) => connection.openUnidirectional(type, Buffer.from(bytes, 'hex'))
}

/** The same, ended. */
export function ended(type: number, bytes = ''): Act {
  return async ({ connection }) => {
    const stream = await connection.openUnidirectional(type, Buffer.from(bytes, 'hex'))
    await stream.send('', { end: true })
  }
}

/** The same, reset once its type has had time to arrive. */
export function broken(type: number, bytes = ''): Act {
  return async ({ connection }) => {
    const stream = await connection.openUnidirectional(type, Buffer.from(bytes, 'hex'))
    await settle(20)
    stream.reset(0x10c)
  }
}

/** A unidirectional stream of bytes in hexadecimal, which need not hold a type; it is ended or reset then. */
export function untyped(bytes: string, how?: 'end' | 'reset'): Act {
  return async ({ connection }) => {
    const stream = await connection.openUntyped(Buffer.from(bytes, 'hex'))
    if (how === 'end') await stream.send('', { end: true })
    else if (how === 'reset') stream.reset(0x10c)
  }
}

/** A unidirectional stream whose bytes come one by one, most of them in packets of their own. */
export function inPieces(type: number, ...parts: readonly Buffer[]): Act {
  return async ({ connection }) => {
    const stream = await connection.openUntyped(Buffer.alloc(0))
    for (const byte of Buffer.concat([varint(type), ...parts])) {
      await stream.send(Buffer.of(byte))
      await setTimeout(1)
    }
  }
}

/** One after another. */
export function both(first: Act, second: Act): Act {
  return async (client) => {
    await first(client)
    await second(client)
  }
}
