import { describe, expect, it } from 'vitest'
import { compose, type Around, type Conclusion } from './compose.ts'

interface Log {
  readonly calls: string[]
  response: unknown
}

const CONCLUSION: Conclusion<Log> = {
  conclude: (log, result) => {
    log.response = result
  },
  hasResponse: (log) => log.response !== undefined,
  discard: (result) => discarded.push(result),
}
/** Results that the chain released. */
let discarded: unknown[] = []

const newLog = (): Log => ({ calls: [], response: undefined })

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Runs a chain whose handler responds by default. */
async function run(chain: readonly Around<Log>[], handler?: (log: Log) => Promise<void> | undefined): Promise<Log> {
  const log = newLog()
  const respond = (context: Log): undefined => {
    context.calls.push('handler')
    context.response = 'handler'
  }
  await compose(chain, handler ?? respond, CONCLUSION)(log)
  return log
}

const step =
  (name: string): Around<Log> =>
  async (log, next) => {
    log.calls.push(`>${name}`)
    await next()
    log.calls.push(`<${name}`)
  }

const nothing = (): undefined => undefined

const twice: Around<Log> = async (_, next) => {
  await next()
  await next()
}

const late = async (): Promise<void> => {
  await tick()
  throw new Error('late')
}

const early = (): undefined => {
  throw new Error('early')
}

const slow = async (log: Log): Promise<void> => {
  await tick()
  log.response = 'slow'
}

const never = (): Promise<void> => new Promise(() => {})

const impatient: Around<Log> = async (log, next) => {
  await Promise.race([next(), tick()])
  log.response = 'too late'
}

const fail = async (): Promise<void> => {
  throw new Error('inner')
}

const responding: Around<Log> = async (log, next) => {
  await next().catch(() => {
    log.response = 'handled'
  })
}

const swallowing: Around<Log> = async (_, next) => {
  await next().catch(() => {})
}

describe('compose', () => {
  it('runs middleware from the outermost in, then back out', async () => {
    const { calls } = await run([step('a'), step('b')])
    expect(calls).toEqual(['>a', '>b', 'handler', '<b', '<a'])
  })

  it('stops at middleware that does not call next(), and uses its result', async () => {
    const { calls, response } = await run([step('a'), async () => 'no', step('b')])
    expect(calls).toEqual(['>a', '<a'])
    expect(response).toBe('no')
  })

  it('releases the result of middleware that called next()', async () => {
    discarded = []
    const chain: Around<Log>[] = [
      (_, next) => next(),
      (_, next) => next().then(() => 'after'),
      (_, next) => {
        void next()
        return 'without waiting'
      },
      (_, next) => void next(),
    ]
    const { response } = await run(chain)
    expect(response).toBe('handler')
    expect(discarded).toEqual(['without waiting', 'after'])
  })

  it('stays synchronous if every step is synchronous', () => {
    const log = newLog()
    const chain: Around<Log>[] = [(_, next) => void next(), (_, next) => next()]
    const result = compose(
      chain,
      (context) => {
        context.response = 1
        return undefined
      },
      CONCLUSION,
    )(log)
    expect(result).toBeUndefined()
    expect(log.response).toBe(1)
  })

  it('adds no promise if middleware returns the promise from next()', async () => {
    const promise = Promise.resolve()
    const composed = compose<Log>([(_, next) => next(), (_, next) => next()], () => promise, CONCLUSION)
    expect(composed(newLog())).toBe(promise)
  })

  it('returns the handler itself without middleware', () => {
    expect(compose([], nothing, CONCLUSION)).toBe(nothing)
  })

  it('rejects a second call to next()', async () => {
    await expect(run([twice])).rejects.toThrow('next() was called twice')
  })

  it.each<[string, Around<Log>]>([
    ['awaits', async (_, next) => await next()],
    ['returns', (_, next) => next()],
    ['does not await', (_, next) => void next()],
    ['does not await, in an async function,', async (_, next) => void next()],
  ])('propagates an error through middleware that %s next()', async (_, middleware) => {
    await expect(run([step('a'), middleware], late)).rejects.toThrow('late')
    await expect(run([step('a'), middleware], early)).rejects.toThrow('early')
  })

  it('waits for the handler even if middleware does not', async () => {
    expect((await run([async (_, next) => void next()], slow)).response).toBe('slow')
    expect((await run([(_, next) => void next()], slow)).response).toBe('slow')
  })

  it('does not wait for a handler if middleware has responded', async () => {
    expect((await run([impatient], never)).response).toBe('too late')
  })

  it('treats an error as handled only if middleware responds', async () => {
    expect((await run([responding], fail)).response).toBe('handled')
    await expect(run([swallowing], fail)).rejects.toThrow('inner')
  })
})
