// Runs on Bun with Bun's router. Declares the Bun types, because Bun's type package is not installed.
import { otherPatterns, ready, serverSetup } from '../../server-program.ts'

interface BunRequest extends Request {
  readonly params: Readonly<Record<string, string>>
}

type Route = ((request: BunRequest) => Response | Promise<Response>) | Readonly<Record<string, unknown>>

interface BunOptions {
  readonly port: number
  readonly hostname: string
  readonly routes: Readonly<Record<string, Route>>
  readonly tls?: { readonly key: unknown; readonly cert: unknown }
}

declare const Bun: {
  serve(options: BunOptions): { readonly port: number }
  file(path: string): unknown
}

const setup = serverSetup()
const { tls } = setup
const echo: Route = async (request) => Response.json(await request.json())
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  ...(tls === undefined ? {} : { tls: { key: Bun.file(tls.keyFile), cert: Bun.file(tls.certFile) } }),
  routes: {
    '/': () => new Response('hello world'),
    '/users/:id': ({ params }) => Response.json({ id: params.id, name: 'Ada' }),
    '/echo': { POST: echo },
    ...Object.fromEntries(otherPatterns(setup).map((pattern) => [pattern, () => new Response('another')])),
  },
})
ready(server.port)
