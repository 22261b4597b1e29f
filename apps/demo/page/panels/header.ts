import type { ProtocolName, WelcomeMessage } from '../../src/live/messages.ts'
import { byId, el, setText } from '../dom.ts'
import { duration, PROTOCOL_NAMES } from '../format.ts'

const HOPS: Readonly<Record<string, ProtocolName>> = { 'http/1.0': 'h1', 'http/1.1': 'h1', h2: 'h2', h3: 'h3' }
const LOOPBACK = /^(?:127\.|::1$|localhost$)/

/** State of the stream, as displayed in the header. */
export type StreamState = 'live' | 'paused' | 'restarting, nothing lost'

/** Shows in the header over which protocol this page was delivered, and in the footer which process sent it. */
export class Header {
  readonly #pill = byId('state')

  constructor() {
    const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
    if (navigation === undefined) return
    const protocol = HOPS[navigation.nextHopProtocol]
    const took = duration((navigation.responseEnd - navigation.requestStart) * 1000)
    const name = protocol === undefined ? 'a cache' : PROTOCOL_NAMES[protocol]
    byId('arrival').append(
      'This page reached you over ',
      el('b', { className: protocol ?? '', id: 'protocol', textContent: name }),
      ' in ',
      el('b', { textContent: `${took}.` }),
      ' ',
      el('span', { className: 'm', textContent: 'Here is everything your server is doing.' }),
    )
  }

  /** ID of the request that delivered this page; `undefined` if the page was cached. */
  get requestId(): string | undefined {
    const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
    return navigation?.serverTiming.find(({ name }) => name === 'request')?.description
  }

  state(state: StreamState): void {
    this.#pill.classList.toggle('away', state !== 'live')
    const [word = '', rest] = state.split(/(?=,)/)
    const isShown = this.#pill.textContent?.trim() === state
    // Narrow screens show only the first word.
    if (!isShown)
      this.#pill.lastElementChild?.replaceChildren(
        word,
        ...(rest === undefined ? [] : [el('span', { className: 'rest', textContent: rest })]),
      )
    document.body.classList.toggle('lost', state === 'restarting, nothing lost')
  }

  welcome({ process, node, version, listensOn, isPublic }: WelcomeMessage): void {
    setText(byId('process'), `process ${process}`)
    setText(byId('node'), `Node.js ${node}`)
    setText(byId('version'), `@fw/core ${version}`)
    const where = LOOPBACK.test(listensOn) ? `listens on ${listensOn} only` : `listens on ${listensOn}`
    setText(byId('listens'), isPublic ? `${where}; you see your own requests, others are numbers` : where)
  }
}
