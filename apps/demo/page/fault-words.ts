import type { FaultMessage, FaultName, RequestMessage } from '../src/live/messages.ts'
import { count, duration } from './format.ts'

/** A sentence about a fault: what the client saw, and what the log contains. */
export interface FaultWords {
  readonly seen: string
  readonly rest: string
}

/** Texts to show while a fault is in progress. */
export const WAITING: Readonly<Record<FaultName, string>> = {
  throw: 'Calling a handler that throws …',
  sleep: 'Calling a handler that sleeps for 5 s. Its route has timeoutMs: 1000 …',
  large: 'Sending 2 MB to a route that accepts 1 MiB …',
  garbled: 'Sending a head with two Host fields and a space before a colon …',
  drip: 'Sending a head at one byte per second. The limit is 15 s in total …',
  leave: 'Sending a request, and disconnecting after 0.3 s …',
}

/**
 * Returns the sentence about a fault.
 *
 * @param request The request as the server received it; `undefined` if the feed has not delivered it
 */
export function faultWords(seen: FaultMessage, request: RequestMessage | undefined): FaultWords {
  const { fault, status, reason, tookMs, sentBytes, showsStack } = seen
  const response = status === 0 ? 'You left.' : `${status} ${reason}`.trim()
  const time = duration(tookMs * 1000)
  const words: Record<FaultName, FaultWords> = {
    throw: { seen: response, rest: `and ${showsStack ? 'the error text' : 'no stack trace'}. ${logged(request)}` },
    sleep: { seen: `${response} after ${time}`, rest: `: timeoutMs aborted ctx.signal. ${logged(request)}` },
    large: {
      seen: response,
      rest: `: the limit is 1,048,576 bytes. The rest of ${count(sentBytes)} bytes was discarded, so no reset hid the response.`,
    },
    garbled: { seen: response, rest: 'and the connection closed. No middleware and no handler ran.' },
    drip: {
      seen: `${response} after ${time}`,
      rest: `and ${count(sentBytes)} bytes: a head has 15 s in total, however slowly it arrives.`,
    },
    leave: { seen: response, rest: logged(request) },
  }
  return words[fault]
}

/** Omits the method and the path, which the button implies. */
function withoutRequest(text: string, request: RequestMessage | undefined): string {
  const start = `${request?.method} ${request?.path} `
  return text.startsWith(start) ? text.slice(start.length).replace(/^failed: /, '') : text
}

/** Maximum number of characters from a log line. The whole sentence then fits into three lines of the panel. */
const MAX_QUOTED = 60

function logged(request: RequestMessage | undefined): string {
  const logs = request?.logs ?? []
  // The access-log line only repeats the status, so it has the lowest priority.
  const lines = logs.filter(({ where }) => !where.startsWith('HTTP/'))
  const worst = lines.find(({ level }) => level === 'error') ?? lines.at(-1) ?? logs.at(-1)
  if (worst === undefined) return 'The log has the request.'
  const [line = ''] = withoutRequest(worst.text, request).split('\n')
  const text = line.length > MAX_QUOTED ? `${line.slice(0, MAX_QUOTED - 1)}…` : line
  return logs.length === 1 ? `The log has one line: ${text}` : `The log has ${logs.length} lines, among them: ${text}`
}
