import type { LogRecord, Sink } from '@fw/types'
import { describe, expect, it } from 'vitest'
import { logRecord as record } from './testing.ts'
import { FailureReport } from './failure-report.ts'
import { FanOut } from './fan-out.ts'
import { sinkAbilities, type LogSink, type SinkAbilities } from './sinks/log-sink.ts'
import { MemorySink } from './sinks/memory-sink.ts'

const noSinks = (): LogSink[] => []

/** Returns a sink with these members, and defaults for the others. */
function sinkWith(parts: Partial<LogSink>): LogSink {
  return { write() {}, flush() {}, close() {}, ...parts }
}

/** Returns a sink with these abilities that ignores all records. */
function sinkAble(abilities: SinkAbilities): LogSink {
  return sinkWith({ [sinkAbilities]: abilities })
}

function failing(error: unknown = new Error('broken')): LogSink {
  return sinkWith({
    write() {
      throw error
    },
  })
}

function start(...sinks: LogSink[]): { fanOut: FanOut; reports: string[] } {
  const reports: string[] = []
  const fanOut = new FanOut(noSinks, new FailureReport((line) => reports.push(line)))
  fanOut.set(sinks)
  return { fanOut, reports }
}

describe('deliver', () => {
  it('passes each record to every sink', () => {
    const [first, second] = [new MemorySink(), new MemorySink()]
    start(first, second).fanOut.deliver(record())
    expect([first.size(), second.size()]).toEqual([1, 1])
  })

  it("skips a sink whose level is above the record's", () => {
    const [all, errors] = [new MemorySink(), new MemorySink({ level: 4 })]
    const { fanOut } = start(all, errors)
    for (const level of [0, 3, 4, 5] as const) fanOut.deliver(record({ level }))
    expect([all.size(), errors.size()]).toEqual([4, 2])
  })

  it('flushes only after Error and Fatal', () => {
    const log: string[] = []
    const sink = sinkWith({
      write: ({ level }: LogRecord) => void log.push(`write ${level}`),
      flush: () => void log.push('flush'),
    })
    const { fanOut } = start(sink)
    for (const level of [0, 1, 2, 3, 4, 5] as const) fanOut.deliver(record({ level }))
    expect(log).toEqual(['write 0', 'write 1', 'write 2', 'write 3', 'write 4', 'flush', 'write 5', 'flush'])
  })

  it('drops and counts a record that a sink logs in write', () => {
    const memory = new MemorySink()
    const { fanOut } = start(sinkWith({ write: () => fanOut.deliver(record({ message: 'inner' })) }), memory)
    fanOut.deliver(record({ message: 'outer' }))
    fanOut.deliver(record({ message: 'outer' }))
    expect(memory.messages()).toEqual(['outer', 'outer'])
    expect(fanOut.stats).toMatchObject({ written: 2, dropped: 2 })
  })
})

describe('a sink that drops a record', () => {
  const dropping = sinkWith({ write: () => false })

  it('increases the number of dropped records', () => {
    const { fanOut } = start(dropping)
    fanOut.deliver(record())
    expect(fanOut.stats).toMatchObject({ written: 0, dropped: 1, sinkErrors: 0 })
  })

  it('does not reduce the number of written records if another sink accepts the record', () => {
    const { fanOut } = start(dropping, new MemorySink())
    fanOut.deliver(record())
    expect(fanOut.stats).toMatchObject({ written: 1, dropped: 1 })
  })
})

/** Returns a sink that records when its queue starts and ends. */
function queueable(): { sink: LogSink; said: string[]; fail: () => void } {
  const said: string[] = []
  let given: Parameters<NonNullable<SinkAbilities['useQueue']>>[0]
  const useQueue: SinkAbilities['useQueue'] = (settings) => {
    said.push(settings === undefined ? 'none' : settings.overflow)
    given = settings
  }
  return { sink: sinkAble({ useQueue, queued: () => 3 }), said, fail: () => given?.onFailure(new Error('thread died')) }
}

it("reads a sink's abilities once, when the sink is added", () => {
  let reads = 0
  const calls: string[] = []
  const sink = Object.defineProperty(sinkWith({}), sinkAbilities, {
    get: (): SinkAbilities => {
      reads++
      return { usesLocation: false, queued: () => 2, writeCall: ({ format }) => calls.push(format) > 0 }
    },
  })
  const { fanOut } = start(sink)
  fanOut.add(sink)
  fanOut.set([sink])
  expect([fanOut.usesLocation, fanOut.takesCalls, fanOut.stats.queued]).toEqual([false, true, 2])
  fanOut.deliver(record())
  fanOut.deliverCall(2, undefined, '', 'a', [])
  fanOut.deliverCall(2, undefined, '', 'b', [])
  expect([reads, calls]).toEqual([1, ['a', 'b']])
})

describe('a sink that can use a queue', () => {
  const SETTINGS = { flushIntervalMs: 1, maxQueueSize: 10, overflow: 'drop' } as const

  it('uses its queue while it belongs to an asynchronous logger', () => {
    const [first, second] = [queueable(), queueable()]
    const { fanOut } = start(first.sink)
    fanOut.useQueue(SETTINGS)
    fanOut.add(second.sink)
    expect(fanOut.stats.queued).toBe(6)
    fanOut.set([second.sink])
    fanOut.useQueue(undefined)
    fanOut.useQueue(undefined)
    expect([first.said, second.said]).toEqual([
      ['drop', 'none'],
      ['drop', 'none'],
    ])
  })

  it("reports its thread's failure as a sink failure", () => {
    const { sink, fail } = queueable()
    const { fanOut, reports } = start(sink)
    fanOut.useQueue(SETTINGS)
    fail()
    expect(fanOut.stats.sinkErrors).toBe(1)
    expect(reports).toEqual([expect.stringContaining('thread died')])
  })

  it('does not affect other sinks if its queue fails to start', () => {
    const broken = sinkAble({
      useQueue() {
        throw new Error('cannot')
      },
    })
    const good = queueable()
    const { fanOut } = start(broken, good.sink)
    fanOut.useQueue(SETTINGS)
    expect(good.said).toEqual(['drop'])
    expect(fanOut.stats.sinkErrors).toBe(1)
  })
})

describe('a sink that fails', () => {
  it('does not affect the caller or later sinks', () => {
    const memory = new MemorySink()
    const { fanOut, reports } = start(failing(), memory, failing('text'))
    expect(() => fanOut.deliver(record())).not.toThrow()
    expect(memory.size()).toBe(1)
    expect(fanOut.stats).toMatchObject({ written: 1, sinkErrors: 2 })
    expect(reports).toEqual([expect.stringContaining('broken'), expect.stringContaining('text')])
  })

  it('receives the next record', () => {
    let calls = 0
    const sink = sinkWith({
      write() {
        if (++calls === 1) throw new Error('once')
      },
    })
    const { fanOut } = start(sink)
    fanOut.deliver(record())
    fanOut.deliver(record())
    expect(fanOut.stats).toMatchObject({ written: 1, sinkErrors: 1 })
  })

  it('does not cause a rejection if it fails in flush, immediately or later', async () => {
    const { fanOut } = start(
      sinkWith({
        flush() {
          throw new Error('at once')
        },
      }),
      sinkWith({ flush: () => Promise.reject(new Error('later')) }),
    )
    await expect(fanOut.flush()).resolves.toBeUndefined()
    fanOut.deliver(record({ level: 4 }))
    await fanOut.flush()
    expect(fanOut.stats.sinkErrors).toBe(6)
  })

  it('does not crash the process if its write is async and rejects', async () => {
    const write = (async () => {
      throw new Error('rejected')
    }) as unknown as Sink['write']
    const { fanOut, reports } = start(sinkWith({ write }))
    fanOut.deliver(record())
    await new Promise(setImmediate)
    expect(reports).toEqual([expect.stringContaining('rejected')])
  })
})

describe('flush', () => {
  it('waits for a sink that flushes asynchronously', async () => {
    let done = false
    const { promise, resolve } = Promise.withResolvers<void>()
    const { fanOut } = start(sinkWith({ flush: () => promise.then(() => void (done = true)) }))
    const flushed = fanOut.flush()
    expect(done).toBe(false)
    resolve()
    await flushed
    expect(done).toBe(true)
  })

  it('increases the number of flushes', async () => {
    const { fanOut } = start(new MemorySink())
    await fanOut.flush()
    fanOut.deliver(record({ level: 5 }))
    expect(fanOut.stats.flushes).toBe(2)
  })
})

describe('the list of sinks', () => {
  it('contains the default sinks after the first record', () => {
    const memory = new MemorySink()
    let made = 0
    const fanOut = new FanOut(() => {
      made++
      return [memory]
    })
    expect(made).toBe(0)
    fanOut.deliver(record())
    fanOut.deliver(record())
    expect([made, memory.size()]).toEqual([1, 2])
  })

  it('keeps the default sinks when a sink is added', () => {
    const [first, added] = [new MemorySink(), new MemorySink()]
    const fanOut = new FanOut(() => [first])
    fanOut.add(added)
    fanOut.deliver(record())
    expect([first.size(), added.size()]).toEqual([1, 1])
  })

  it('contains no default sinks after sinks are set', () => {
    const fanOut = new FanOut(() => {
      throw new Error('not asked for')
    })
    fanOut.set([])
    fanOut.deliver(record())
    expect(fanOut.stats.written).toBe(0)
  })

  it('flushes replaced sinks and does not close them', () => {
    const log: string[] = []
    const { fanOut } = start(sinkWith({ flush: () => void log.push('flush'), close: () => void log.push('close') }))
    fanOut.set([])
    expect(log).toEqual(['flush'])
  })

  it('contains each sink once', () => {
    const memory = new MemorySink()
    const { fanOut } = start(memory, memory)
    fanOut.add(memory)
    fanOut.deliver(record())
    expect(memory.size()).toBe(1)
  })

  it.each([[undefined], [null], [{}], ['console'], [{ write() {} }], [{ write() {}, flush() {} }]])(
    'rejects %o',
    (sink) => {
      const { fanOut } = start()
      expect(() => fanOut.add(sink as Sink)).toThrow(
        /^addSink: sink must be a sink with write\(\), flush\(\) and close\(\), got .*\. (?:Add the method|Use a sink)/,
      )
      expect(() => fanOut.set([sink as Sink])).toThrow(/^setSinks: sinks\[0\] must be a sink with /)
      expect(() => fanOut.set([sink as Sink])).toThrow(TypeError)
    },
  )

  it.each([
    ['no sink', [], false],
    ['one sink without the ability', [sinkWith({})], true],
    ['one sink that does not', [sinkAble({ usesLocation: false })], false],
    [
      'one sink that does, one that does not',
      [sinkAble({ usesLocation: false }), sinkAble({ usesLocation: true })],
      true,
    ],
  ])('reports whether any sink reads the location: %s', (_what, sinks, expected) => {
    expect(start(...sinks).fanOut.usesLocation).toBe(expected)
  })
})
