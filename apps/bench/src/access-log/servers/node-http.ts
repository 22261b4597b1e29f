import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import morgan from 'morgan'
import { destination } from 'pino'
import { pinoHttp } from 'pino-http'
import type { Started } from '../candidates.ts'

const answer: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'content-length': 11 })
  response.end('hello world')
}

export async function start(logPath: string, form: string | undefined): Promise<Started> {
  const { listener, stop } = form === undefined ? { listener: answer, stop: () => {} } : logged(form, logPath)
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, stop }
}

function logged(form: string, logPath: string): { listener: RequestListener; stop: () => Promise<void> | void } {
  if (form === 'morgan') {
    const stream = createWriteStream(logPath)
    const middleware = morgan('combined', { stream })
    return {
      listener: (request, response) => middleware(request, response, () => answer(request, response)),
      stop: () => new Promise((resolve) => stream.end(resolve)),
    }
  }
  const stream = destination({ dest: logPath, sync: false, minLength: 4096 })
  const middleware = pinoHttp({}, stream)
  return {
    listener(request, response) {
      middleware(request, response)
      answer(request, response)
    },
    stop: () => stream.flushSync(),
  }
}
