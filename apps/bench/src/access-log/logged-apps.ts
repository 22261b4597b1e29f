// Applications of the peers, for the benchmarks with and without sockets.
import { createWriteStream } from 'node:fs'
import type { RequestListener } from 'node:http'
import { fastify, type FastifyInstance } from 'fastify'
import morgan from 'morgan'
import { destination } from 'pino'
import { pinoHttp } from 'pino-http'

/** Application that responds to each request with `hello world` and logs it to a file asynchronously. */
export interface Logged<Application> {
  readonly app: Application
  /** Resolves when most of the lines logged so far are written. */
  readonly written: () => Promise<void>
  /** Resolves when all lines are written. */
  readonly stop: () => Promise<void> | void
}

export type NodeLog = 'node-http' | 'morgan' | 'pino-http'

/** `node:http` listeners without a log, with morgan and with pino-http. */
export const LISTENERS: Readonly<Record<NodeLog, (path: string) => Logged<RequestListener>>> = {
  'node-http': () => ({ app: respond, written: async () => {}, stop() {} }),
  morgan(path) {
    const stream = createWriteStream(path)
    const middleware = morgan('combined', { stream })
    return {
      app: (request, response) => middleware(request, response, () => respond(request, response)),
      written: () => new Promise((resolve) => void stream.write('', () => resolve())),
      stop: () => new Promise((resolve) => stream.end(resolve)),
    }
  },
  'pino-http'(path) {
    const { stream, written, stop } = pinoFile(path)
    const middleware = pinoHttp({}, stream)
    return {
      app(request, response) {
        middleware(request, response)
        respond(request, response)
      },
      written,
      stop,
    }
  },
}

/** @param path Log file, which gets two lines per request; `undefined` disables the log */
export function fastifyApp(path: string | undefined): Logged<FastifyInstance> {
  const file = path === undefined ? undefined : pinoFile(path)
  const app = fastify(file === undefined ? {} : { logger: { stream: file.stream } })
  app.get('/users/:id', (_request, reply) => reply.type('text/plain; charset=utf-8').send('hello world'))
  return { app, written: async () => file?.written(), stop: () => file?.stop() }
}

/** Opens a destination as pino's documentation recommends for asynchronous logging. */
function pinoFile(path: string): Omit<Logged<unknown>, 'app'> & {
  readonly stream: ReturnType<typeof destination>
} {
  const stream = destination({ dest: path, sync: false, minLength: 4096 })
  return {
    stream,
    written: () => new Promise((resolve, reject) => stream.flush((error) => (error ? reject(error) : resolve()))),
    stop: () => stream.flushSync(),
  }
}

const respond: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'content-length': 11 })
  response.end('hello world')
}
