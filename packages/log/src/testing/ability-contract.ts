import { deepEqual, equal, notEqual, ok } from 'node:assert/strict'
import { threadId } from 'node:worker_threads'
import type { LogRecord } from '@fw/types'
import type { QueueSettings } from '../async/queued-writer.ts'
import { formatMessage } from '../format/format.ts'
import type { Level } from '../level.ts'
import { PlainCall } from '../lines/plain-call.ts'
import { sinkAbilities, type SinkAbilities } from '../sinks/log-sink.ts'
import { logRecord } from './log-record.ts'
import type { SinkUnderTest, TestFunction } from './sink-under-test.ts'

/** Prefixes, formats and arguments of calls that need no record. */
const CALLS: readonly (readonly [prefix: string, format: string, args: readonly (string | number)[]])[] = [
  ['', 'listening', []],
  ['[a] ', '{} of {}', []],
  ['[a] ', '{} of {:>4}|', ['one', 2]],
  ['[é] ', '{0}{0} {{}}', ['a\nb\u2028']],
  ['', 'left over', [1, 'two']],
  ['', '{} and {}', [0.1]],
]

const LOCATION = { file: '/src/app.ts', line: 7, functionName: 'main' }

/** Registers the tests for a sink's abilities. A sink without an ability passes its test. */
export function abilityContract(make: () => SinkUnderTest, it: TestFunction): void {
  it('keeps every record in order when its queue starts and ends', async () => {
    const { sink, entries, abilities, failures } = start(make)
    const messages = Array.from({ length: 120 }, (_, at) => `message-${at}-`)
    for (const [at, message] of messages.entries()) {
      if (at % 30 === 0) abilities.useQueue?.(at % 60 === 0 ? undefined : settingsFor(failures))
      notEqual(sink.write(logRecord({ message })), false)
    }
    abilities.useQueue?.(undefined)
    await sink.flush()
    const found = entries()
    equal(found.length, messages.length)
    messages.forEach((message, at) => ok(found[at]?.includes(message), `${found[at]} does not include ${message}`))
    deepEqual(failures, [])
    await sink.close()
  })

  it('counts queued records, and reports none after flush', async () => {
    const { sink, entries, abilities, failures } = start(make)
    equal(queued(abilities), 0)
    abilities.useQueue?.(settingsFor(failures))
    for (let at = 1; at <= 20; at++) {
      sink.write(logRecord())
      ok(queued(abilities) >= 0 && queued(abilities) <= at, `${queued(abilities)} records are queued after ${at}`)
    }
    await sink.flush()
    equal(queued(abilities), 0)
    equal(entries().length, 20)
    await sink.close()
  })

  for (const mode of ['synchronous', 'asynchronous']) {
    it(`writes the same entry for a call and for its record in ${mode} mode`, async () => {
      const { sink, entries, abilities, failures } = start(make)
      if (abilities.writeCall === undefined) return
      if (mode === 'asynchronous') abilities.useQueue?.(settingsFor(failures))
      for (const [at, [prefix, format, args]] of CALLS.entries()) {
        const call = new PlainCall()
        call.renew((at % 6) as Level, at % 2 === 0 ? LOCATION : undefined, prefix, format, args)
        equal(abilities.writeCall(call), true)
        sink.write(recordOf(call))
      }
      await sink.flush()
      const found = entries()
      equal(found.length, 2 * CALLS.length)
      for (let at = 0; at < found.length; at += 2) equal(found[at], found[at + 1])
      deepEqual(failures, [])
      await sink.close()
    })
  }

  it('does not read the location if usesLocation is false', async () => {
    const { sink, entries, abilities } = start(make)
    if (abilities.usesLocation !== false) return
    const location = Object.defineProperties({ ...LOCATION }, { file: { get: failRead }, line: { get: failRead } })
    sink.write(logRecord({ location }))
    const call = new PlainCall()
    call.renew(2, location, '', 'hello', [])
    abilities.writeCall?.(call)
    await sink.flush()
    equal(entries().length, abilities.writeCall === undefined ? 1 : 2)
    await sink.close()
  })

  it('accepts no calls and does not start a queue after close', async () => {
    const { sink, entries, abilities, failures } = start(make)
    sink.write(logRecord())
    await sink.close()
    const closed = [...entries()]
    abilities.useQueue?.(settingsFor(failures))
    const call = new PlainCall()
    call.renew(2, undefined, '', 'after', [])
    if (abilities.writeCall !== undefined) equal(abilities.writeCall(call), false)
    notEqual(sink.write(logRecord({ message: 'after' })), true)
    await sink.flush()
    abilities.useQueue?.(undefined)
    equal(queued(abilities), 0)
    deepEqual([...entries()], closed)
    deepEqual(failures, [])
  })
}

function start(make: () => SinkUnderTest): SinkUnderTest & { abilities: SinkAbilities; failures: Error[] } {
  const made = make()
  return { ...made, abilities: made.sink[sinkAbilities] ?? {}, failures: [] }
}

function failRead(): never {
  throw new Error('the location was read')
}

function settingsFor(failures: Error[]): QueueSettings {
  return { flushIntervalMs: 1, maxQueueSize: 1000, overflow: 'block', onFailure: (error) => failures.push(error) }
}

function queued(abilities: SinkAbilities): number {
  return abilities.queued?.() ?? 0
}

/** Returns the record that a logger creates for sinks without `writeCall`. */
function recordOf({ level, timeMs, prefix, format, args, location }: PlainCall): LogRecord {
  return { level, timeMs, message: prefix + formatMessage(format, args), location, threadId, fields: undefined }
}
