import type { Exchange, FieldList } from '@fw/types'
import type { Random } from '@fw/testing/fuzz'

/** Handles a request as an application would. */
export type Behavior = (exchange: Exchange, random: Random) => void

/** Echoes the content, the trailers, and the request fields under other names. */
export const echo: Behavior = (exchange) => {
  const body: Uint8Array[] = []
  exchange.body.consume({
    data: (slice) => body.push(Uint8Array.from(slice)),
    error: () => exchange.abort(),
    end(trailers) {
      exchange.start(200, echoed(exchange))
      for (const slice of body) exchange.write(slice)
      exchange.end(trailers)
    },
  })
}

/** Handlers that use and misuse the API in many ways. */
export const BEHAVIORS: readonly [Behavior, ...Behavior[]] = [
  echo,
  (exchange) => exchange.respond(200, echoed(exchange), 'x'.repeat(10)),
  (exchange) => exchange.respond(404, ['x-a', '1'], null),
  (exchange) => exchange.respond(200, [], Buffer.alloc(200_000, 'x')),
  (exchange) => void setImmediate(() => exchange.respond(200, ['x-late', 'v'.repeat(200)], 'later')),
  (exchange) => exchange.abort(),
  (exchange) => {
    exchange.inform(103, ['link', '</a.css>; rel=preload'])
    exchange.respond(200, ['x-fresh', String(exchange.headers.get('cookie'))], 'informed')
  },
  (exchange, random) => {
    exchange.start(200, random.chance(0.3) ? ['content-length', '40'] : [])
    exchange.write(Buffer.alloc(random.below(40), 'x'))
    exchange.abort()
  },
  // The response head is longer than a frame.
  (exchange) => exchange.respond(200, ['x-long', 'v'.repeat(20_000)], 'long'),
  (exchange, random) => void stream(exchange, random),
  (exchange) => {
    exchange.body.consume({
      data: () => exchange.body.pause(),
      error: () => exchange.respond(500, [], 'broken'),
      end: () => exchange.respond(200, [], 'read'),
    })
    setImmediate(() => exchange.body.resume())
  },
  (exchange) => {
    exchange.body.consume({
      data: () => exchange.status === 0 && exchange.respond(200, [], 'enough'),
      error: () => {},
      end: () => exchange.status === 0 && exchange.respond(200, [], 'nothing'),
    })
  },
  // Never responds.
  () => {},
  openTunnel,
  openTunnel,
]

/** Opens a tunnel if the client requests one, and closes it in one of several ways. */
function openTunnel(exchange: Exchange, random: Random): void {
  if (exchange.upgradeProtocol === undefined) {
    exchange.respond(404, [], null)
    return
  }
  const tunnel = exchange.tunnel(['x-tunnel', '1'])
  const how = random.below(5)
  if (how === 0) tunnel.destroy()
  else if (how === 1) tunnel.resume().end(Buffer.alloc(random.pick([0, 1, 70_000]), 'x'))
  else if (how === 2) tunnel.pipe(tunnel)
  else {
    for (let left = random.below(20); left > 0; left--) tunnel.write(Buffer.alloc(random.pick([1, 100, 20_000]), 'x'))
    if (how === 3) tunnel.on('data', () => tunnel.destroy()).on('end', () => tunnel.end())
    else setImmediate(() => tunnel.resume().end())
  }
}

async function stream(exchange: Exchange, random: Random): Promise<void> {
  exchange.start(200, ['content-type', 'text/event-stream'])
  for (let left = random.below(6); left > 0 && exchange.isOpen; left--) {
    if (!exchange.write(Buffer.alloc(random.pick([1, 100, 5000, 40_000]), 'x'))) await exchange.drained()
    else if (random.chance(0.5)) await Promise.resolve()
  }
  exchange.end(random.chance(0.5) ? ['x-trailer', 'a'] : [])
}

function echoed({ headers }: Exchange): FieldList {
  const fields: string[] = ['content-type', 'text/plain', 'server', 'fw']
  for (const [name, value] of headers) fields.push(`x-${name}`, value)
  return fields
}
