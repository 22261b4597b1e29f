import { describe, expect, it } from 'vitest'
import { callSite } from './call-sites/call-site.ts'
import { Level } from './level.ts'
import type { Logger } from './logger.ts'
import { createLogger, type RootLogger } from './root-logger.ts'
import { sinkAbilities } from './sinks/log-sink.ts'
import { MemorySink } from './sinks/memory-sink.ts'

const METHODS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

function start(level: Level = Level.Trace): { logger: RootLogger; memory: MemorySink } {
  const memory = new MemorySink()
  return { logger: createLogger({ level, sinks: [memory] }), memory }
}

function refuse(): never {
  throw new Error('refused')
}

/** Returns a value that reports whether it was read. */
function witness(): { readonly seen: () => boolean; readonly value: object } {
  let seen = false
  const value = {
    [Symbol.for('nodejs.util.inspect.custom')]() {
      seen = true
      return 'looked at'
    },
  }
  return { seen: () => seen, value }
}

describe('the threshold', () => {
  it.each([0, 1, 2, 3, 4, 5, 6] as const)('logs records of level %i and above', (level) => {
    const { logger, memory } = start(level)
    for (const method of METHODS) logger[method](method)
    expect(memory.messages()).toEqual(METHODS.slice(level))
    expect(memory.records().map((record) => record.level)).toEqual([0, 1, 2, 3, 4, 5].slice(level))
  })

  it.each([0, 1, 2, 3, 4, 5, 6] as const)('determines the result of isEnabled at level %i', (level) => {
    const { logger } = start(level)
    expect(Object.values(Level).filter((asked) => logger.isEnabled(asked))).toEqual([0, 1, 2, 3, 4, 5].slice(level))
  })

  it('can change at any time', () => {
    const { logger, memory } = start(Level.Warn)
    logger.info('one')
    logger.setLevel(Level.Info)
    logger.info('two')
    logger.setLevel(Level.Off)
    logger.fatal('three')
    expect(memory.messages()).toEqual(['two'])
    expect(logger.getLevel()).toBe(Level.Off)
  })

  it('does not read the arguments of a call below it', () => {
    const { logger } = start(Level.Info)
    const { seen, value } = witness()
    logger.debug('{}', value)
    logger.log(Level.Debug, '{}', value)
    expect(seen()).toBe(false)
    logger.info('{}', value)
    expect(seen()).toBe(true)
  })
})

describe('a record', () => {
  it('contains level, time, message and thread', () => {
    const { logger, memory } = start()
    const before = Date.now()
    logger.warn('{} of {}', 1, 2)
    const [record] = memory.records()
    expect(record).toMatchObject({ level: 3, message: '1 of 2', threadId: 0, fields: undefined })
    expect(record?.timeMs).toBeGreaterThanOrEqual(before)
    expect(record?.timeMs).toBeLessThanOrEqual(Date.now())
  })

  it('contains a location', () => {
    const { logger, memory } = start()
    logger.info('here')
    expect(memory.records()[0]?.location?.file).toMatch(/logger\.test\.ts$/)
  })

  it('omits the location if no sink reads it', () => {
    const memory = new MemorySink()
    const logger = createLogger({ sinks: [Object.assign(memory, { [sinkAbilities]: { usesLocation: false } })] })
    logger.info('somewhere')
    expect(memory.records()[0]?.location).toBeUndefined()
  })

  it.each<[string, (log: Logger) => void, string]>([
    ['a message without arguments unchanged', (log) => log.info('{"a": {}}'), '{"a": {}}'],
    ['an undefined argument', (log) => log.info('a {}', undefined), 'a undefined'],
    [
      'twelve arguments',
      (log) => log.info('{}{}{}{}{}{}{}{}{}{}{}{}', 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2),
      '123456789012',
    ],
    ['an error', (log) => log.error('failed: {:.12}', new Error('boom')), 'failed: Error: boom\n'],
  ])('shows %s', (_what, call, message) => {
    const { logger, memory } = start()
    call(logger)
    expect(memory.messages()).toEqual([message])
  })

  it.each([
    ['a number', 42, '42'],
    ['an object', { a: 1 }, '{ a: 1 }'],
    ['undefined', undefined, 'undefined'],
  ])('shows %s as the message of an untyped call', (_what, value, message) => {
    const { logger, memory } = start()
    const call = untyped(logger.info)
    call(value)
    call(value, 'more')
    call(value, value)
    expect(memory.messages()).toEqual([message, `more: ${message}`, `${message} ${message}`])
  })
})

describe('an error as the first argument', () => {
  const error = Object.assign(new Error('outer', { cause: new TypeError('inner') }), { code: 'E_OUTER' })

  it('shows its stack, its properties and its causes', () => {
    const { logger, memory } = start()
    logger.error(error)
    logger.log(Level.Error, error)
    const [message = '', byLevel] = memory.messages()
    expect(message).toMatch(/^Error: outer\n +at .*logger\.test\.ts/)
    expect(message).toContain("code: 'E_OUTER'")
    expect(message).toContain('[cause]: TypeError: inner\n')
    expect(byLevel).toBe(message)
  })

  it('shows the errors in an AggregateError', () => {
    const { logger, memory } = start()
    logger.fatal(new AggregateError([new Error('one', { cause: 'why' }), new Error('two')], 'all'))
    for (const text of ['AggregateError: all', 'Error: one', "[cause]: 'why'", 'Error: two']) {
      expect(memory.messages()[0]).toContain(text)
    }
  })

  it.each<[string, (logger: Logger) => void, string]>([
    ['a message', (logger) => logger.warn(error, 'failed {}'), '[p] failed {}: Error: outer\n'],
    ['a format', (logger) => logger.warn(error, 'failed {} {:.1f}', 'a', 1), '[p] failed a 1.0: Error: outer\n'],
    ['a level', (logger) => logger.log(Level.Warn, error, 'failed {}', 1), '[p] failed 1: Error: outer\n'],
  ])('follows %s', (_what, call, beginning) => {
    const { logger, memory } = start()
    call(logger.withPrefix('[p] '))
    expect(memory.messages()[0]?.slice(0, beginning.length)).toBe(beginning)
  })

  it('keeps all arguments in a copy of a method that was off', () => {
    const { logger, memory } = start(Level.Info)
    const { debug } = logger
    logger.setLevel(Level.Debug)
    debug(error, 'a {} {}', 1, undefined)
    expect(memory.messages()[0]).toMatch(/^a 1 undefined: Error: outer\n/)
  })

  it('accepts a value of type unknown', () => {
    const { logger, memory } = start()
    try {
      JSON.parse('{')
    } catch (caught) {
      logger.warn(caught)
      logger.warn(caught, 'cannot read {}', 'a.json')
    }
    expect(memory.messages()[0]).toMatch(/^SyntaxError: /)
    expect(memory.messages()[1]).toMatch(/^cannot read a\.json: SyntaxError: /)
  })
})

describe('logData', () => {
  it('passes the text and the data to sinks', () => {
    const { logger, memory } = start()
    logger.with({ app: 'shop' }).logData(Level.Warn, 'GET /{} 200', () => ({ status: 200 }))
    expect(memory.records()).toMatchObject([
      { level: Level.Warn, message: 'GET /{} 200', data: { status: 200 }, fields: { app: 'shop' } },
    ])
    expect(memory.records()[0]?.location?.file).toMatch(/logger\.test\.ts$/)
  })

  it('does not read the data below the threshold', () => {
    const { logger, memory } = start(Level.Warn)
    logger.logData(Level.Info, 'text', () => {
      throw new Error('read')
    })
    expect(memory.size()).toBe(0)
  })

  it('logs only the text if the data throws', () => {
    const { logger, memory } = start()
    logger.logData(Level.Info, 'text', () => {
      throw new Error('no')
    })
    expect(memory.records()).toMatchObject([{ message: 'text', data: undefined }])
  })
})

describe('log', () => {
  it('accepts the level as an argument', () => {
    const { logger, memory } = start(Level.Info)
    for (const level of Object.values(Level)) logger.log(level, 'at {}', level)
    expect(memory.messages()).toEqual(['at 2', 'at 3', 'at 4', 'at 5'])
  })

  it('logs even if it is called without its logger as `this`', () => {
    const { logger, memory } = start()
    const { log } = logger
    log(Level.Warn, 'copied')
    expect(memory.records()).toMatchObject([{ level: 3, message: 'copied' }])
  })
})

it('returns the same function for a method until the level changes', () => {
  const logger = createLogger({ sinks: [] })
  const child = logger.with({ a: 1 })
  for (const each of [logger, child]) {
    expect(each.log).toBe(each.log)
    expect(each.info).toBe(each.info)
    expect(each.debug).toBe(each.debug)
  }
})

describe('a copy of a method', () => {
  it('follows later changes to the level', () => {
    const { logger, memory } = start(Level.Info)
    const { debug, info } = logger
    debug('off')
    info('on')
    logger.setLevel(Level.Debug)
    debug('now {}', 'on')
    logger.setLevel(Level.Warn)
    info('off')
    expect(memory.messages()).toEqual(['on', 'now on'])
  })

  it.each<[string, unknown[], string]>([
    ['a {}', ['x'], 'a x'],
    ['a {} {}', ['x', undefined], 'a x undefined'],
    ['a {} {}', [undefined, 'x'], 'a undefined x'],
    ['{1}', [1, 2], '2'],
    ['braces {}', [], 'braces {}'],
    ['{}{}{}{}{}{}{}{}', [1, 2, 3, 4, 5, 6, 7, 8], '12345678'],
    ['failed', ['extra'], 'failed extra'],
  ])('formats %j with %j even if its level was off when it was copied', (format, args, message) => {
    const { logger, memory } = start(Level.Info)
    const debug = untyped(logger.debug)
    logger.setLevel(Level.Debug)
    debug(format, ...args)
    expect(memory.messages()).toEqual([message])
  })
})

describe('a value whose own code throws', () => {
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()
  const trapped = new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse, getPrototypeOf: refuse })

  it.each([
    ['a revoked proxy', revoked.proxy],
    ['a proxy that refuses everything', trapped],
  ])('is logged both as an argument and as the message: %s', (_name, value) => {
    const { logger, memory } = start()
    for (const method of METHODS) {
      untyped(logger[method])('{}', value)
      untyped(logger[method])(value, value)
    }
    const { info } = logger
    logger.setLevel(Level.Error)
    const { info: copyOfOff } = logger
    logger.setLevel(Level.Trace)
    untyped(info)(value)
    untyped(copyOfOff)(value)
    expect(memory.size()).toBe(2 * METHODS.length + 2)
  })

  it.each([
    ['a revoked proxy', revoked.proxy, {}],
    ['a proxy that refuses everything', trapped, {}],
    [
      'a getter that throws',
      {
        a: 1,
        get b(): unknown {
          return refuse()
        },
      },
      { a: 1, b: '<value that cannot be shown>' },
    ],
  ])('is logged as fields: %s', (_name, fields, shown) => {
    const { logger, memory } = start()
    logger.with({ id: 7 }).with(fields).info('x')
    expect(memory.records()[0]?.fields).toEqual({ id: 7, ...shown })
  })

  it('logs a placeholder for a message that exceeds the maximum length of a string', () => {
    const { logger, memory } = start()
    const longest = 'x'.repeat(2 ** 29 - 24)
    logger.info('{} and more', longest)
    logger.withPrefix('prefix ').info(longest)
    expect(memory.messages()).toEqual(Array(2).fill('<value that cannot be shown>'))
  })

  it('shows a prefix that is not a string', () => {
    const { logger, memory } = start()
    for (const prefix of [Symbol('s'), Object.create(null), 7] as unknown[])
      logger.withPrefix(prefix as string).info(' x')
    expect(memory.messages()).toEqual(['Symbol(s) x', '[Object: null prototype] {} x', '7 x'])
  })
})

describe('with', () => {
  it("adds fields only to the child's records", () => {
    const { logger, memory } = start()
    const child = logger.with({ requestId: 'r1', user: 1 })
    const grandchild = child.with({ user: 2 })
    for (const each of [logger, child, grandchild]) each.info('x')
    expect(memory.records().map(({ fields }) => fields)).toEqual([
      undefined,
      { requestId: 'r1', user: 1 },
      { requestId: 'r1', user: 2 },
    ])
  })

  it("follows the parent's level and sinks", () => {
    const { logger, memory } = start(Level.Warn)
    const child = logger.with({ a: 1 })
    child.info('off')
    logger.setLevel(Level.Info)
    child.info('on')
    logger.setSinks([])
    child.info('nowhere')
    expect(memory.messages()).toEqual(['on'])
  })

  it('ignores later changes to the object', () => {
    const { logger, memory } = start()
    const fields = { a: 1 }
    const child = logger.with(fields)
    fields.a = 2
    child.info('x')
    expect(memory.records()[0]?.fields).toEqual({ a: 1 })
  })
})

describe('withPrefix', () => {
  it('adds text before the message and never treats it as a format', () => {
    const { logger, memory } = start()
    const child = logger.withPrefix('[GET /{}{0}] ')
    child.info('done in {} ms', 3)
    child.info('as is {}')
    expect(memory.messages()).toEqual(['[GET /{}{0}] done in 3 ms', '[GET /{}{0}] as is {}'])
  })

  it('extends earlier prefixes and keeps the fields', () => {
    const { logger, memory } = start()
    logger.with({ a: 1 }).withPrefix('[a] ').withPrefix('[b] ').with({ b: 2 }).info('x')
    expect(memory.records()).toMatchObject([{ message: '[a] [b] x', fields: { a: 1, b: 2 } }])
  })
})

describe('withLocation', () => {
  const place = { file: '/src/mount.ts', line: 7, functionName: 'mount' }

  it("sets one location for all of the child's records, but not for the parent's", () => {
    const { logger, memory } = start()
    const child = logger.with({ a: 1 }).withLocation(place)
    child.info('x')
    child.withPrefix('[p] ').error('y')
    logger.info('z')
    expect(memory.records()).toMatchObject([
      { location: place, message: 'x', fields: { a: 1 } },
      { location: place, message: '[p] y' },
      { location: { file: import.meta.filename } },
    ])
  })

  it('removes the location', () => {
    const { logger, memory } = start()
    logger.withLocation(undefined).info('x')
    expect(memory.records()).toMatchObject([{ location: undefined }])
  })
})

function untyped(method: unknown): (...args: unknown[]) => void {
  return method as (...args: unknown[]) => void
}

describe('a call marked with its location', () => {
  const site = callSite('/src/app.ts', 7, 'main')
  it.each([
    [[site, 'plain {}'], 'plain {}'],
    [[site, '{} of {}', 1, 2], '1 of 2'],
    [[site, 'left over', 1], 'left over 1'],
  ])('logs %j with that location and the message %s', (args, message) => {
    const { logger, memory } = start()
    untyped(logger.info)(...args)
    expect(memory.records()).toMatchObject([{ location: site.location, message }])
  })

  it('logs its location through a method copied while its level was off', () => {
    const { logger, memory } = start(Level.Info)
    const debug = untyped(logger.debug)
    logger.setLevel(Level.Debug)
    debug(site, 'a {} {}', 1, undefined)
    debug(site, 'b {}')
    expect(memory.records()).toMatchObject([
      { location: site.location, message: 'a 1 undefined' },
      { location: site.location, message: 'b {}' },
    ])
  })
})
