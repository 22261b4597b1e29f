import { RequestLogger } from '@fw/access-log'
import { HttpError, type Router } from '@fw/core'
import '@fw/static/register'
import { fileURLToPath } from 'node:url'
import { setTimeout } from 'node:timers/promises'
import { HandlerSources } from '../observe/handler-sources.ts'
import { orders } from './orders.ts'
import { quotes } from './quotes.ts'

/** Folders that the application serves. */
export interface Folders {
  /** The built page. */
  readonly pageDir: string
  /** The race files. */
  readonly raceDir: string
  /** Files under `/files/`; `undefined` if there are none. */
  readonly filesDir: string | undefined
}

/** Makes the browser revalidate every time. It gets a 304 for an unchanged file, and never shows a stale one. */
const cacheControl = (): string => 'no-cache'

/** Registers the routes whose requests the page draws. */
export function registerRoutes(app: Router, { pageDir, raceDir, filesDir }: Folders): void {
  app.get('/healthz', () => 'ok')

  const api = app.group('/api')
  api.get('/hello/:name', async (ctx) => {
    const { name } = ctx.params
    const log = ctx.local(RequestLogger)
    log.info('Greeting {}', name)
    const quote = await quotes.pick(log)
    return { hello: name, quote }
  })
  api.get('/orders/:id', (ctx) => {
    const order = orders.get(ctx.params.id)
    if (order === undefined) throw new HttpError(404, 'There is no such order')
    return order
  })
  api.post('/echo', async (ctx) => {
    ctx.bytes(await ctx.bytes())
  })
  api.get('/teapot', () => {
    throw new HttpError(418, 'This demo does not make coffee')
  })

  const faults = api.group('/break')
  faults.get('/throw', () => {
    throw new Error('The handler of this demo failed on purpose')
  })
  faults.get('/sleep', { timeoutMs: 1000 }, async (ctx) => {
    const log = ctx.local(RequestLogger)
    ctx.signal.addEventListener('abort', () => log.warn('Woken up: {}', ctx.signal.reason.message))
    await setTimeout(5000, undefined, { signal: ctx.signal })
    return 'slept well'
  })

  app.staticFiles('/race', raceDir, { cacheControl })
  if (filesDir !== undefined) app.staticFiles('/files', filesDir, { cacheControl })
  app.staticFiles('/', pageDir, {
    cacheControl,
  })
}

/** Finds the source of the handlers in this file. */
export function handlerSources(): HandlerSources {
  const sources = new HandlerSources(fileURLToPath(import.meta.url))
  sources.find('/*path', "app.staticFiles('/', ")
  sources.find('/race/*path', "app.staticFiles('/race', ")
  sources.find('/files/*path', "if (filesDir !== undefined) app.staticFiles('/files', ")
  sources.find('/healthz', "app.get('/healthz', ")
  sources.find('/api/hello/:name', "api.get('/hello/:name', ")
  sources.find('/api/orders/:id', "api.get('/orders/:id', ")
  sources.find('/api/echo', "api.post('/echo', ")
  sources.find('/api/teapot', "api.get('/teapot', ")
  sources.find('/api/break/throw', "faults.get('/throw', ")
  sources.find('/api/break/sleep', "faults.get('/sleep', ")
  return sources
}
