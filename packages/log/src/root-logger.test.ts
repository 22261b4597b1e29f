import { describe, expect, it } from 'vitest'
import { Level } from './level.ts'
import { createLogger, makeRootLogger, type LogOptions } from './root-logger.ts'
import { MemorySink } from './sinks/memory-sink.ts'

describe('createLogger', () => {
  it('starts at Info', () => {
    expect(createLogger().getLevel()).toBe(Level.Info)
  })

  it('does not share its level and sinks with other loggers', () => {
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
      /^createLogger: unknown option "asynchronous"\. Known options: level, sinks, async,/,
    ],
    ['a misspelled option', { Level: 1 }, /^createLogger: unknown option "Level"\. Did you mean "level"\?/],
    [
      'an unknown level',
      { level: 9 },
      /^createLogger: option "level" must be one of Level\.Trace \(0\) to Level\.Off \(6\) or a name such as "debug", got 9\./,
    ],
    [
      'an unknown level name',
      { level: 'verbose' },
      /must be one of .*, got "verbose"\. Use a constant such as Level\.Info, or "trace", "debug", .* or "off"\.$/,
    ],
    [
      'an object that is not a sink',
      { sinks: [{}] },
      /^createLogger: option "sinks\[0\]" must be a sink with write\(\), .* got an object\. Add the method write\(\)\.$/,
    ],
    [
      'sinks that are not an array',
      { sinks: new MemorySink() },
      /^createLogger: option "sinks" must be an array of sinks, got a MemorySink\./,
    ],
    ['a flag that is not a boolean', { async: 1 }, /^createLogger: option "async" must be true or false, got 1\./],
    [
      'an interval that is text',
      { flushIntervalMs: '1' },
      /^createLogger: option "flushIntervalMs" must be an integer from 0 to 60000, got "1"\. Convert/,
    ],
    ['a negative interval', { flushIntervalMs: -1 }, /"flushIntervalMs" must be an integer from 0 to 60000, got -1\./],
    ['an empty queue', { maxQueueSize: 0 }, /"maxQueueSize" must be an integer from 1 to 16777216, got 0\./],
    [
      'an unknown overflow',
      { overflow: 'wait' },
      /^createLogger: option "overflow" must be "drop" or "block", got "wait"\./,
    ],
    ['options that are not an object', 'info', /^createLogger: options must be an object, got "info"\./],
    ['null', null, /^createLogger: options must be an object, got null\./],
  ])('rejects %s', (_what, options, message) => {
    expect(() => createLogger(options as LogOptions)).toThrow(message)
  })
})

describe('configure', () => {
  it('keeps the current sinks if the option sinks is missing', () => {
    const memory = new MemorySink()
    const logger = makeRootLogger()
    logger.setSinks([memory])
    logger.configure({ level: Level.Debug }, 'init')
    logger.debug('x')
    expect(memory.messages()).toEqual(['x'])
  })

  it('resets the level to Info if the option level is missing', () => {
    const logger = makeRootLogger()
    logger.setLevel(Level.Error)
    logger.configure({}, 'init')
    expect(logger.getLevel()).toBe(Level.Info)
  })

  it('changes nothing if an option is invalid', () => {
    const memory = new MemorySink()
    const logger = makeRootLogger()
    logger.setSinks([memory])
    const bad = { level: Level.Debug, sinks: [{}] } as unknown as LogOptions
    expect(() => logger.configure(bad, 'init')).toThrow(TypeError)
    logger.info('still here')
    expect([logger.getLevel(), memory.messages()]).toEqual([Level.Info, ['still here']])
  })
})

describe('setLevel', () => {
  it.each(['debug', 'DEBUG', Level.Debug] as const)('accepts %j', (level) => {
    const logger = createLogger({ level })
    expect(logger.getLevel()).toBe(Level.Debug)
    logger.setLevel('off')
    logger.setLevel(level)
    expect(logger.getLevel()).toBe(Level.Debug)
  })

  it.each([7, -1, 1.5, 'verbose', undefined])('rejects %j and keeps the level', (level) => {
    const logger = createLogger({ level: Level.Warn })
    expect(() => logger.setLevel(level as Level)).toThrow(/^setLevel: level must be one of /)
    expect(logger.getLevel()).toBe(Level.Warn)
  })
})

describe('shutdown', () => {
  it('flushes but still writes later records', () => {
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

it('counts written and dropped records, flushes and sink errors', async () => {
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
  logger.info('without sinks')
  logger.addSink(broken)
  logger.info('c')
  expect(logger.stats()).toEqual({ written: 2, dropped: 0, queued: 0, flushes: 3, sinkErrors: 1 })
})
