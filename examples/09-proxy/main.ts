import { HttpError, Server } from '@fw/core'

const upstream = process.env['UPSTREAM'] ?? 'https://example.org'

/** Header fields that apply only to one connection (RFC 9110 §7.6.1), and those that `fetch` sets itself. */
const NOT_FORWARDED = [
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** CIDR blocks of the proxies in front of this one, which append their client's address to `X-Forwarded-For`. */
const proxies = process.env['PROXIES']?.split(' ') ?? []

export const server = new Server({ shutdown: 'signals', trustProxy: { proxies, header: 'x-forwarded-for' } })

server.router().all('/*path', async (ctx) => {
  const query = ctx.rawQuery === '' ? '' : `?${ctx.rawQuery}`
  const headers = forwarded(ctx.headers)
  headers.set('accept-encoding', 'identity') // otherwise, fetch would decompress the body
  headers.set('x-forwarded-for', ctx.clientAddress ?? '') // replaces addresses that the client has forged
  const hasBody = ctx.method !== 'GET' && ctx.method !== 'HEAD'
  const response = await fetch(upstream + ctx.path + query, {
    method: ctx.method,
    headers,
    redirect: 'manual',
    signal: ctx.signal, // aborts the request when the client disconnects
    ...(hasBody ? { body: ctx.stream(), duplex: 'half' } : {}),
  }).catch((cause: unknown) => {
    throw ctx.signal.aborted ? cause : new HttpError(502, 'The upstream server does not respond', { cause })
  })
  return new Response(response.body, { status: response.status, headers: forwarded(response.headers) })
})

function forwarded(headers: Iterable<[string, string]>): Headers {
  const copy = new Headers([...headers])
  const named = copy.get('connection')?.split(',') ?? []
  for (const name of [...named, ...NOT_FORWARDED]) copy.delete(name.trim())
  return copy
}

if (import.meta.main) await server.listen({ host: '127.0.0.1', port: Number(process.env['PORT'] ?? 8080) })
