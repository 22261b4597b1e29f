import { strict as assert } from 'node:assert'
import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Load, LoadTarget } from '../load/load.ts'
import type { ExpectedAnswer, LoadShape } from './scenario.ts'

/**
 * Sends the request of a target once over HTTP/1.1, as the load generator will, and compares status, type, coding and
 * every octet of the content.
 *
 * @returns Octets of the whole answer on the wire; `undefined` if it is chunked, so that it could be cut anywhere
 * @throws {Error} if the answer is another one
 */
export async function checkAnswer(target: LoadTarget, expected: ExpectedAnswer): Promise<number | undefined> {
  const { head, body } = await fetchOnce(target)
  compareAnswer(expected, {
    status: head.statusCode ?? 0,
    type: head.headers['content-type'] ?? '',
    coding: head.headers['content-encoding'] ?? '',
    body,
  })
  return head.headers['transfer-encoding'] === undefined ? headBytes(head) + body.byteLength : undefined
}

/** What came, in any version of HTTP. */
export interface ReceivedAnswer {
  readonly status: number
  readonly type: string
  readonly coding: string
  readonly body: Buffer
}

/** @throws {Error} that says in what the answer differs */
export function compareAnswer(expected: ExpectedAnswer, received: ReceivedAnswer): void {
  assert.equal(received.status, expected.status, 'The status is another one')
  assert(received.type.startsWith(expected.type ?? ''), `The type is ${received.type}, not ${expected.type}`)
  assert.equal(received.coding, expected.coding ?? '', 'The content coding is another one')
  const wanted = Buffer.from(expected.body)
  assert(
    received.body.equals(wanted),
    `The content is another one: ${received.body.byteLength} octets, expected ${wanted.byteLength}`,
  )
}

/**
 * Every answer of the load must have had the size of the one that was checked.
 *
 * @param answerBytes What `checkAnswer` returned
 * @throws {Error} if more octets came, or fewer, than the answers that were counted and those that were cut off have
 */
export function checkVolume({ requests, bytes }: Load, answerBytes: number | undefined, shape: LoadShape): void {
  if (bytes === undefined || answerBytes === undefined) return
  const begun = shape.connections * (shape.depth ?? 1)
  const [least, most] = [requests * answerBytes, (requests + begun) * answerBytes]
  assert(bytes >= least && bytes <= most, `${requests} answers came in ${bytes} octets, not in ${least}`)
}

async function fetchOnce({
  port,
  isTls,
  request,
  shape,
}: LoadTarget): Promise<{ head: IncomingMessage; body: Buffer }> {
  const { method, path, headers, body } = request
  const { promise, resolve, reject } = Promise.withResolvers<{ head: IncomingMessage; body: Buffer }>()
  const send = isTls ? requestHttps : requestHttp
  const options = { host: '127.0.0.1', port, method, path, headers, agent: false, rejectUnauthorized: false }
  const sent = send(options, (head) => {
    const slices: Buffer[] = []
    head.on('data', (slice: Buffer) => slices.push(slice))
    head.on('error', reject)
    head.on('end', () => {
      resolve({ head, body: Buffer.concat(slices) })
      head.socket.destroy()
    })
  })
  // Node would say that the connection ends, which wrk does only where it does.
  if (shape.isOnce !== true) sent.removeHeader('connection')
  sent.on('error', reject)
  sent.end(body)
  return promise
}

/** Octets of the head: the status line, a line for each field, an empty line. */
function headBytes({ statusCode, statusMessage, rawHeaders }: IncomingMessage): number {
  const fields = rawHeaders.reduce((sum, part) => sum + Buffer.byteLength(part, 'latin1') + 2, 0)
  return `HTTP/1.1 ${statusCode} ${statusMessage}\r\n`.length + fields + 2
}
