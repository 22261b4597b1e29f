import { createWriteStream } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import morgan from 'morgan'
import { destination } from 'pino'
import { pinoHttp } from 'pino-http'
import { portOf, ready, serverSetup } from '../../server-program.ts'

interface Logged {
  readonly listener: RequestListener
  /** Resolves when everything is written. */
  readonly stop: () => Promise<void> | void
}

const FORMS: Readonly<Record<string, (path: string) => Logged>> = {
  morgan(path) {
    const stream = createWriteStream(path)
    const middleware = morgan('combined', { stream })
    return {
      listener: (request, response) => middleware(request, response, () => answer(request, response)),
      stop: () => new Promise((resolve) => stream.end(resolve)),
    }
  },
  'pino-http'(path) {
    const stream = destination({ dest: path, sync: false, minLength: 4096 })
    const middleware = pinoHttp({}, stream)
    return {
      listener(request, response) {
        middleware(request, response)
        answer(request, response)
      },
      stop: () => stream.flushSync(),
    }
  },
}

const answer: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'content-length': 11 })
  response.end('hello world')
}

const { form = '', accessLogFile = '' } = serverSetup()
const { listener, stop } = FORMS[form]?.(accessLogFile) ?? { listener: answer, stop: () => {} }
const server = createServer(listener)
server.listen(0, '127.0.0.1', () => ready(portOf(server), stop))
