import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { percentile } from '../statistics.ts'
import { urlOf, type Load, type LoadTarget } from './load.ts'
import { runGenerator } from './run-generator.ts'

/** Generates HTTP/2 load with `h2load` on one thread. @throws {Error} if a request fails or has an error status */
export async function h2load(target: LoadTarget, seconds: number): Promise<Load> {
  const { request, shape, folder } = target
  const [body, log] = [join(folder, 'h2load-body'), join(folder, 'h2load-log')]
  await rm(log, { force: true })
  if (request.body !== undefined) await writeFile(body, request.body)
  const output = await runGenerator([
    'h2load',
    '--threads=1',
    `--clients=${shape.connections}`,
    `--max-concurrent-streams=${shape.depth ?? 1}`,
    `--duration=${seconds}`,
    `--log-file=${log}`,
    ...Object.entries(request.headers).map(([name, value]) => `--header=${name}: ${value}`),
    ...(request.body === undefined ? [] : [`--data=${body}`]),
    urlOf(target),
  ])
  const { requests, bytes } = readReport(output)
  const { p50Ms, p99Ms } = readLatency(await readFile(log, 'latin1'))
  return { requests, seconds, bytes, p50Ms, p99Ms }
}

/** Parses the report of h2load. @returns the number of responses and the bytes of their content */
function readReport(output: string): { requests: number; bytes: number } {
  const [, done, succeeded] = /(\d+) done, (\d+) succeeded/.exec(output) ?? []
  if (done === undefined || done === '0') throw new Error('The server sent no response')
  if (done !== succeeded) throw new Error(`${succeeded} of ${done} requests succeeded`)
  return { requests: Number(done), bytes: Number(/\((\d+)\) data/.exec(output)?.[1]) }
}

/** Parses the log: each line has the start, status and duration in microseconds of one request. */
function readLatency(log: string): { p50Ms: number; p99Ms: number } {
  const micros = log.split('\n').flatMap((line) => (line === '' ? [] : [Number(line.split('\t')[2])]))
  const sorted = Float64Array.from(micros).toSorted()
  return { p50Ms: percentile(sorted, 0.5) / 1000, p99Ms: percentile(sorted, 0.99) / 1000 }
}
