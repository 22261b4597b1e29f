import { createLogger, Level, MemorySink } from '@fw/log'
import { describe, expect, it, vi } from 'vitest'
import { RequestLogger } from './request-logger.ts'

function make(
  level: Level = Level.Trace,
  prefix = '[GET /] ',
): { log: RequestLogger; sink: MemorySink; asked: () => number } {
  const sink = new MemorySink()
  const makePrefix = vi.fn(() => prefix)
  const log = new RequestLogger(createLogger({ level, sinks: [sink] }), makePrefix)
  return { log, sink, asked: () => makePrefix.mock.calls.length }
}

describe('RequestLogger', () => {
  it('logs at every level with its prefix', () => {
    const { log, sink } = make()
    log.trace('t')
    log.debug('d')
    log.info('user {} has {} items', 7, 'no')
    log.warn('w')
    log.error('e')
    log.fatal('f')
    expect(sink.records().map(({ level, message }) => [level, message])).toEqual([
      [0, '[GET /] t'],
      [1, '[GET /] d'],
      [2, '[GET /] user 7 has no items'],
      [3, '[GET /] w'],
      [4, '[GET /] e'],
      [5, '[GET /] f'],
    ])
  })

  it('does not treat its prefix or a message without arguments as a format string', () => {
    const { log, sink } = make(Level.Trace, '[{}] [GET /{0}] ')
    log.info('{"a":1} {}')
    log.info('n={}', 1)
    expect(sink.messages()).toEqual(['[{}] [GET /{0}] {"a":1} {}', '[{}] [GET /{0}] n=1'])
  })

  it('creates its prefix only once and only if it logs a record', () => {
    const { log, sink, asked } = make(Level.Warn)
    log.info('no')
    log.debug('no')
    expect(asked()).toBe(0)
    log.warn('one')
    log.error('two')
    expect(asked()).toBe(1)
    expect(sink.size()).toBe(2)
  })

  it("logs its caller's location", () => {
    const { log, sink } = make()
    log.info('here')
    expect(sink.records()[0]?.location?.file).toContain('request-logger.test.ts')
  })

  it('adds the fields of child loggers to their records', () => {
    const { log, sink } = make()
    log.with({ user: 7 }).info('x')
    expect(sink.records()[0]).toMatchObject({ message: '[GET /] x', fields: { user: 7 } })
  })

  it('checks formats at compile time', () => {
    const { log } = make(Level.Off)
    // @ts-expect-error -- one argument is missing
    log.info('{} and {}', 1)
    // @ts-expect-error -- one argument is too many
    log.with({}).warn('{}', 1, 2)
    expect(log).toBeInstanceOf(RequestLogger)
  })
})
