import { type FwErrorCode, HttpError, withCode } from '@fw/options'
import type { Context, FieldList } from '@fw/types'
import { type Accepted, Connection, type DrainState } from '../connection/connection.ts'
import { acceptCompression, type Compression, parseExtensions } from '../connection/ws-bridge.ts'
import type { WebSocketSettings } from '../options.ts'
import { admit } from './admission.ts'
import { checkOrigin } from './check-origin.ts'
import { malformed, readHandshake, selectProtocol } from './handshake.ts'

/** Seconds after which a client can retry when the server closes. Another process then accepts connections. */
const RETRY_SECONDS = 1

/** Fields that describe a body. The response to a handshake has none. */
const BODY_FIELDS: ReadonlySet<string> = new Set([
  'content-length',
  'content-type',
  'content-encoding',
  'transfer-encoding',
])

/**
 * Checks the handshake of a request and opens the connection.
 *
 * @param upgrade Called after the checks and before the response. It can throw to refuse the client, or return a `Response`
 * @returns The connection, or the `Response` that `upgrade` has returned
 * @throws {HttpError} 400, 403, 426 or 503 if the handshake is refused
 */
export async function accept<C extends Context<object>>(
  ctx: C,
  settings: WebSocketSettings,
  upgrade?: (ctx: C) => unknown,
): Promise<Connection<C> | Response> {
  const { upgradeProtocol } = ctx.exchange
  const { method, protocol: transport, headers } = ctx
  const { accept: acceptValue, protocols } = readHandshake({ method, protocol: transport, upgradeProtocol, headers })
  const protocol = selectProtocol(protocols, settings.protocols)
  const compression = selectCompression(headers.get('sec-websocket-extensions'), settings)
  await checkOrigin(ctx, settings.origins)
  const drain = watchDrain(ctx)
  refuseWhileClosing(drain)
  const leave = admit(ctx, settings)
  ctx.onFinish(leave)
  try {
    const result = await upgrade?.(ctx)
    if (result instanceof Response) {
      leave()
      return result
    }
    refuseWhileClosing(drain)
    const fields = responseFields(ctx, { acceptValue, protocol, compression })
    const accepted: Accepted<C> = { ctx, settings, protocol, compression, leave, drain }
    return new Connection(accepted, ctx.exchange.tunnel(fields))
  } catch (error) {
    leave()
    // A client that disconnects during `upgrade` is not an error of the server, which would log it.
    if (isCoded(error, 'FW_CONNECTION_CLOSED')) ctx.signal.throwIfAborted()
    throw error
  }
}

function selectCompression(field: string | null, settings: WebSocketSettings): Compression | undefined {
  if (field === null) return undefined
  try {
    if (settings.compression) return acceptCompression(field, settings.maxMessageBytes)
    parseExtensions(field)
    return undefined
  } catch {
    // RFC 6455 §9.1: a field that does not match the grammar fails the handshake.
    throw malformed('Sec-WebSocket-Extensions is malformed')
  }
}

/** Watches whether the server begins to close, with one listener for the handshake and the connection. */
function watchDrain(ctx: Context<object>): DrainState {
  const drain: DrainState = { isClosing: false, onClosing: undefined }
  ctx.onDrain(() => {
    drain.isClosing = true
    drain.onClosing?.()
  })
  return drain
}

function refuseWhileClosing({ isClosing }: DrainState): void {
  if (!isClosing) return
  throw withCode(
    'FW_SERVER_CLOSING',
    new HttpError(503, 'The server is closing', { 'retry-after': String(RETRY_SECONDS) }),
  )
}

function isCoded(error: unknown, code: FwErrorCode): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

interface Selected {
  readonly acceptValue: string | undefined
  readonly protocol: string
  readonly compression: Compression | undefined
}

/** Returns the fields of the response: those that middleware has set, and those of the handshake. */
function responseFields(ctx: Context<object>, { acceptValue, protocol, compression }: Selected): FieldList {
  const fields: string[] = []
  for (const [name, value] of ctx.responseHeaders) {
    if (!BODY_FIELDS.has(name) && !name.startsWith('sec-websocket-')) fields.push(name, value)
  }
  if (acceptValue !== undefined) fields.push('sec-websocket-accept', acceptValue)
  if (protocol !== '') fields.push('sec-websocket-protocol', protocol)
  if (compression !== undefined) fields.push('sec-websocket-extensions', compression.field)
  return fields
}
