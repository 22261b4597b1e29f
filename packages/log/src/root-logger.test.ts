import { describe, expect, it } from 'vitest'
import { Level } from './level.ts'
import { createLogger, makeRootLogger, type LogOptions } from './root-logger.ts'
import { MemorySink } from './sinks/memory-sink.ts'

describe('createLogger', () => {
  it('starts at Info', () => {
    expect(createLogger().getLevel()).toBe(Level.Info)
  })

  it('shares nothing with another logger', () => {
    const [first, second] = [new MemorySink(), new MemorySink()]
    const logger = createLogger({ sinks: [first] })
    createLogger({ level: Level.Off, sinks: [second] }).fatal('x')
    logger.info('y')
    expect([first.messages(), second.messages()]).toEqual([['y'], []])
  })

  it.each<[string, unknown, RegExp]>([
    [
      'an unknown option',
      { asynchronous: true },
      /^Cannot create logger: unknown option 'asynchronous' \(known: level, sinks, async,/,
    ],
    ['a misspelt option', { Level: 1 }, /unknown option 'Level'/],
    ['a level that is none', { level: 9 }, /^Cannot create logger: 9 is no level/],
    ['a level by name', { level: 'info' }, /'info' is no level/],
    ['a sink that is none', { sinks: [{}] }, /as a log sink: it has no method write\(\)/],
    ['sinks that are no list', { sinks: new MemorySink() }, /^Cannot set log sinks: they must be given as an array$/],
    ['a flag that is none', { async: 1 }, /^Cannot create logger: async must be true or false, not 1$/],
    [
      'an interval in text',
      { flushIntervalMs: '1' },
      /^Cannot create logger: flushIntervalMs must be a number, not '1'$/,
    ],
    ['a negative interval', { flushIntervalMs: -1 }, /flushIntervalMs must be a whole number from 0 to 60000, not -1$/],
    ['an empty queue', { maxQueueSize: 0 }, /maxQueueSize must be a whole number from 1 to 16777216, not 0$/],
    [
      'an unknown overflow',
      { overflow: 'wait' },
      /^Cannot create logger: overflow must be 'drop' or 'block', not 'wait'$/,
    ],
    ['no object', 'info', /options must be an object/],
    ['null', null, /options must be an object/],
  ])('refuses %s', (_what, options, message) => {
    expect(() => createLogger(options as LogOptions)).toThrow(message)
  })
})

describe('configure', () => {
  it('keeps the sinks there are unless it is given others', () => {
    const memory = new MemorySink()
    const logger = makeRootLogger()
    logger.setSinks([memory])
    logger.configure({ level: Level.Debug }, 'init log')
    logger.debug('x')
    expect(memory.messages()).toEqual(['x'])
  })

  it('goes back to Info without a level', () => {
    const logger = makeRootLogger()
    logger.setLevel(Level.Error)
    logger.configure({}, 'init log')
    expect(logger.getLevel()).toBe(Level.Info)
  })

  it('changes nothing when an option is wrong', () => {
    const memory = new MemorySink()
    const logger = makeRootLogger()
    logger.setSinks([memory])
    const bad = { level: Level.Debug, sinks: [{}] } as unknown as LogOptions
    expect(() => logger.configure(bad, 'init log')).toThrow(TypeError)
    logger.info('still here')
    expect([logger.getLevel(), memory.messages()]).toEqual([Level.Info, ['still here']])
  })
})

describe('setLevel', () => {
  it.each([7, -1, 1.5, 'info', undefined])('refuses %j and keeps the level', (level) => {
    const logger = createLogger({ level: Level.Warn })
    expect(() => logger.setLevel(level as Level)).toThrow(/^Cannot set level: /)
    expect(logger.getLevel()).toBe(Level.Warn)
  })
})

describe('shutdown', () => {
  it('flushes, and later records are still written', () => {
    const log: string[] = []
    const sink = { write: () => void log.push('write'), flush: () => void log.push('flush'), close() {} }
    const logger = createLogger({ sinks: [sink] })
    logger.info('x')
    logger.shutdown()
    logger.info('y')
    logger.shutdown()
    expect(log).toEqual(['write', 'flush', 'write', 'flush'])
  })
})

it('stats counts what happened', async () => {
  const broken = {
    write() {
      throw new Error('counted, and reported on stderr')
    },
    flush() {},
    close() {},
  }
  const logger = createLogger({ sinks: [new MemorySink()] })
  expect(logger.stats()).toEqual({ written: 0, dropped: 0, queued: 0, flushes: 0, sinkErrors: 0 })
  logger.info('a')
  logger.debug('below the threshold')
  logger.error('b')
  await logger.flush()
  logger.setSinks([])
  logger.info('to nobody')
  logger.addSink(broken)
  logger.info('c')
  expect(logger.stats()).toEqual({ written: 2, dropped: 0, queued: 0, flushes: 3, sinkErrors: 1 })
})
