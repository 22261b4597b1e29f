import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runScript, temporaryDirectory } from './run-script.ts'

const ENDS = [
  ['process.exit', 'process.exit(0)'],
  ['the end of the program', ''],
  ['an uncaught exception', 'throw new Error("uncaught")'],
  ['an unhandled rejection', 'await Promise.reject(new Error("rejected"))'],
  ['SIGTERM', 'process.kill(process.pid, "SIGTERM"); while (true);'],
  ['SIGKILL', 'process.kill(process.pid, "SIGKILL"); while (true);'],
  ['abort', 'process.abort()'],
] as const

const LOG_MANY = 'for (let at = 0; at < 1000; at++) log.info("line {}", at)'
const MANY = Array.from({ length: 1000 }, (_, at) => `line ${at}`)

function messagesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => /\] (line \d+)$/.exec(line)?.[1] ?? [])
}

describe('what was logged is not lost', () => {
  it.each(ENDS)('on the console: %s', (_what, end) => {
    const { stdout } = runScript(`${LOG_MANY}; ${end}`)
    expect(messagesOf(stdout)).toEqual(MANY)
  })

  it.each(ENDS)('in a file: %s', (_what, end) => {
    const path = join(temporaryDirectory(), 'app.log')
    runScript(`log.init({ sinks: [new log.FileSink(process.argv[2] ?? '')] }); ${LOG_MANY}; ${end}`, { args: [path] })
    expect(messagesOf(readFileSync(path, 'utf8'))).toEqual(MANY)
  })

  it.each(ENDS.slice(0, 4))('in a sink that holds records until it is flushed: %s', (_what, end) => {
    const { stdout } = runScript(`
import { writeSync } from 'node:fs'
const held: string[] = []
log.setSinks([{
  write: ({ message }) => void held.push('] ' + message),
  flush: () => void writeSync(1, held.splice(0).join('\\n') + '\\n'),
  close() {},
}])
${LOG_MANY}; ${end}`)
    expect(messagesOf(stdout)).toEqual(MANY)
  })
})

it('a logger keeps no process alive', () => {
  const { status, signal } = runScript(`log.info('x')`)
  expect([status, signal]).toEqual([0, null])
})

it('a worker thread logs by itself and shows its thread', () => {
  const { stdout } = runScript(`
import { Worker, isMainThread } from 'node:worker_threads'
log.init({ sinks: [new log.ConsoleSink({ showThreadId: true })] })
log.info('from {}', isMainThread ? 'main' : 'worker')
if (isMainThread) new Worker(new URL(import.meta.url))`)
  expect(stdout).toMatch(/\[t:0\] \[script\.ts:5\] from main\n.*\[t:1\] \[script\.ts:5\] from worker\n$/)
})
