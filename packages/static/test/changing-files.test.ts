// Changes files in every possible way during stat calls, reads, caching and responses. A client must receive a single state of
// the file that is at least as new as its request, or an aborted response. `CHANGES=5000` runs longer.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { connect, tempFolder, testCertificate, type ClientResponse, type TestProtocol } from '@fw/testing'
import { expect, it } from 'vitest'
import { CHANGING_FILES, generationOf, GROWTH_BYTES, lengthOf, type ChangingFile } from './generations.ts'

/** Number of requests over each protocol. */
const REQUESTS = Number(process.env['CHANGES'] ?? 60)
const CLIENTS = 6
/** Requests that the server receives in one event-loop turn and within 1 ms share a stat call. */
const SHARED_MS = 5
/** Bytes that a slow client reads before it pauses. */
const SLOW_BYTES = 64 * 1024

/** One state of a file, as a client received it. */
interface State {
  readonly generation: number
  readonly bytes: number
}

/** Collects the responses for one file. */
class Witness {
  readonly file: ChangingFile
  readonly faults: string[] = []
  /** Number of responses of each kind. */
  readonly seen = { whole: 0, part: 0, unchanged: 0, cut: 0, refused: 0 }
  readonly #states = new Map<string, State>()
  #etag = ''

  constructor(file: ChangingFile) {
    this.file = file
  }

  /** The last received entity-tag. */
  get etag(): string {
    return this.#etag
  }

  /**
   * @param body The body, or the error if the response was aborted
   * @param oldest The last generation that was complete before the request
   */
  judge({ status, headers }: ClientResponse, body: Uint8Array | Error, oldest: number): void {
    const etag = headers.get('etag') ?? ''
    if (body instanceof Error) this.#cut(status, body)
    else if (status === 304) this.#unchanged(etag, oldest)
    else if (status === 200) this.#sent(etag, body, 0, body.byteLength, oldest)
    else if (status === 206) {
      const [, start, size] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? []
      this.#sent(etag, body, Number(start), Number(size), oldest)
    } else this.#refused(status)
  }

  #cut(status: number, error: Error): void {
    this.seen.cut++
    if (!['rewritten', 'truncated'].includes(this.file.kind))
      this.faults.push(`${status} was cut off: ${error.message}`)
  }

  #refused(status: number): void {
    this.seen.refused++
    const isExpected =
      (status === 404 && this.file.kind === 'deleted') ||
      // The file changed during every attempt, or became too short for the range.
      ([503, 416].includes(status) && ['rewritten', 'truncated'].includes(this.file.kind))
    if (!isExpected) this.faults.push(`status ${status}`)
  }

  #unchanged(etag: string, oldest: number): void {
    this.seen.unchanged++
    const state = this.#states.get(etag)
    if (state === undefined) this.faults.push(`304 for ${etag}, which no response had`)
    else if (state.generation < oldest) this.faults.push(`304 for generation ${state.generation} after ${oldest}`)
  }

  #sent(etag: string, body: Uint8Array, start: number, size: number, oldest: number): void {
    if (size === body.byteLength) this.seen.whole++
    else this.seen.part++
    const generation = body.byteLength < 16 ? undefined : generationOf(body, start)
    if (body.byteLength < 16 && this.file.kind === 'rewritten') return
    if (generation === undefined) {
      this.faults.push(`${body.byteLength} bytes from ${start} of ${size} are not from one generation`)
      return
    }
    if (generation < oldest) this.faults.push(`generation ${generation} after ${oldest}`)
    if (!this.#lengths(generation, size)) this.faults.push(`generation ${generation} with ${size} bytes`)
    const before = this.#states.get(etag)
    if (before !== undefined && (before.generation !== generation || before.bytes !== size)) {
      this.faults.push(`${etag} was generation ${before.generation} of ${before.bytes}, now ${generation} of ${size}`)
    }
    this.#states.set(etag, { generation, bytes: size })
    this.#etag = etag
  }

  /** Reports whether the file of a generation ever had this length. */
  #lengths(generation: number, size: number): boolean {
    const whole = lengthOf(this.file, generation)
    if (this.file.kind === 'rewritten') return size <= whole
    if (this.file.kind === 'truncated') return size === whole || size === whole / 2
    if (this.file.kind === 'grown') return size === whole || size === whole + GROWTH_BYTES
    return size === whole
  }
}

/** Reads the body like a client that is sometimes slow. Returns the error if the response is aborted. */
async function bodyOf(response: ClientResponse, random: () => number): Promise<Uint8Array | Error> {
  const slices: Uint8Array[] = []
  const isSlow = random() < 0.3
  let pauseAfter = SLOW_BYTES
  try {
    for await (const slice of response.body) {
      slices.push(slice)
      pauseAfter -= slice.byteLength
      if (!isSlow || pauseAfter > 0) continue
      await delay(1)
      pauseAfter = SLOW_BYTES
    }
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
  return Buffer.concat(slices)
}

it.each<TestProtocol>(['h1', 'h2', 'h3'])(
  'sends one version of a file that changes, or aborts the response (%s)',
  async (protocol) => {
    // The HTTP/3 client is by far the slowest.
    const requests = protocol === 'h3' ? REQUESTS / 4 : REQUESTS
    await using folder = await tempFolder({})
    const complete = new SharedArrayBuffer(CHANGING_FILES.length * 4)
    const generations = new Int32Array(complete)
    const writer = new Worker(new URL('changing-writer.ts', import.meta.url), {
      workerData: { directory: folder.path, complete },
    })
    await expect.poll(() => Atomics.load(generations, CHANGING_FILES.length - 1)).toBeGreaterThan(0)
    const { key, cert } = await testCertificate()
    const tls = protocol === 'h1' ? [] : [JSON.stringify({ key, cert })]
    const program = fileURLToPath(new URL('usage-server.ts', import.meta.url))
    const server = fork(program, [folder.path, ...tls], { silent: true, execArgv: ['--expose-gc'] })
    const witnesses = CHANGING_FILES.map((file) => new Witness(file))
    try {
      const [{ port }] = (await once(server, 'message', { signal: AbortSignal.timeout(60_000) })) as [{ port: number }]
      let left = requests
      const wholes = (): number => witnesses.reduce((sum, { seen }) => sum + seen.whole, 0)
      const ask = async (random: () => number): Promise<void> => {
        const client = await connect(protocol, { port })
        // If every response were aborted or refused, the test would prove nothing.
        while (left-- > 0 || wholes() <= requests / 4) {
          const index = Math.floor(random() * witnesses.length)
          const witness = witnesses[index]
          if (witness === undefined) continue
          const oldest = Atomics.load(generations, index)
          await delay(SHARED_MS)
          const headers: [string, string][] = []
          if (random() < 0.2) headers.push(['range', `bytes=${Math.floor(random() * witness.file.bytes * 0.4)}-`])
          else if (random() < 0.3 && witness.etag !== '') headers.push(['if-none-match', witness.etag])
          const response = await client.request({ path: `/${witness.file.name}`, headers })
          witness.judge(response, await bodyOf(response, random), oldest)
        }
        await client.close()
      }
      await Promise.all(Array.from({ length: CLIENTS }, () => ask(Math.random)))
    } finally {
      server.kill('SIGKILL')
      await writer.terminate()
    }
    if (REQUESTS > 1000) for (const { file, seen } of witnesses) console.log(protocol, file.name, seen)
    expect(witnesses.flatMap(({ file, faults }) => faults.map((fault) => `${file.name}: ${fault}`))).toEqual([])
  },
  180_000 + REQUESTS * 200,
)
