import type { FaultMessage, FaultName, RequestMessage } from '../../src/live/messages.ts'
import { byId, el, post } from '../dom.ts'
import { FaultRequests } from '../fault-requests.ts'
import { faultWords, WAITING } from '../fault-words.ts'

/** Milliseconds to wait for the feed to deliver the request after a fault. */
const FEED_MS = 2000

/** The buttons that cause faults, and the result of the last one. */
export class Break {
  readonly #buttons = [...byId('faults').querySelectorAll('button')]
  readonly #words = byId('broke')
  readonly #requests = new FaultRequests()
  #isOffered = true

  constructor() {
    for (const button of this.#buttons) {
      button.ariaPressed = 'false'
      button.addEventListener('click', () => void this.#run(button))
    }
    this.#say('', 'Choose a fault. A client on the server causes it, and the list marks the request as yours.')
  }

  offer(isOffered: boolean): void {
    this.#isOffered = isOffered
    for (const button of this.#buttons) button.disabled = !isOffered
    if (!isOffered) this.#say('', 'Faults are disabled here. Start the demo on your own machine to cause them.')
  }

  /** Receives a request from this visitor, which can belong to a fault. */
  own(request: RequestMessage): void {
    this.#requests.add(request)
  }

  focus(): void {
    this.#buttons[0]?.focus()
  }

  async #run(button: HTMLButtonElement): Promise<void> {
    const fault = button.dataset['fault'] as FaultName
    for (const each of this.#buttons) each.ariaPressed = String(each === button)
    for (const each of this.#buttons) each.disabled = true
    this.#say('', WAITING[fault])
    try {
      const seen = (await post(`/api/live/break/${fault}`)) as FaultMessage
      // The feed delivers the request's log lines.
      const request = await this.#requests.next(fault, FEED_MS)
      const { seen: strong, rest } = faultWords(seen, request)
      this.#say(strong, rest.startsWith(':') ? rest : ` ${rest}`)
    } catch (error) {
      this.#say('', `Not broken: ${error instanceof Error ? error.message : String(error)}.`)
    }
    for (const each of this.#buttons) each.disabled = !this.#isOffered
    button.focus()
  }

  #say(strong: string, rest: string): void {
    const start = strong === '' || strong.startsWith('You') ? '' : 'You saw '
    this.#words.replaceChildren(start, ...(strong === '' ? [] : [el('b', { textContent: strong })]), rest)
  }
}
