import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { urlOf, type Load, type LoadTarget } from './load.ts'
import { runGenerator } from './run-generator.ts'

/** Timeout that is longer than any response takes, so that a slow response increases the latency instead of failing. */
const TIMEOUT_SECONDS = 30

/** Report that the `done` function of the script prints. */
interface Report {
  readonly requests: number
  readonly bytes: number
  readonly micros: number
  readonly p50: number
  readonly p99: number
  readonly failures: number
  /** Connections that closed during a request. */
  readonly closed: number
}

/**
 * Generates HTTP/1.1 load with `wrk` on one thread.
 *
 * @throws {Error} if a connection fails or a response has an error status
 */
export async function wrk(target: LoadTarget, seconds: number): Promise<Load> {
  const script = join(target.folder, 'wrk.lua')
  await writeFile(script, wrkScript(target))
  const { connections } = target.shape
  const words = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', `${TIMEOUT_SECONDS}s`, '-s', script]
  const output = await runGenerator(['wrk', ...words, urlOf(target)])
  const { requests, bytes, micros, p50, p99, failures, closed } = readReport(output)
  // Bun honors `connection: close` but does not send it, so wrk counts the close as a read error.
  const failed = target.shape.isOnce === true ? failures : failures + closed
  if (failed > 0) throw new Error(`${failed} requests failed, ${requests} succeeded`)
  return { requests, seconds: micros / 1e6, bytes, p50Ms: p50 / 1000, p99Ms: p99 / 1000 }
}

/** Returns the script for a target. Its code runs before and after the load, not for each request. */
function wrkScript({ request, shape }: LoadTarget): string {
  const headers = shape.isOnce === true ? { ...request.headers, connection: 'close' } : request.headers
  return [
    `wrk.method = ${quoted(request.method)}`,
    ...Object.entries(headers).map(([name, value]) => `wrk.headers[${quoted(name)}] = ${quoted(value)}`),
    ...(request.body === undefined ? [] : [`wrk.body = ${quoted(request.body)}`]),
    ...pipelining(shape.depth ?? 1),
    DONE,
  ].join('\n')
}

function pipelining(depth: number): readonly string[] {
  if (depth === 1) return []
  return [
    'init = function(args)',
    `  local all = string.rep(wrk.format(), ${depth})`,
    '  request = function() return all end',
    'end',
  ]
}

const DONE = `done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format('\\nREPORT {"requests":%d,"bytes":%d,"micros":%d,"p50":%d,"p99":%d,"failures":%d,"closed":%d}\\n',
    summary.requests, summary.bytes, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.write + errors.status + errors.timeout, errors.read))
end
`

/** Returns a Lua string literal. JSON has the same escapes for ASCII. */
function quoted(text: string): string {
  return JSON.stringify(text)
}

function readReport(output: string): Report {
  const json = /^REPORT (.*)$/m.exec(output)?.[1]
  if (json === undefined) throw new Error(`wrk printed no report:\n${output}`)
  const report = JSON.parse(json) as Report
  if (!(report.requests > 0)) throw new Error('The server sent no response')
  return report
}
