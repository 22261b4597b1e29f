import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MultipartPart } from '@fw/types'
import type { Context, Middleware } from '../../src/index.ts'
import type { Combination } from './combination.ts'
import type { Sources } from './sources.ts'

/** The state of a request in progress, on both sides. */
export interface Case {
  readonly combination: Combination
  readonly sources: Sources
  /** Number of handlers that were called, of handlers that returned or threw, and of finished exchanges. */
  entered: number
  left: number
  finished: number
  /** Whether the client timed out before the end of the response. */
  isLate: boolean
  /** Numbers of decoders that were started and released. */
  decoding: number
  decoded: number
  /** Reads that the handler has begun. */
  readonly begun: Promise<unknown>[]
  /** Resolves when the handler has begun. */
  readonly running: PromiseWithResolvers<void>
  /** Notifies the application that the server is starting to close. */
  readonly drain: () => void
}

/** Creates the handler for the requests in all combinations. */
export function handlerOf(caseOf: (ctx: Context) => Case): (ctx: Context) => Promise<unknown> {
  return async (ctx) => {
    const running = caseOf(ctx)
    running.entered++
    ctx.onFinish(() => running.finished++)
    try {
      return await respond(ctx, running)
    } finally {
      running.left++
    }
  }
}

/** Creates middleware that waits after the handler and then returns its own result, which is too late. */
export function middlewareOf(caseOf: (ctx: Context) => Case): Middleware {
  return async (ctx, next) => {
    const { combination, sources } = caseOf(ctx)
    await next()
    if (!combination.hasMiddleware) return undefined
    await sleep(1)
    return sources.stream(2, 0)
  }
}

async function respond(ctx: Context, running: Case): Promise<unknown> {
  const { combination, sources, begun } = running
  const { event, moment, result } = combination
  const { signal } = ctx
  if (combination.decodes) ctx.decodeBody((encoded) => copyOf(encoded, running))
  const reading = combination.reader === 'none' ? undefined : READ[combination.reader](ctx)
  if (reading !== undefined) begun.push(reading)
  running.running.resolve()
  if (reading !== undefined) {
    if (moment === 'later') await sleep(2)
    if (moment === 'now' || moment === 'later') {
      if (combination.catches) await reading.catch(() => {})
      else await reading
    }
    if (moment === 'after the response') ctx.onFinish(() => void reading.then(noop, noop))
  }
  if (event === 'timeout' || (event.startsWith('disconnect') && event !== 'disconnect within the response')) {
    if (!signal.aborted) await Promise.race([once(signal, 'abort'), sleep(200, undefined, { ref: false })])
  }
  if (event === 'drain') {
    const drained = new Promise<void>((resolve) => ctx.onDrain(resolve))
    running.drain()
    // The exchange can have ended already, because clients that reset many streams lose their connection.
    if (!signal.aborted) await Promise.race([drained, once(signal, 'abort')])
  }
  if (event === 'error') {
    ctx.stream(sources.stream(2, 0))
    throw new Error('The handler is broken')
  }
  if (event === '304') ctx.status = 304
  if (result === 'ctx.stream') return ctx.stream(sources.stream(2, 0))
  if (result === 'ctx.stream with a wrong init') return ctx.stream(sources.stream(2, 0), { status: 42 })
  if (result === 'a result of startResponse') ctx.startResponse().write(Buffer.from('hello'))
  if (result === 'two results') ctx.stream(sources.stream(2, 0))
  return sources.make(result)
}

/** Yields the bytes unchanged. Counts its start and its release. */
async function* copyOf(encoded: AsyncIterable<Uint8Array>, running: Case): AsyncGenerator<Uint8Array> {
  running.decoding++
  try {
    yield* encoded
  } finally {
    running.decoded++
  }
}

/** Begins to read the body. None of these functions awaits a promise from the library. */
const READ: Readonly<Record<Combination['reader'], (ctx: Context) => Promise<unknown>>> = {
  none: async () => {},
  bytes: (ctx) => ctx.bytes(),
  text: (ctx) => ctx.text(),
  json: (ctx) => ctx.json(),
  form: (ctx) => ctx.form(),
  stream: (ctx) => ctx.stream().getReader().read(),
  iterator: (ctx) => ctx.stream()[Symbol.asyncIterator]().next(),
  pipe: (ctx) => ctx.stream().pipeTo(new WritableStream()),
  tee: (ctx) => {
    const [one, other] = ctx.stream().tee()
    void other.getReader().read()
    return one.getReader().read()
  },
  parts: (ctx) => ctx.parts().next(),
  'part.bytes': (ctx) => ofFirstPart(ctx, (part) => part.bytes()),
  'part iterator': (ctx) => ofFirstPart(ctx, (part) => part[Symbol.asyncIterator]().next()),
  request: (ctx) => ctx.request.text(),
  'request.clone': (ctx) => {
    void ctx.request.clone().bytes()
    return ctx.request.text()
  },
  'request.body': (ctx) => ctx.request.body?.getReader().read() ?? Promise.resolve(),
  twice: (ctx) => {
    void ctx.request.text()
    return ctx.bytes()
  },
}

/** Reads the first part. Handles the rejection of its promise, which the library does not create. */
function ofFirstPart(ctx: Context, use: (part: MultipartPart) => Promise<unknown>): Promise<unknown> {
  const first = ctx.parts().next()
  const used = (async () => {
    const { value } = await first
    return value === undefined ? undefined : await use(value)
  })()
  used.catch(noop)
  return used
}

function noop(): void {}
